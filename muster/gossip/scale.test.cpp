// Much of everything: nothing is quadratic.

#include <gtest/gtest.h>

#include "muster/gossip/test_network.hpp"

namespace muster::gossip::testing {
namespace {

using std::chrono::seconds;

constexpr int entry_count = 100'000;

[[nodiscard]] std::string key_of(int i) { return fmt::format("service-{:08}", i); }

TEST(scale, a_hundred_thousand_entries_under_one_key_are_added_and_removed_one_by_one) {
  network g;
  g.start_all(2);
  for (int i = 0; i < entry_count; ++i) {
    ASSERT_TRUE(g.gossip("A").add("one", some_entry("/user/worker", static_cast<std::uint64_t>(i))));
  }
  g.pump(g.at("A"));
  g.settle();
  EXPECT_EQ(g.gossip("B").entry_count("one"), static_cast<std::size_t>(entry_count));
  for (int i = 0; i < entry_count; ++i) {
    ASSERT_TRUE(g.gossip("A").remove("one", some_entry("/user/worker", static_cast<std::uint64_t>(i))));
  }
  g.pump(g.at("A"));
  g.settle();
  EXPECT_EQ(g.gossip("B").entry_count("one"), 0U);
  EXPECT_EQ(g.gossip("B").key_count(), 0U);
}

TEST(scale, a_hundred_thousand_changes_of_one_turn_that_cancel_each_other_are_no_change) {
  network g;
  g.start_all(2);
  for (int i = 0; i < entry_count; ++i) {
    ASSERT_TRUE(g.gossip("A").add(key_of(i), some_entry("/user/worker")));
  }
  for (int i = 0; i < entry_count; ++i) {
    ASSERT_TRUE(g.gossip("A").remove(key_of(i), some_entry("/user/worker")));
  }
  EXPECT_TRUE(g.gossip("A").poll_ready().changes.empty());
}

TEST(scale, a_node_that_joins_many_with_much_gets_all_within_a_few_rounds) {
  network g;
  g.start_all(40);
  for (auto& [name, one] : g.nodes()) {
    for (int i = 0; i < 200; ++i) {
      ASSERT_TRUE(one.gossip->add(key_of(i), some_entry("/user/worker")));
    }
    g.pump(one);
  }
  g.run(seconds{2});
  g.start("newcomer");
  for (auto& [name, one] : g.nodes()) {
    if (name != "newcomer") {
      g.introduce("newcomer", name);
      g.introduce(name, "newcomer");
    }
  }
  g.settle();
  EXPECT_EQ(g.gossip("newcomer").registration_count(), 8000U);
}

}  // namespace
}  // namespace muster::gossip::testing
