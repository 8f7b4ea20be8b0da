#include <gtest/gtest.h>

#include "muster/membership/test_network.hpp"

namespace muster::membership::testing {
namespace {

TEST(joining, a_node_without_seeds_is_a_cluster_of_one) {
  network net;
  net.start("a");
  EXPECT_TRUE(net.at("a").joined);
  EXPECT_EQ(net.at("a").core->status().phase, phase::joined);
  EXPECT_EQ(net.at("a").core->members()->members.size(), 1U);
  net.run(minutes{1});
  EXPECT_EQ(net.at("a").core->status().counters.messages_sent, 0U) << "a lone node has nobody to talk to";
}

TEST(joining, a_newcomer_and_its_seed_know_each_other_after_one_round_trip) {
  network net;
  net.start("a");
  net.start("b", {"a"});
  net.run(milliseconds{5});
  EXPECT_TRUE(net.at("b").joined);
  EXPECT_TRUE(net.agree());
  EXPECT_EQ(net.count("a", event_kind::up, "b"), 1U);
  EXPECT_EQ(net.count("b", event_kind::up, "a"), 1U);
}

TEST(joining, all_members_learn_of_a_newcomer_within_a_few_hops) {
  network net;
  net.start_all(names(20));
  net.run(seconds{5});
  ASSERT_TRUE(net.agree());
  net.start("late", {"n07"});
  EXPECT_TRUE(net.run_until([&] { return net.agree(); }, milliseconds{500}));
}

TEST(joining, nodes_that_start_at_once_with_the_same_seeds_form_one_cluster) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    network net{seed};
    for (const auto& name : names(5)) {
      net.start(name, {"n00", "n01", "n02"});
    }
    EXPECT_TRUE(net.run_until([&] { return net.agree(); }, seconds{3})) << seed;
    for (const auto& name : names(5)) {
      EXPECT_TRUE(net.at(name).joined) << name;
    }
  }
}

TEST(joining, two_nodes_in_each_others_lists_form_one_cluster) {
  network net;
  net.start("a", {"b"});
  net.start("b", {"a"});
  EXPECT_TRUE(net.run_until([&] { return net.agree(); }, seconds{1}));
}

TEST(joining, the_own_address_among_the_seeds_is_skipped) {
  network net;
  std::size_t to_itself = 0;
  net.on_send = [&](const auto& from, const outgoing& what) { to_itself += what.destination() == from.how.address; };
  net.start("a", {"a"});
  EXPECT_TRUE(net.at("a").joined) << "it is the first of the cluster";
  net.start("b", {"a", "b"});
  net.run(seconds{30});
  EXPECT_TRUE(net.agree());
  EXPECT_EQ(to_itself, 0U);
}

TEST(joining, the_own_address_in_another_spelling_is_recognised_by_the_message_that_comes_back) {
  prng random{7};
  options how = network::defaults("a");
  how.incarnation = incarnation{9};
  how.seeds = {"localhost"};
  instant now{seconds{1}};
  auto one = *participant::make(how, random, now);
  ready effects = one->poll_ready(now);
  ASSERT_EQ(effects.messages.size(), 1U);
  EXPECT_EQ(effects.messages[0].destination(), "localhost");
  EXPECT_FALSE(effects.joined);
  one->handle_message(effects.messages[0].content, "a", now);
  now += seconds{1};
  one->handle_tick(now);
  effects = one->poll_ready(now);
  EXPECT_TRUE(effects.joined);
  EXPECT_TRUE(effects.messages.empty()) << "it is not asked again";
}

TEST(joining, a_seed_that_starts_late_is_found) {
  network net;
  net.start("b", {"a"});
  net.start("c", {"a"});
  net.run(seconds{20});
  EXPECT_FALSE(net.at("b").joined);
  net.start("a", {"a"});
  EXPECT_TRUE(net.run_until([&] { return net.agree({"a", "b", "c"}); }, seconds{16}));
}

TEST(joining, retries_are_spread_and_become_rarer) {
  network net;
  std::map<std::string, std::vector<instant>> attempts;
  net.on_send = [&](const auto& from, const outgoing&) { attempts[from.name].push_back(net.now()); };
  // Two that start at the same instant, as after a power cut, must not go on asking at the same instants.
  net.start("b", {"nobody"});
  net.start("c", {"nobody"});
  net.run(minutes{5});
  const auto& of_b = attempts["b"];
  const auto& of_c = attempts["c"];
  ASSERT_GT(of_b.size(), 20U);
  EXPECT_LT(of_b.size(), 80U);
  EXPECT_LT(of_b[1] - of_b[0], seconds{1});
  EXPECT_GT(of_b.back() - of_b[of_b.size() - 2], seconds{5});

  EXPECT_EQ(of_b[0], of_c[0]);
  const auto together = std::ranges::count_if(of_b.begin() + 1, of_b.end(), [&](instant one) {
    return std::ranges::any_of(
        of_c, [&](instant other) { return one - other < milliseconds{20} && other - one < milliseconds{20}; });
  });
  EXPECT_LE(together, 1) << "of " << of_b.size() << " attempts";
}

TEST(joining, two_clusters_become_one_when_a_member_of_one_joins_the_other) {
  // The joiner asks both while it is alone, so neither asks for what the other has. It compares its table with a
  // member's within one and a half intervals of comparison at the latest; news of that travels in less than two
  // seconds.
  const duration bound = 3 * options{}.sync_interval / 2 + seconds{2};
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    network net{seed};
    net.start_all({"a", "b", "c"});
    net.start_all({"x", "y", "z"});
    net.run(seconds{2});
    net.start("d", {"c", "x"});
    EXPECT_TRUE(net.run_until([&] { return net.agree(); }, bound)) << seed;
  }
}

TEST(joining, a_seed_of_another_cluster_refuses_in_a_sentence_and_stays_apart) {
  network net;
  options other = network::defaults("a");
  other.cluster = "bank";
  net.start(other);
  net.start("b", {"a"});
  net.run(milliseconds{100});
  EXPECT_FALSE(net.at("b").joined);
  ASSERT_EQ(net.at("b").refusals.size(), 1U);
  EXPECT_EQ(net.at("b").refusals[0].reason, refusal::other_cluster);
  EXPECT_EQ(net.at("b").refusals[0].sentence,
            "the process at at-a belongs to the cluster 'bank', and this one to 'shop': correct the seeds or the "
            "cluster's name");
  EXPECT_EQ(net.at("a").core->members()->members.size(), 1U);
  EXPECT_EQ(net.at("a").core->status().counters.other_cluster, 1U);
}

TEST(joining, a_full_cluster_refuses_the_one_too_many) {
  network net;
  options small = network::defaults("a");
  small.members_max = 2;
  net.start(small);
  net.start("b", {"a"});
  net.run(seconds{1});
  net.start("c", {"a"});
  net.run(milliseconds{100});
  ASSERT_EQ(net.at("c").refusals.size(), 1U);
  EXPECT_EQ(net.at("c").refusals[0].reason, refusal::full);
  EXPECT_EQ(net.at("a").core->members()->members.size(), 2U);
}

TEST(joining, a_cluster_of_300_forms_within_seconds_by_parts_of_bounded_size) {
  network net;
  std::vector<std::string> all;
  for (int i = 0; i < 300; ++i) {
    all.push_back(fmt::format("node-{:03}", i));
  }
  net.start_all(all);
  EXPECT_TRUE(net.run_until(
      [&] {
        return std::ranges::all_of(all, [&](const auto& name) { return net.at(name).core->status().up == all.size(); });
      },
      seconds{10}));
  net.run(seconds{30});
  EXPECT_TRUE(net.agree());
  for (const auto& name : all) {
    EXPECT_EQ(net.at(name).core->status().counters.suspicions, 0U) << name << ": newcomers are no strangers";
  }
}

TEST(joining, a_snapshot_of_the_members_is_shared_until_something_changes) {
  network net;
  net.start_all({"a", "b"});
  net.run(seconds{1});
  const auto before = net.at("a").core->members();
  net.run(seconds{60});
  EXPECT_EQ(net.at("a").core->members(), before);
  net.start("c", {"a"});
  net.run(seconds{1});
  const auto after = net.at("a").core->members();
  EXPECT_NE(after, before);
  EXPECT_GT(after->version, before->version);
  EXPECT_EQ(before->members.size(), 2U) << "who holds the old one keeps it";
  EXPECT_EQ(after->members.size(), 3U);
}

TEST(idle, an_equal_table_costs_the_same_few_bytes_however_many_members_there_are) {
  const auto bytes_a_second = [](std::size_t count) {
    network net;
    net.start_all(names(count));
    net.run(minutes{2});
    EXPECT_TRUE(net.agree());
    const std::uint64_t before = net.at("n01").core->status().counters.bytes_sent;
    net.run(minutes{1});
    return (net.at("n01").core->status().counters.bytes_sent - before) / 60;
  };
  const auto small = bytes_a_second(5);
  const auto large = bytes_a_second(50);
  EXPECT_LT(small, 400U);
  EXPECT_LT(large, small + 60);
}

}  // namespace
}  // namespace muster::membership::testing
