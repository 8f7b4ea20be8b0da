#include "muster/base/prng.hpp"

#include <array>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace {

using muster::prng;

TEST(prng, the_same_seed_gives_the_same_sequence_on_every_machine) {
  prng source{1};
  EXPECT_EQ(source(), 0xb3f2af6d0fc710c5U);
  EXPECT_EQ(source(), 0x853b559647364ceaU);
}

RC_GTEST_PROP(prng, below_stays_below_its_bound, (std::uint64_t seed)) {
  const auto bound = *rc::gen::inRange<std::uint64_t>(1, UINT64_MAX);
  prng source{seed};
  for (int i = 0; i < 100; ++i) RC_ASSERT(source.below(bound) < bound);
}

TEST(prng, below_reaches_every_member_of_a_small_range_about_equally_often) {
  prng source{7};
  std::array<int, 6> seen{};
  for (int i = 0; i < 60'000; ++i) ++seen[source.below(6)];
  for (const auto count : seen) EXPECT_NEAR(count, 10'000, 500);
}

}  // namespace
