#include "sim/peers/run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "sim/batch.hpp"
#include "sim/peers/checker.hpp"

namespace muster::sim::peers {
namespace {

TEST(simulation_of_peers, the_same_seed_gives_the_same_trace) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const auto once = run_seed(seed, {});
    const auto again = run_seed(seed, {});
    EXPECT_EQ(once.trace_hash, again.trace_hash) << "seed " << seed;
    EXPECT_EQ(once.events, again.events) << "seed " << seed;
  }
}

TEST(simulation_of_peers, another_seed_gives_another_trace) {
  std::set<std::uint64_t> traces;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) traces.insert(run_seed(seed, {}).trace_hash);
  EXPECT_EQ(traces.size(), 6U);
}

TEST(simulation_of_peers, subscribers_are_told_much_in_spite_of_all_troubles) {
  std::uint64_t told = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) told += run_seed(seed, {}).achieved;
  EXPECT_GT(told, 200U) << "a simulation in which nothing happens proves nothing";
}

TEST(simulation_of_peers, comes_across_all_that_may_happen) {
  std::vector<std::uint64_t> seen(checker::happenings);
  for (std::uint64_t seed = 1; seed <= 300 && std::ranges::count(seen, 0U) != 0; ++seed) {
    const auto out = run_seed(seed, {});
    for (std::size_t kind = 0; kind < seen.size(); ++kind) seen[kind] += out.events_of_kind[kind];
  }
  for (std::size_t kind = 0; kind < seen.size(); ++kind) {
    EXPECT_GT(seen[kind], 0U) << to_string(static_cast<checker::happening>(kind));
  }
}

/// Proof that the checker bites: a defect outside the cores must be found within so many seeds.
class sabotaged_simulation_of_peers : public testing::TestWithParam<sabotage> {};

TEST_P(sabotaged_simulation_of_peers, is_found_out) {
  const auto out = run_batch({.first = 1, .seeds = 200, .jobs = 2, .run = [](std::uint64_t seed) {
                                return run_seed(seed, {.defect = GetParam()});
                              }});
  ASSERT_FALSE(out.failures.empty()) << out.seeds_run << " seeds ran and none found it";
  RecordProperty("seeds", static_cast<int>(out.seeds_run));
  RecordProperty("found", out.failures.front().what);
}

std::vector<sabotage> every_sabotage() {
  std::vector<sabotage> out;
  for (std::size_t i = 1; i < sabotages; ++i) out.push_back(static_cast<sabotage>(i));
  return out;
}

INSTANTIATE_TEST_SUITE_P(every_kind, sabotaged_simulation_of_peers, testing::ValuesIn(every_sabotage()),
                         [](const auto& one) { return std::string{to_string(one.param)}; });

}  // namespace
}  // namespace muster::sim::peers
