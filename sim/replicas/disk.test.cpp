#include "sim/replicas/disk.hpp"

#include <gtest/gtest.h>

#include <set>

namespace muster::sim::replicas {
namespace {

using kind = replication::commit::kind;

replication::commit step_of(std::uint64_t number, std::uint8_t content) {
  replication::commit step;
  step.rows.push_back({1, number, bytes{content}});
  step.log_append.push_back({replication::serial{number}, replication::shared_bytes{bytes{content}}});
  step.meta = {content};
  return step;
}

replication::commit replacement_of(std::uint64_t key, bool begins) {
  replication::commit step;
  step.what = kind::replacement_rows;
  step.replacement_begins = begins;
  step.rows.push_back({1, key, bytes{9}});
  return step;
}

TEST(disk, a_settled_step_survives_the_loss_of_power) {
  disk one;
  prng draws{1};
  ASSERT_TRUE(one.commit(step_of(1, 7)));
  one.settle();
  EXPECT_FALSE(one.lose_power(draws));
  EXPECT_EQ(one.durable().meta, bytes{7});
  EXPECT_EQ(one.durable().rows.size(), 1U);
  EXPECT_EQ(one.durable().log.size(), 1U);
}

TEST(disk, an_unsettled_step_is_there_as_a_whole_or_not_at_all) {
  std::set<bool> seen;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    disk one;
    prng draws{seed};
    ASSERT_TRUE(one.commit(step_of(1, 7)));
    const bool survived = one.lose_power(draws);
    EXPECT_EQ(one.durable().rows.size(), survived ? 1U : 0U);
    EXPECT_EQ(one.durable().log.size(), survived ? 1U : 0U);
    EXPECT_EQ(one.durable().meta.empty(), !survived);
    seen.insert(survived);
  }
  EXPECT_EQ(seen.size(), 2U) << "both outcomes must come up";
}

TEST(disk, a_full_disk_refuses_a_step_and_keeps_what_it_has) {
  disk one;
  ASSERT_TRUE(one.commit(step_of(1, 7)));
  one.settle();
  one.set_trouble(disk::trouble::full);
  const auto refused = one.commit(step_of(2, 8));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, errc::storage_full);
  EXPECT_FALSE(one.unsettled());
  EXPECT_EQ(one.durable().meta, bytes{7});
}

TEST(disk, a_replacement_is_nothing_until_it_is_swapped_in) {
  disk one;
  prng draws{1};
  ASSERT_TRUE(one.commit(step_of(1, 7)));
  one.settle();
  ASSERT_TRUE(one.commit(replacement_of(50, true)));
  EXPECT_FALSE(one.lose_power(draws));
  EXPECT_TRUE(one.durable().rows.contains({1, 1}));

  ASSERT_TRUE(one.commit(replacement_of(50, true)));
  replication::commit swap = replacement_of(51, false);
  swap.what = kind::replacement_swap;
  swap.meta = {8};
  ASSERT_TRUE(one.commit(std::move(swap)));
  one.settle();
  EXPECT_EQ(one.durable().rows.size(), 2U);
  EXPECT_TRUE(one.durable().log.empty());
  EXPECT_EQ(one.durable().meta, bytes{8});
  EXPECT_EQ(one.broken_contract(), "");
}

TEST(disk, a_gap_in_the_log_breaks_the_contract) {
  disk one;
  ASSERT_TRUE(one.commit(step_of(1, 7)));
  one.settle();
  ASSERT_TRUE(one.commit(step_of(3, 8)));
  EXPECT_NE(one.broken_contract(), "");
}

TEST(disk, the_digest_of_rows_follows_writes_overwrites_and_erasures) {
  disk_image one;
  disk_image other;
  one.write({1, 1, bytes{1}});
  one.write({1, 2, bytes{2}});
  one.write({1, 1, bytes{3}});
  one.write({1, 2, std::nullopt});
  one.write({1, 9, std::nullopt});
  other.write({1, 1, bytes{3}});
  EXPECT_EQ(one.rows_digest, other.rows_digest);
  other.write({1, 1, std::nullopt});
  EXPECT_EQ(other.rows_digest, 0U);
}

}  // namespace
}  // namespace muster::sim::replicas
