#include "sim/scheduler.hpp"

#include <gtest/gtest.h>

#include <string>

namespace muster::sim {
namespace {

using std::chrono::milliseconds;

TEST(scheduler, runs_events_by_time_and_equal_times_in_the_order_of_planning) {
  scheduler clock;
  std::string ran;
  clock.after(milliseconds{2}, [&] { ran += 'c'; });
  clock.after(milliseconds{1}, [&] { ran += 'a'; });
  clock.after(milliseconds{1}, [&] { ran += 'b'; });
  while (clock.run_one()) {
  }
  EXPECT_EQ(ran, "abc");
  EXPECT_EQ(clock.now(), instant{} + milliseconds{2});
}

TEST(scheduler, an_event_may_plan_another_and_the_past_means_now) {
  scheduler clock;
  std::string ran;
  clock.after(milliseconds{5}, [&] {
    ran += 'a';
    clock.at(instant{}, [&] { ran += 'b'; });
  });
  clock.after(milliseconds{6}, [&] { ran += 'c'; });
  while (clock.run_one()) {
  }
  EXPECT_EQ(ran, "abc");
  EXPECT_FALSE(clock.run_one());
}

}  // namespace
}  // namespace muster::sim
