// Regressions: each test has the symptom that muster-sim showed in its name.
#include <gtest/gtest.h>

#include "muster/replication/diverged_tail.hpp"
#include "muster/replication/test_cluster.hpp"

namespace muster::replication::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::vector<std::string> long_changes(std::size_t count) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(fmt::format("k{}={}", i, std::string(60, 'v')));
  return out;
}

options with_short_log(options how) {
  how.log_entries_max = 2;
  how.log_bytes_max = 100;
  how.log_bytes_hard_max = 200;
  return how;
}

TEST(found_by_simulation, a_change_was_answered_without_the_slave_that_became_active_during_its_commit) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    cluster grid{seed};
    grid.weather.store_max = milliseconds{60};
    grid.start(cluster::defaults("M", role::master));
    ASSERT_TRUE(grid.run_until([&] { return grid.is("M", phase::serving); }, seconds{5}));
    bool held = true;
    grid.on_answer = [&](cluster::node& at, const completion& done) {
      if (!done.outcome) return;
      for (const auto& slave : at.core->status().slaves) {
        held = held && (!slave.active || grid.at(slave.name).core->history().last >= *done.outcome);
      }
    };
    grid.start(cluster::defaults("A", role::slave));
    for (int i = 0; i < 60 && held; ++i) {
      grid.propose("M", fmt::format("k=v{}", i));
      grid.run(milliseconds{10});
    }
    ASSERT_TRUE(held) << "seed " << seed;
  }
}

TEST(found_by_simulation, barriers_waited_without_bound) {
  cluster grid;
  options master = cluster::defaults("M", role::master);
  master.proposals_max = 4;
  grid.start(master);
  ASSERT_TRUE(grid.run_until([&] { return grid.is("M", phase::serving); }, seconds{5}));
  grid.start(cluster::defaults("A", role::slave));
  ASSERT_TRUE(grid.run_until([&] { return grid.is("A", phase::active); }, seconds{5}));
  grid.pause("A");
  grid.propose("M", "a=1");
  std::vector<std::uint64_t> barriers;
  barriers.reserve(5);
  for (int i = 0; i < 5; ++i) barriers.push_back(grid.barrier("M"));
  EXPECT_EQ(grid.answer("M", barriers[0]), nullptr);
  const auto* last = grid.answer("M", barriers[4]);
  ASSERT_NE(last, nullptr);
  ASSERT_FALSE(*last);
  EXPECT_EQ(last->error().code, errc::limit_exceeded);
}

TEST(found_by_simulation, a_tail_longer_than_the_bound_of_the_log_was_saved_in_part) {
  cluster grid;
  grid.start(with_short_log(cluster::defaults("M", role::master)));
  ASSERT_TRUE(grid.run_until([&] { return grid.is("M", phase::serving); }, seconds{5}));
  grid.start(cluster::defaults("A", role::slave));
  ASSERT_TRUE(grid.run_until([&] { return grid.is("A", phase::active); }, seconds{5}));
  grid.cut("M", "A");
  grid.propose_together("M", long_changes(20));
  grid.run(milliseconds{100});
  grid.crash("M");
  grid.stop("A");
  grid.mend_all();
  grid.start(cluster::defaults("A", role::master));
  ASSERT_TRUE(grid.run_until([&] { return grid.is("A", phase::serving); }, seconds{5}));
  grid.start(with_short_log(cluster::defaults("M", role::slave)));
  ASSERT_TRUE(grid.run_until([&] { return grid.is("M", phase::active); }, seconds{10}));
  ASSERT_EQ(grid.at("M").tails.size(), 1U);
  const auto tail = decode_tail(grid.at("M").tails[0].content);
  ASSERT_TRUE(tail);
  EXPECT_EQ(tail->entries.size(), 20U);
}

TEST(found_by_simulation, a_snapshot_without_all_unacknowledged_changes_was_refused_for_ever) {
  cluster grid;
  grid.start(with_short_log(cluster::defaults("M", role::master)));
  ASSERT_TRUE(grid.run_until([&] { return grid.is("M", phase::serving); }, seconds{5}));
  grid.start(cluster::defaults("A", role::slave));
  ASSERT_TRUE(grid.run_until([&] { return grid.is("A", phase::active); }, seconds{5}));
  grid.cut("M", "A");
  grid.propose_together("M", long_changes(20));
  // The copy begins while the master still waits for A.
  grid.start(cluster::defaults("B", role::slave));
  ASSERT_TRUE(grid.run_until([&] { return grid.at("B").core->history().last == serial{20}; }, seconds{10}));
  EXPECT_FALSE(grid.told("B", event_kind::apply_failed));
}

TEST(found_by_simulation, endpoints_that_changed_while_a_session_was_being_opened_were_never_told) {
  cluster grid;
  grid.start(cluster::defaults("M", role::master));
  ASSERT_TRUE(grid.run_until([&] { return grid.is("M", phase::serving); }, seconds{5}));
  grid.start(cluster::defaults("A", role::slave));
  ASSERT_TRUE(grid.run_until([&] { return grid.is("A", phase::opening); }, seconds{5}));
  grid.at("A").core->handle_endpoints(text("elsewhere"), grid.now());
  const auto told = [&] {
    const auto& known = grid.at("M").replicas.replicas;
    return std::ranges::any_of(known, [](const replica_info& one) { return one.endpoints == text("elsewhere"); });
  };
  EXPECT_TRUE(grid.run_until(told, seconds{10}));
}

}  // namespace
}  // namespace muster::replication::testing
