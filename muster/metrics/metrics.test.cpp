#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "muster/metrics/metrics_reference.hpp"
#include "muster/metrics/registry_metrics.hpp"

namespace muster::metrics {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(counter, adds_up_what_several_threads_counted) {
  counter count;
  std::vector<std::thread> threads;
  for (int i = 0; i < 12; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 10'000; ++n) count.add();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count.value(), 120'000U);
}

TEST(gauge, shows_the_largest_level_instead_of_a_negative_one) {
  gauge level;
  level.set_count(~std::uint64_t{0});
  EXPECT_EQ(level.value(), std::numeric_limits<std::int64_t>::max());
}

TEST(histogram, counts_an_amount_in_the_first_bucket_that_holds_it) {
  histogram sizes{{1, 10, 100}};
  for (const std::uint64_t amount : {1U, 2U, 10U, 11U, 100U, 101U}) sizes.observe(amount);
  const histogram::snapshot now = sizes.read();
  EXPECT_EQ(now.cumulative, (std::vector<std::uint64_t>{1, 3, 5, 6}));
  EXPECT_EQ(now.sum, 225U);
}

TEST(histogram, takes_a_negative_duration_for_none) {
  histogram latency{{1000}};
  latency.observe(duration{-5});
  EXPECT_EQ(latency.read().cumulative, (std::vector<std::uint64_t>{1, 1}));
  EXPECT_EQ(latency.read().sum, 0U);
}

TEST(registry_metrics, tell_apart_what_was_asked_and_what_was_known) {
  registry_metrics metrics;
  metrics.locates[locate_kind::adapter][locate_outcome::found].add(3);
  metrics.locates[locate_kind::object][locate_outcome::unknown].add();
  const std::string text = to_prometheus_text(metrics, "1.2.3");
  EXPECT_THAT(text, HasSubstr("muster_locates_total{kind=\"adapter\",outcome=\"found\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("muster_locates_total{kind=\"object\",outcome=\"unknown\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("muster_locates_total{kind=\"replica_group\",outcome=\"found\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("muster_build_info{version=\"1.2.3\"} 1\n"));
}

TEST(registry_metrics, count_refusals_by_each_reason_there_is) {
  registry_metrics metrics;
  metrics.changes_refused[errc::storage_full].add();
  metrics.changes_refused[errc::unsupported].add(2);
  const std::string text = to_prometheus_text(metrics, "x");
  EXPECT_THAT(text, HasSubstr("muster_changes_refused_total{reason=\"storage_full\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("muster_changes_refused_total{reason=\"unsupported\"} 2\n"));
  EXPECT_THAT(text, Not(HasSubstr("reason=\"unknown\"")));
}

TEST(registry_metrics, show_commit_latency_in_seconds) {
  registry_metrics metrics;
  metrics.commit_latency.observe(std::chrono::microseconds{120});
  const std::string text = to_prometheus_text(metrics, "x");
  EXPECT_THAT(text, HasSubstr("# TYPE muster_commit_seconds histogram"));
  EXPECT_THAT(text, HasSubstr("muster_commit_seconds_bucket{le=\"0.0001\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("muster_commit_seconds_bucket{le=\"0.00025\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("muster_commit_seconds_bucket{le=\"+Inf\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("muster_commit_seconds_count 1\n"));
}

TEST(registry_metrics, show_a_slave_only_while_it_has_a_session) {
  registry_metrics metrics;
  metrics.set_slave("Replica \"1\"", 17, true);
  EXPECT_THAT(to_prometheus_text(metrics, "x"),
              HasSubstr("muster_slave_lag_changes{slave=\"Replica \\\"1\\\"\"} 17\n"));
  EXPECT_THAT(to_prometheus_text(metrics, "x"), HasSubstr("muster_slave_active{slave=\"Replica \\\"1\\\"\"} 1\n"));
  metrics.remove_slave("Replica \"1\"");
  EXPECT_THAT(to_prometheus_text(metrics, "x"), Not(HasSubstr("{slave=")));
}

TEST(registry_metrics, show_one_for_the_role_that_the_replica_has) {
  registry_metrics metrics;
  metrics.set_role(replica_role::slave);
  const std::string text = to_prometheus_text(metrics, "x");
  EXPECT_THAT(text, HasSubstr("muster_replica_role{role=\"slave\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("muster_replica_role{role=\"master\"} 0\n"));
}

TEST(metrics_reference, is_what_the_documentation_holds) {
  const std::string path = MUSTER_DOCS "/metrics.md";
  if (std::getenv("MUSTER_REWRITE_EXPECTED") != nullptr) std::ofstream{path} << metrics_reference();
  std::stringstream text;
  text << std::ifstream{path}.rdbuf();
  EXPECT_EQ(text.str(), metrics_reference()) << "run this test with MUSTER_REWRITE_EXPECTED=1 to rewrite it";
}

}  // namespace
}  // namespace muster::metrics
