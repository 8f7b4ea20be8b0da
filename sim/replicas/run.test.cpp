#include "sim/replicas/run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "muster/replication/ready.hpp"
#include "sim/batch.hpp"

namespace muster::sim::replicas {
namespace {

TEST(simulation, the_same_seed_gives_the_same_trace) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const auto once = run_seed(seed, {});
    const auto again = run_seed(seed, {});
    EXPECT_EQ(once.trace_hash, again.trace_hash) << "seed " << seed;
    EXPECT_EQ(once.events, again.events) << "seed " << seed;
  }
}

TEST(simulation, another_seed_gives_another_trace) {
  std::set<std::uint64_t> traces;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) traces.insert(run_seed(seed, {}).trace_hash);
  EXPECT_EQ(traces.size(), 8U);
}

TEST(simulation, most_seeds_get_changes_through_in_spite_of_all_troubles) {
  std::uint64_t answered = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) answered += run_seed(seed, {}).achieved;
  EXPECT_GT(answered, 500U) << "a simulation in which nothing happens proves nothing";
}

TEST(simulation, every_event_of_the_core_comes_up) {
  std::vector<std::uint64_t> seen(static_cast<std::size_t>(replication::event_kind::storage_failed) + 1);
  // The rarest of them comes up once in some hundred seeds.
  for (std::uint64_t seed = 1; seed <= 2000 && std::ranges::count(seen, 0U) != 0; ++seed) {
    const auto out = run_seed(seed, {});
    for (std::size_t kind = 0; kind < out.events_of_kind.size(); ++kind) seen.at(kind) += out.events_of_kind[kind];
  }
  for (std::size_t kind = 0; kind < seen.size(); ++kind) {
    EXPECT_GT(seen[kind], 0U) << to_string(static_cast<replication::event_kind>(kind));
  }
}

/// Proof that the checker bites: a defect outside the core must be found within so many seeds.
class sabotaged_simulation : public testing::TestWithParam<sabotage> {};

TEST_P(sabotaged_simulation, is_found_out) {
  const auto out = run_batch({.first = 1, .seeds = 300, .jobs = 2, .run = [](std::uint64_t seed) {
                                return run_seed(seed, {.defect = GetParam()});
                              }});
  ASSERT_FALSE(out.failures.empty()) << out.seeds_run << " seeds ran and none found it";
  RecordProperty("seeds", static_cast<int>(out.seeds_run));
  RecordProperty("found", out.failures.front().what);
}

INSTANTIATE_TEST_SUITE_P(every_kind, sabotaged_simulation,
                         testing::Values(sabotage::answers_before_durable, sabotage::acknowledges_unread,
                                         sabotage::forgets_erasures, sabotage::slave_skips_changes,
                                         sabotage::tears_commits, sabotage::tail_is_not_written,
                                         sabotage::clones_a_master, sabotage::swallows_heartbeats,
                                         sabotage::loses_completions),
                         [](const auto& one) { return std::string{to_string(one.param)}; });

}  // namespace
}  // namespace muster::sim::replicas
