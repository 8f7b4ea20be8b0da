#include "muster/runtime/join_plan.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include <fmt/format.h>

namespace muster::cluster {
namespace {

using namespace std::chrono_literals;

const joining_process shop{.system = "shop", .node = "shop", .host = "web_7", .distinction = "0a1b2c"};

std::string why_not(join_options how, const joining_process& who = shop) {
  const auto plan = plan_join(std::move(how), who);
  return plan ? std::string{} : plan.error().message;
}

TEST(join_plan, of_nothing_is_a_cluster_of_one_at_the_loopback_address) {
  const auto plan = plan_join({}, shop);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->wire.listen, "tcp -h 127.0.0.1");
  EXPECT_EQ(plan->node.cluster, "shop");
  EXPECT_EQ(plan->node.name, "web-7-0a1b2c");
  EXPECT_TRUE(plan->node.seeds.empty());
  EXPECT_TRUE(validate(plan->node)) << validate(plan->node).error().message;
}

TEST(join_plan, option_beats_property_beats_default) {
  join_options how;
  how.properties = {{"cluster.node-name", "from-property"},
                    {"cluster.name", "bazaar"},
                    {"cluster.listen", "tcp -h 127.0.0.1 -p 4070"},
                    {"cluster.probe-interval", "700ms"},
                    {"cluster.removal-timeout", "5 minutes"},
                    {"cluster.keep-majority", "true"},
                    {"cluster.frame-bytes-max", "65536"},
                    {"cluster.silence-timeout", "1500ms"},
                    {"cluster.receptionist.gossip-interval", "2s"},
                    {"cluster.published", ""},
                    {"Something.Else", "x"}};
  how.removal_timeout = 90s;
  how.more.membership.probe_interval = 1s;
  how.more.membership.probe_timeout = 2s;
  const auto plan = plan_join(how, shop);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->node.name, "from-property");
  EXPECT_EQ(plan->node.cluster, "bazaar");
  EXPECT_EQ(plan->wire.listen, "tcp -h 127.0.0.1 -p 4070");
  EXPECT_EQ(plan->node.membership.probe_interval, 700ms);
  EXPECT_EQ(plan->node.membership.probe_timeout, 2s);
  EXPECT_EQ(plan->node.membership.removal_timeout, 90s);
  EXPECT_TRUE(plan->node.membership.keep_majority);
  EXPECT_EQ(plan->node.frame_bytes_max, 65536U);
  EXPECT_EQ(plan->wire.silence_timeout, 2s);

  how.name = "from-option";
  how.cluster = "market";
  how.keep_majority = false;
  const auto other = plan_join(how, shop);
  EXPECT_EQ(other->node.name, "from-option");
  EXPECT_EQ(other->node.cluster, "market");
  EXPECT_FALSE(other->node.membership.keep_majority);
}

TEST(join_plan, believes_of_a_node_only_itself_with_tls_or_where_told_so) {
  using gossip::news_source;
  const auto taken_from = [](const std::string& listen, const std::string& property, std::optional<bool> option,
                             news_source more = news_source::any_member) {
    join_options how{.name = "a", .listen = listen, .properties = {{"cluster.only-from-origin", property}}};
    how.only_from_origin = option;
    how.more.gossip.taken_from = more;
    return plan_join(how, shop)->node.gossip.taken_from;
  };
  const std::string plain = "tcp -h 127.0.0.1";
  const std::string encrypted = "ssl -h 127.0.0.1";
  EXPECT_EQ(taken_from(plain, "", {}), news_source::any_member);
  EXPECT_EQ(taken_from(encrypted, "", {}), news_source::origin_only);
  EXPECT_EQ(taken_from(encrypted, "false", {}), news_source::any_member);
  EXPECT_EQ(taken_from(encrypted, "false", true), news_source::origin_only);
  EXPECT_EQ(taken_from(plain, "true", {}), news_source::origin_only);
  EXPECT_EQ(taken_from(plain, "true", false), news_source::any_member);
  EXPECT_EQ(taken_from(plain, "", {}, news_source::origin_only), news_source::origin_only);
  EXPECT_EQ(why_not({.properties = {{"cluster.only-from-origin", "perhaps"}}}),
            "cluster.only-from-origin is 'perhaps'; allowed is true or false");
}

TEST(join_plan, takes_the_name_that_the_systems_node_was_given) {
  auto named = shop;
  named.node = "till-4";
  EXPECT_EQ(plan_join({}, named)->node.name, "till-4");
}

TEST(join_plan, takes_seeds_apart_and_keeps_names_to_be_looked_up) {
  join_options how;
  how.seeds = {"tcp -p 4070 -h 10.0.0.1", "tcp -h Seeds.Example -p 4070:tcp -h 10.0.0.1 -p 4070",
               "tcp -h \"::1\" -p 4071"};
  const auto plan = plan_join(how, shop);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->node.seeds, (std::vector<std::string>{"tcp -h 10.0.0.1 -p 4070", "tcp -h seeds.example -p 4070",
                                                        "tcp -h \"::1\" -p 4071"}));
  EXPECT_EQ(plan->names, (std::vector<seed_name>{{"tcp -h seeds.example -p 4070", "tcp", "seeds.example", "4070"}}));
}

TEST(join_plan, gives_the_transport_room_for_whatever_the_node_sends) {
  join_options how;
  how.more.frame_bytes_max = std::size_t{64} * 1024 * 1024;
  const auto plan = plan_join(how, shop);
  EXPECT_GT(plan->wire.frame_bytes_max, how.more.frame_bytes_max);
  EXPECT_GE(plan->wire.in_flight_bytes_max, 2 * plan->wire.frame_bytes_max);
}

TEST(join_plan, makes_room_for_large_messages_that_a_property_allows) {
  const auto plan = plan_join({.properties = {{"cluster.frame-bytes-max", "268435456"}}}, shop);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_TRUE(validate(plan->node)) << validate(plan->node).error().message;
  EXPECT_GE(plan->wire.in_flight_bytes_max, 2 * plan->wire.frame_bytes_max);
}

TEST(join_plan, names_the_property_also_where_two_settings_do_not_go_together) {
  EXPECT_EQ(why_not({.properties = {{"cluster.join-retry-max", "100ms"}}}),
            "cluster.join-retry-max is 100ms; allowed is cluster.join-retry-min, which is 500ms, or more");
  EXPECT_EQ(why_not({.properties = {{"cluster.keep-majority", "yes"}, {"cluster.majority-delay", "1m"}}}),
            "cluster.majority-delay is 1m; allowed with cluster.keep-majority is less than cluster.removal-timeout, "
            "which is 1m, because the members before a split are counted");
  EXPECT_EQ(why_not({.properties = {{"cluster.in-flight-bytes-max", "2000000"}}}),
            "cluster.in-flight-bytes-max is '2000000'; allowed is a number of bytes from 2097452 on, which is two "
            "frames (cluster.frame-bytes-max)");
}

TEST(join_plan, has_one_length_for_the_names_of_nodes) {
  EXPECT_EQ(why_not({.properties = {{"cluster.node-name", std::string(128, 'x')}}}), "");
  const std::string sentence = "' must be 1 to 128 letters, digits or any of _-.:@";
  EXPECT_EQ(why_not({.properties = {{"cluster.node-name", std::string(129, 'x')}}}),
            "the node's name (cluster.node-name) '" + std::string(128, 'x') + sentence);
  options named;
  named.name = "a b";
  EXPECT_EQ(validate(named).error().message, "the name of a node 'a b" + sentence);
  EXPECT_EQ(why_not({.properties = {{"cluster.name", std::string(65, 'x')}}}),
            "cluster.name is '" + std::string(65, 'x') + "', 65 bytes; allowed is 1 to 64 bytes");
  join_options crowded;
  for (int i = 1; i <= 65; ++i) crowded.seeds.push_back(fmt::format("tcp -h 10.0.0.1 -p {}", i));
  EXPECT_EQ(why_not(crowded), "cluster.seeds and cluster.seeds-file give 65 addresses; allowed is up to 64");
}

TEST(join_plan, names_what_cannot_be) {
  EXPECT_EQ(why_not({.properties = {{"cluster.probe-interval", "soon"}}}),
            "cluster.probe-interval is 'soon'; allowed is a duration from 1ms to 24h, such as 500ms or 3s");
  EXPECT_EQ(why_not({.properties = {{"cluster.keep-majority", "maybe"}}}),
            "cluster.keep-majority is 'maybe'; allowed is true or false");
  EXPECT_EQ(why_not({.properties = {{"cluster.frame-bytes-max", "1M"}}}),
            "cluster.frame-bytes-max is '1M'; allowed is a number of bytes from 4096 to 268435456");
  EXPECT_NE(why_not({.properties = {{"cluster.lisen", "tcp"}}})
                .find("cluster.lisen is 'tcp'; allowed is below cluster. "
                      "only receptionist. and"),
            std::string::npos);
  EXPECT_EQ(why_not({.listen = "carrier-pigeon"}),
            "cluster.listen: carrier-pigeon is no transport; allowed are tcp, ssl, ws and wss");
  EXPECT_EQ(why_not({.seeds = {"udp -h 10.0.0.1 -p 1"}}),
            "the seed 'udp -h 10.0.0.1 -p 1' is no address: udp cannot be used here; allowed are tcp, ssl, ws and wss");
  EXPECT_NE(why_not({.seeds = {"tcp -h 10.0.0.1"}}).find("the seed 'tcp -h 10.0.0.1' names no port"),
            std::string::npos);
  EXPECT_NE(why_not({.seeds = {"ssl -h 10.0.0.1 -p 1"}}).find("which listens without TLS; allowed is tcp or ws"),
            std::string::npos);
  EXPECT_NE(why_not({.listen = "ssl -p 4070"}).find("cluster.node-name is not set"), std::string::npos);
  const auto missing = plan_join({.seeds_file = "/nowhere/seeds"}, shop);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, errc::not_found);
  EXPECT_NE(missing.error().message.find("/nowhere/seeds"), std::string::npos);
}

}  // namespace
}  // namespace muster::cluster
