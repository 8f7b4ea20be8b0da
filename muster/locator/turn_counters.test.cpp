#include "muster/locator/turn_counters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

namespace muster::locator {
namespace {

TEST(turn_counters, count_each_group_alone) {
  turn_counters turns;
  EXPECT_EQ(turns.take("a"), 0U);
  EXPECT_EQ(turns.take("b"), 0U);
  EXPECT_EQ(turns.take("a"), 1U);
  EXPECT_EQ(turns.take("a"), 2U);
  EXPECT_EQ(turns.take("b"), 1U);
  EXPECT_EQ(turns.take(""), 0U);
}

TEST(turn_counters, give_a_turn_to_one_thread_only) {
  turn_counters turns;
  constexpr std::uint32_t each = 10'000;
  std::vector<std::vector<std::uint32_t>> taken(4);
  {
    std::vector<std::jthread> threads;
    for (auto& mine : taken) {
      threads.emplace_back([&turns, &mine] {
        for (std::uint32_t i = 0; i < each; ++i) mine.push_back(turns.take("group"));
      });
    }
  }
  std::vector<std::uint32_t> all;
  for (const auto& mine : taken) all.insert(all.end(), mine.begin(), mine.end());
  std::sort(all.begin(), all.end());
  for (std::uint32_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], i);
}

TEST(turn_counters, go_on_counting_when_there_are_more_groups_than_places) {
  turn_counters turns;
  for (std::size_t i = 0; i < 4 * turn_counters::places; ++i) (void)turns.take("group " + std::to_string(i));
  const auto first = turns.take("one more");
  EXPECT_EQ(turns.take("one more"), first + 1);
  EXPECT_EQ(turns.take("group 0"), 1U) << "who came in time keeps its own counter";
}

}  // namespace
}  // namespace muster::locator
