#include "muster/base/spare.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace muster {
namespace {

TEST(spare, room_is_a_quarter_of_what_there_is_at_most) {
  std::vector<int> all;
  std::size_t moves = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::size_t before = all.capacity();
    reserve_one_more(all);
    all.push_back(i);
    moves += all.capacity() == before ? 0U : 1U;
    ASSERT_LE(all.capacity(), all.size() + all.size() / 4 + 4);
  }
  EXPECT_LT(moves, 60U) << "the costs of growing stay a constant for each element";
}

TEST(spare, what_is_given_back_keeps_no_memory) {
  std::vector<int> all(1000);
  give_back(all);
  EXPECT_TRUE(all.empty());
  EXPECT_EQ(all.capacity(), 0U);
}

}  // namespace
}  // namespace muster
