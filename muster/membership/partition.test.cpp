#include <gtest/gtest.h>

#include "muster/membership/test_network.hpp"
#include "tests/support/sanitized.hpp"

namespace muster::membership::testing {
namespace {

class cluster_of : public network {
 public:
  explicit cluster_of(std::size_t count, std::uint64_t seed = 1, bool keep_majority = false)
      : network{seed}, all{names(count)} {
    for (const auto& name : all) {
      options how = defaults(name, {"n00"});
      how.keep_majority = keep_majority;
      start(how);
    }
    run(seconds{10});
    EXPECT_TRUE(agree());
  }

  std::size_t rejoins() {
    std::size_t out = 0;
    for (const auto& [name, one] : processes()) {
      out += one.rejoins;
    }
    return out;
  }

  std::vector<std::string> all;
};

TEST(partition, shorter_than_removal_heals_by_itself_and_everyone_keeps_its_incarnation) {
  cluster_of net{6};
  net.split({"n00", "n01", "n02"});
  net.run(seconds{40});
  EXPECT_EQ(net.state("n00", "n05"), member_state::unreachable);
  EXPECT_EQ(net.state("n05", "n00"), member_state::unreachable);
  EXPECT_EQ(net.state("n00", "n01"), member_state::up) << "without keep_majority both sides serve";
  EXPECT_EQ(net.state("n05", "n04"), member_state::up);
  net.mend();
  EXPECT_TRUE(net.run_until([&] { return net.agree(); }, seconds{6}));
  EXPECT_EQ(net.rejoins(), 0U);
}

TEST(partition, that_heals_does_not_let_members_of_one_side_flicker_for_each_other) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    cluster_of net{10, seed};
    const std::vector<std::string> side{net.all.begin(), net.all.begin() + 5};
    net.split(side);
    net.run(seconds{30});
    net.mend();
    ASSERT_TRUE(net.run_until([&] { return net.agree(); }, seconds{10}));
    net.run(seconds{20});
    for (const auto& name : side) {
      for (const auto& other : side) {
        EXPECT_EQ(net.count(name, event_kind::unreachable, other), 0U) << seed << ": " << name << " about " << other;
      }
    }
  }
}

TEST(partition, longer_than_removal_brings_only_the_smaller_side_back_as_new) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    cluster_of net{5, seed};
    net.split({"n03", "n04"});
    net.run(minutes{5});
    EXPECT_EQ(net.count("n00", event_kind::removed, "n03"), 1U);
    EXPECT_EQ(net.count("n03", event_kind::removed, "n00"), 1U);
    net.mend();
    EXPECT_TRUE(net.run_until([&] { return net.agree(net.all); }, seconds{15})) << seed;
    EXPECT_EQ(net.at("n03").rejoins, 1U);
    EXPECT_EQ(net.at("n04").rejoins, 1U);
    EXPECT_EQ(net.rejoins(), 2U) << "the larger side keeps all it has";
  }
}

TEST(partition, into_equal_sides_brings_back_the_side_without_the_lowest_address) {
  cluster_of net{6};
  net.split({"n00", "n03", "n04"});
  net.run(minutes{5});
  net.mend();
  EXPECT_TRUE(net.run_until([&] { return net.agree(net.all); }, seconds{20}));
  EXPECT_EQ(net.at("n00").rejoins + net.at("n03").rejoins + net.at("n04").rejoins, 0U);
  EXPECT_EQ(net.rejoins(), 3U);
}

TEST(partition, of_any_length_heals_also_when_nobody_remembers_it) {
  cluster_of net{5};
  net.split({"n03", "n04"});
  net.run(std::chrono::hours{tests::sanitized ? 2 : 5});
  net.mend();
  EXPECT_TRUE(net.run_until([&] { return net.agree(net.all); }, seconds{30}));
}

TEST(partition, of_two_members_heals) {
  cluster_of net{2};
  net.isolate("n01");
  net.run(minutes{10});
  net.mend();
  EXPECT_TRUE(net.run_until([&] { return net.agree(net.all); }, seconds{20}));
}

TEST(partition, into_many_pieces_heals) {
  cluster_of net{9};
  net.split({"n00", "n01", "n02"});
  net.split({"n03", "n04"});
  net.isolate("n08");
  net.run(minutes{3});
  net.mend();
  EXPECT_TRUE(net.run_until([&] { return net.agree(net.all); }, minutes{1}));
}

TEST(removed, incarnations_do_not_come_back_by_an_old_table) {
  cluster_of net{4};
  net.pause("n03");  // it holds n01 for alive
  net.run(seconds{1});
  const incarnation old = net.at("n01").last_incarnation;
  net.crash("n01");
  net.run(seconds{65});
  ASSERT_TRUE(net.at("n00").core->is_removed("n01", old));
  net.resume("n03");
  net.run(minutes{3});
  EXPECT_EQ(net.count("n00", event_kind::up, "n01"), 1U);
  EXPECT_TRUE(net.agree());
}

TEST(majority, the_smaller_side_of_a_split_must_leave_and_the_larger_stays) {
  cluster_of net{5, 1, true};
  net.comes_back = false;
  net.split({"n00", "n01"});
  net.run(seconds{20});
  for (const auto& name : {"n00", "n01"}) {
    ASSERT_TRUE(net.at(name).must_leave) << name;
    EXPECT_EQ(*net.at(name).must_leave,
              "3 of 5 members are unreachable, a majority: with keep_majority this side stops serving");
  }
  for (const auto& name : {"n02", "n03", "n04"}) {
    EXPECT_FALSE(net.at(name).must_leave) << name;
    EXPECT_TRUE(net.at(name).core) << name;
  }
}

TEST(majority, at_a_tie_the_side_with_the_lowest_address_stays) {
  cluster_of net{4, 1, true};
  net.comes_back = false;
  net.split({"n00", "n03"});
  net.run(seconds{20});
  EXPECT_TRUE(net.at("n00").core);
  EXPECT_TRUE(net.at("n03").core);
  EXPECT_TRUE(net.at("n01").must_leave);
  EXPECT_TRUE(net.at("n02").must_leave);
}

TEST(majority, counts_the_members_known_before_the_split) {
  cluster_of net{5, 1, true};
  net.crash("n04");
  net.run(seconds{70});  // four are left
  EXPECT_EQ(net.at("n00").core->members()->members.size(), 4U);
  net.comes_back = false;
  net.split({"n02", "n03"});
  net.run(seconds{20});
  EXPECT_TRUE(net.at("n00").core) << "two of four, with the lowest address";
  EXPECT_TRUE(net.at("n02").must_leave);
}

TEST(majority, one_that_had_to_leave_joins_again_when_the_split_is_over) {
  cluster_of net{5, 1, true};
  net.split({"n00", "n01"});
  net.run(minutes{3});
  net.mend();
  EXPECT_TRUE(net.run_until([&] { return net.agree(net.all); }, seconds{40}));
  EXPECT_EQ(net.at("n02").rejoins + net.at("n03").rejoins + net.at("n04").rejoins, 0U);
}

TEST(leaving, tells_all_before_it_is_done_and_nobody_looks_for_the_one_who_left) {
  for (const std::size_t count : {2U, 5U, 30U}) {
    cluster_of net{count, count};
    net.leave("n01");
    ASSERT_TRUE(net.run_until([&] { return net.at("n01").left; }, seconds{1})) << count;
    net.run(milliseconds{500});
    for (const auto& name : net.running()) {
      EXPECT_EQ(net.count(name, event_kind::left, "n01"), 1U) << name;
      EXPECT_EQ(net.count(name, event_kind::unreachable, "n01"), 0U) << name;
    }
    EXPECT_TRUE(net.agree());
    net.run(minutes{2});
    for (const auto& name : net.running()) {
      EXPECT_EQ(net.count(name, event_kind::removed, "n01"), 0U) << name << ": left is the last word";
    }
  }
}

TEST(leaving, alone_is_done_at_once) {
  network net;
  net.start("a");
  net.leave("a");
  EXPECT_TRUE(net.at("a").left);
}

TEST(leaving, is_bounded_when_nobody_answers) {
  cluster_of net{3};
  net.isolate("n01");
  net.leave("n01");
  EXPECT_TRUE(net.run_until([&] { return net.at("n01").left; }, seconds{2} + milliseconds{10}));
}

TEST(leaving, gets_through_although_half_of_the_messages_are_lost) {
  cluster_of net{5};
  net.weather.lost_percent = 50;
  net.leave("n01");
  net.run(seconds{3});
  EXPECT_TRUE(net.at("n01").left);
  net.weather = {};
  net.run(seconds{30});
  for (const auto& name : net.running()) {
    EXPECT_EQ(net.count(name, event_kind::left, "n01"), 1U) << name;
  }
}

}  // namespace
}  // namespace muster::membership::testing
