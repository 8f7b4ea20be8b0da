#include "muster/locator/resolver.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "muster/locator/test_views.hpp"

namespace muster::locator {
namespace {

using status = located::status;
using testing::application;
using testing::direct;
using testing::dummy;
using testing::identity_of;
using testing::policy;
using testing::ports_of;
using testing::view_builder;

bytes copy(byte_view content) { return {content.begin(), content.end()}; }

/// A resolver with the buffer and the generator that a dispatch thread has.
class asking {
 public:
  explicit asking(const view& from) : from_{from} {}

  located adapter(std::string_view id, encoding requested = encoding::v1_1) {
    return resolver_.find_adapter(from_, id, requested, random_, merged_);
  }
  std::vector<int> ports(std::string_view id, encoding requested = encoding::v1_1) {
    const located answer = adapter(id, requested);
    EXPECT_EQ(answer.answer, status::found) << id;
    return answer.is_found() ? ports_of(answer.proxy) : std::vector<int>{};
  }

 private:
  const view& from_;
  resolver resolver_;
  prng random_{1};
  bytes merged_;
};

TEST(find_object, gives_the_registered_proxy_byte_for_byte) {
  const auto by_adapter = catalog::encoded_proxy::indirect({"hello", "demo"}, "HelloAdapter");
  const auto by_endpoint = direct({"world", ""}, {1, 2}, encoding::v1_0);
  view_builder from;
  from.object(by_adapter, "::Demo::Hello").object(by_endpoint, "::Demo::World");
  EXPECT_EQ(copy(resolver::find_object(from, {"hello", "demo"}).proxy), copy(by_adapter.content()));
  EXPECT_EQ(copy(resolver::find_object(from, {"world", ""}).proxy), copy(by_endpoint.content()));
}

TEST(find_object, does_not_know_another_category_or_an_empty_identity) {
  view_builder from;
  from.object(direct({"hello", "demo"}, {1}), "t");
  EXPECT_EQ(resolver::find_object(from, {"hello", ""}).answer, status::unknown);
  EXPECT_EQ(resolver::find_object(from, {"demo", "hello"}).answer, status::unknown);
  EXPECT_EQ(resolver::find_object(from, {"", ""}).answer, status::unknown);
}

TEST(find_object, finds_odd_names) {
  const std::string long_name(70'000, 'x');
  for (const std::string& name : {std::string{"a b"}, std::string{"\"'\\"}, std::string{"a/b@c"},
                                  std::string{"\xc3\xa4\xe2\x82\xac"}, std::string{"nul\0l", 5}, long_name}) {
    view_builder from;
    from.object(direct({name, name}, {1}), name);
    EXPECT_EQ(resolver::find_object(from, {name, name}).answer, status::found);
  }
}

TEST(find_object, finds_the_registrys_own_objects_and_an_application_cannot_stand_before_them) {
  active_replica master;
  master.name = "Master";
  master.is_master = true;
  master.client = dummy({9});
  view_builder from;
  from.object(direct({"Query", "T"}, {1}), "::Evil").own(well_known::make("T", "Master", std::vector{master}));
  EXPECT_EQ(ports_of(resolver::find_object(from, {"Query", "T"}).proxy), std::vector{9});
  EXPECT_EQ(ports_of(resolver::find_object(from, {"Locator", "T"}).proxy), std::vector{9});
}

TEST(find_adapter, does_not_know_what_nobody_registered) {
  view_builder from;
  from.adapter("A", "", dummy({1}));
  asking ask{from};
  EXPECT_EQ(ask.adapter("B").answer, status::unknown);
  EXPECT_EQ(ask.adapter("").answer, status::unknown);
  EXPECT_TRUE(ask.adapter("B").proxy.empty());
}

TEST(find_adapter, gives_a_dynamic_adapter_as_its_server_registered_it) {
  const auto odd = direct({"some", "thing"}, {1}, encoding::v1_0);
  const auto endless = dummy({});
  view_builder from;
  from.adapter("A", "", odd).adapter("E", "", endless);
  asking ask{from};
  EXPECT_EQ(copy(ask.adapter("A").proxy), copy(odd.content())) << "also if it does not speak the request's encoding";
  EXPECT_EQ(ask.adapter("E").answer, status::found) << "no endpoints is the server's business";
  EXPECT_EQ(copy(ask.adapter("E").proxy), copy(endless.content()));
}

TEST(find_adapter, merges_the_endpoints_of_all_members_of_a_dynamic_group_shorter_ids_first) {
  view_builder from;
  from.adapter("m10", "G", dummy({10, 11})).adapter("m2", "G", dummy({2})).adapter("m1", "G", dummy({1}));
  asking ask{from};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask.ports("G"), (std::vector{1, 2, 10, 11})) << "always the same";
  const auto view = catalog::parse(ask.adapter("G").proxy).value();
  EXPECT_EQ(identity_of(ask.adapter("G").proxy), "dummy");
  EXPECT_EQ(view.mode, catalog::proxy_mode::twoway);
  EXPECT_EQ(view.encoding, (descriptor::version{1, 1}));
}

TEST(find_adapter, merges_more_endpoints_than_a_size_of_one_byte_can_count) {
  view_builder from;
  for (int i = 0; i < 300; ++i) from.adapter("m" + std::to_string(1000 + i), "G", dummy({i}));
  EXPECT_EQ(asking{from}.ports("G").size(), 300U);
}

TEST(find_adapter, leaves_out_members_that_do_not_speak_the_encoding_of_the_request) {
  view_builder from;
  from.adapter("old", "G", dummy({1}, encoding::v1_0)).adapter("newer", "G", dummy({2}));
  asking ask{from};
  EXPECT_EQ(ask.ports("G"), std::vector{2});
  EXPECT_EQ(ask.ports("G", encoding::v1_0), (std::vector{1, 2})) << "a server of 1.1 speaks 1.0 too";
}

TEST(find_adapter, knows_a_group_whose_members_have_nothing_to_offer_and_answers_null) {
  view_builder from;
  from.adapter("old", "G", dummy({1}, encoding::v1_0)).adapter("bare", "B", dummy({}));
  asking ask{from};
  EXPECT_EQ(ask.adapter("G").answer, status::unavailable);
  EXPECT_EQ(ask.adapter("B").answer, status::unavailable);
  EXPECT_EQ(copy(ask.adapter("B").proxy), (bytes{0, 0}));
}

TEST(find_adapter, forgets_a_dynamic_group_with_its_last_member) {
  view_builder from;
  from.adapter("m", "G", dummy({1})).apply(catalog::unset_adapter{"m"});
  asking ask{from};
  EXPECT_EQ(ask.adapter("G").answer, status::unknown);
  EXPECT_EQ(ask.adapter("m").answer, status::unknown);
}

TEST(find_adapter, answers_null_for_an_adapter_of_an_application_whose_server_does_not_run) {
  view_builder from;
  from.application(application("app", "", nullptr, {{.adapter = "A"}}));
  asking ask{from};
  EXPECT_EQ(ask.adapter("A").answer, status::unavailable);
}

TEST(find_adapter, answers_an_active_adapter_of_an_application_under_the_identity_dummy) {
  view_builder from;
  from.application(application("app", "", nullptr, {{.adapter = "A"}, {.adapter = "Old"}}))
      .active("A", direct({"its", "own"}, {7}))
      .active("Old", dummy({8}, encoding::v1_0));
  asking ask{from};
  EXPECT_EQ(identity_of(ask.adapter("A").proxy), "dummy");
  EXPECT_EQ(ask.ports("A"), std::vector{7});
  EXPECT_EQ(ask.adapter("Old").answer, status::unavailable) << "it does not speak 1.1";
  EXPECT_EQ(ask.ports("Old", encoding::v1_0), std::vector{8});
}

/// A deployed group "G" of the members 1, 2 and 3 with the priorities 8, 7 and 6; those in `active` run.
view_builder three_members(std::shared_ptr<IceGrid::LoadBalancingPolicy> balancing,
                           const std::vector<int>& active = {1, 2, 3}) {
  view_builder from;
  from.application(application("app", "G", std::move(balancing),
                               {{.adapter = "m1", .group = "G", .priority = "8"},
                                {.adapter = "m2", .group = "G", .priority = "7"},
                                {.adapter = "m3", .group = "G", .priority = "6"}}));
  for (const int one : active) from.active("m" + std::to_string(one), dummy({one}));
  return from;
}

TEST(find_adapter, answers_null_for_a_deployed_group_without_active_members) {
  view_builder empty;
  empty.application(application("app", "G", policy<IceGrid::RandomLoadBalancingPolicy>("1"), {}));
  EXPECT_EQ(asking{empty}.adapter("G").answer, status::unavailable);
  const auto none_runs = three_members(policy<IceGrid::RoundRobinLoadBalancingPolicy>("0"), {});
  EXPECT_EQ(asking{none_runs}.adapter("G").answer, status::unavailable);
}

TEST(find_adapter, takes_turns_round_robin) {
  const auto one = three_members(policy<IceGrid::RoundRobinLoadBalancingPolicy>("1"));
  asking ask{one};
  std::vector<int> taken;
  for (int i = 0; i < 6; ++i) taken.push_back(ask.ports("G").at(0));
  EXPECT_EQ(taken, (std::vector{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(identity_of(ask.adapter("G").proxy), "dummy");

  const auto two = three_members(policy<IceGrid::RoundRobinLoadBalancingPolicy>("2"));
  asking ask_two{two};
  EXPECT_EQ(ask_two.ports("G"), (std::vector{1, 2}));
  EXPECT_EQ(ask_two.ports("G"), (std::vector{2, 3}));
  EXPECT_EQ(ask_two.ports("G"), (std::vector{3, 1}));

  const auto all = three_members(policy<IceGrid::RoundRobinLoadBalancingPolicy>("0"));
  asking ask_all{all};
  EXPECT_EQ(ask_all.ports("G"), (std::vector{1, 2, 3}));
  EXPECT_EQ(ask_all.ports("G"), (std::vector{2, 3, 1}));
}

TEST(find_adapter, takes_turns_among_the_active_members_alone) {
  const auto from = three_members(policy<IceGrid::RoundRobinLoadBalancingPolicy>("1"), {1, 3});
  asking ask{from};
  std::map<int, int> count;
  for (int i = 0; i < 100; ++i) ++count[ask.ports("G").at(0)];
  EXPECT_EQ(count, (std::map<int, int>{{1, 50}, {3, 50}})) << "2 does not give its turns to 3";
}

TEST(find_adapter, orders_by_ascending_priority_and_fills_up_with_the_next_one) {
  const auto all = three_members(policy<IceGrid::OrderedLoadBalancingPolicy>("0"));
  EXPECT_EQ(asking{all}.ports("G"), (std::vector{3, 2, 1}));
  const auto two = three_members(policy<IceGrid::OrderedLoadBalancingPolicy>("2"));
  EXPECT_EQ(asking{two}.ports("G"), (std::vector{3, 2}));
  const auto without_3 = three_members(policy<IceGrid::OrderedLoadBalancingPolicy>("2"), {1, 2});
  EXPECT_EQ(asking{without_3}.ports("G"), (std::vector{2, 1}));
  const auto more_than_there_are = three_members(policy<IceGrid::OrderedLoadBalancingPolicy>("7"));
  EXPECT_EQ(asking{more_than_there_are}.ports("G").size(), 3U);
}

TEST(find_adapter, picks_each_subset_alike_at_random) {
  for (const auto& balancing :
       {policy<IceGrid::RandomLoadBalancingPolicy>("2"), policy<IceGrid::AdaptiveLoadBalancingPolicy>("2")}) {
    const auto from = three_members(balancing);
    asking ask{from};
    std::map<std::vector<int>, int> count;
    for (int i = 0; i < 6000; ++i) ++count[ask.ports("G")];
    EXPECT_EQ(count.size(), 6U) << "three pairs, each in two orders";
    for (const auto& [ports, times] : count) EXPECT_NEAR(times, 1000, 200);
  }
}

TEST(find_adapter, picks_all_in_random_order_where_n_replicas_is_zero) {
  const auto from = three_members(policy<IceGrid::RandomLoadBalancingPolicy>("0"));
  asking ask{from};
  std::set<std::vector<int>> seen;
  for (int i = 0; i < 200; ++i) {
    auto ports = ask.ports("G");
    seen.insert(ports);
    std::sort(ports.begin(), ports.end());
    EXPECT_EQ(ports, (std::vector{1, 2, 3}));
  }
  EXPECT_EQ(seen.size(), 6U);
}

// Whatever is registered: an answer is one well-formed proxy with the endpoints of members, and what is known never
// becomes unknown.
RC_GTEST_PROP(find_adapter, answers_with_a_proxy_made_of_members, ()) {
  view_builder from;
  std::map<std::string, std::set<int>> groups;
  const auto count = *rc::gen::inRange(1, 12);
  for (int i = 0; i < count; ++i) {
    const std::string group = *rc::gen::element<std::string>("", "G", "H");
    const auto spoken = *rc::gen::element(encoding::v1_0, encoding::v1_1);
    const bool bare = *rc::gen::arbitrary<bool>();
    from.adapter("a" + std::to_string(i), group, bare ? dummy({}, spoken) : dummy({i}, spoken));
    if (group.empty()) continue;
    auto& ports = groups[group];
    if (!bare && spoken == encoding::v1_1) ports.insert(i);
  }
  asking ask{from};
  for (const auto& [group, expected] : groups) {
    const located answer = ask.adapter(group);
    RC_ASSERT(answer.answer == (expected.empty() ? status::unavailable : status::found));
    if (!answer.is_found()) continue;
    const auto ports = ports_of(answer.proxy);
    RC_ASSERT(std::set<int>(ports.begin(), ports.end()) == expected);
    RC_ASSERT(ports.size() == expected.size());
  }
}

}  // namespace
}  // namespace muster::locator
