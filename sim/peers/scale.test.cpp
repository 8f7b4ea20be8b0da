#include "sim/peers/scale.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace muster::sim::peers {
namespace {

TEST(scale_run, spreads_all_that_happens_to_all_and_alarms_nobody) {
  const scale_report out = run_scale({.nodes = 60, .seed = 3});
  EXPECT_EQ(out.nodes, 60U);
  ASSERT_EQ(out.phases.size(), 6U);
  for (const scale_phase& one : out.phases) {
    EXPECT_TRUE(one.is_whole) << one.what;
    EXPECT_GT(one.frames, 0U) << one.what;
    EXPECT_EQ(one.false_alarms, 0U) << one.what;
    EXPECT_TRUE(std::ranges::is_sorted(one.spread, {}, &spread_point::share)) << one.what;
    EXPECT_EQ(one.spreads, !one.spread.empty()) << one.what;
  }
}

TEST(scale_run, of_the_same_seed_gives_the_same_figures) {
  const auto traffic_of = [](const scale_report& of) {
    std::vector<std::uint64_t> out{of.events};
    for (const scale_phase& one : of.phases) out.insert(out.end(), {one.frames, one.bytes, one.bytes_of_busiest});
    return out;
  };
  EXPECT_EQ(traffic_of(run_scale({.nodes = 30})), traffic_of(run_scale({.nodes = 30})));
}

TEST(scale_run, is_shown_as_a_table_and_a_picture) {
  const scale_report out = run_scale({.nodes = 20});
  EXPECT_NE(table_of(out).find("| one registers |"), std::string::npos);
  EXPECT_NE(picture_of({out}).find("one joins of 20 nodes"), std::string::npos);
}

}  // namespace
}  // namespace muster::sim::peers
