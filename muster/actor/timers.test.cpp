#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "muster/actor/test_system.hpp"

namespace muster::testing {
namespace {

using namespace std::chrono_literals;
using context = actor_context<int>;

/// An actor whose reaction to its first message the test gives; the others, timers' ones, it notes.
class timers : public ::testing::Test {
 protected:
  static constexpr int go = 0;

  actor_ref<int> start(std::function<void(context&)> first, std::function<void(context&, int)> then = {}) {
    const auto ref = t_.system.spawn<int>("timed", [this, first, then](context& self, int message) {
      if (message == go) return first(self);
      seen_.push_back(message);
      if (then) then(self, message);
    });
    ref.tell(go);
    t_.run();
    return ref;
  }

  std::vector<int> seen_;
  test_system t_;
};

TEST_F(timers, go_off_once_when_they_are_due) {
  start([](context& self) { self.after(2s, 7); });
  t_.advance(1999ms);
  EXPECT_TRUE(seen_.empty());
  t_.advance(1ms);
  EXPECT_EQ(seen_, std::vector{7});
  t_.advance(1h);
  EXPECT_EQ(seen_.size(), 1U);
}

TEST_F(timers, go_off_in_the_order_of_their_times_then_of_their_setting) {
  start([](context& self) {
    self.after(2s, 3);
    self.after(1s, 1);
    self.after(1s, 2);
    self.after(-1s, 10);
  });
  t_.advance(3s);
  EXPECT_EQ(seen_, (std::vector{10, 1, 2, 3}));
}

TEST_F(timers, that_repeat_go_off_after_each_period_until_cancelled) {
  timer_id ticking;
  start([&](context& self) { ticking = self.every(1s, 5); },
        [&](context& self, int) {
          if (seen_.size() < 3) return;
          EXPECT_TRUE(self.cancel(ticking));
        });
  t_.advance(10s);
  EXPECT_EQ(seen_, (std::vector{5, 5, 5}));
}

TEST_F(timers, that_repeat_leave_out_ticks_that_nobody_had_time_for) {
  start([&](context& self) { self.every(1s, 5); },
        [&](context&, int) {
          // The actor is busy for three and a half periods.
          if (seen_.size() == 1) (void)t_.executor->run_until([] { return false; }, t_.executor->now() + 3500ms);
        });
  t_.advance(1s);
  EXPECT_EQ(t_.executor->now().time_since_epoch(), 4500ms);
  EXPECT_EQ(seen_.size(), 1U + 1U) << "the ticks at 2, 3 and 4 s are one";
  t_.advance(500ms);
  EXPECT_EQ(seen_.size(), 3U) << "the rhythm is kept";
}

TEST_F(timers, that_are_cancelled_never_come_even_when_they_were_due) {
  timer_id other;
  start(
      [&](context& self) {
        self.after(1s, 1);
        other = self.after(1s, 2);
      },
      [&](context& self, int) { EXPECT_TRUE(self.cancel(other)); });
  t_.advance(2s);
  EXPECT_EQ(seen_, std::vector{1});
}

TEST_F(timers, that_have_gone_off_cannot_be_cancelled) {
  timer_id once;
  start([&](context& self) { once = self.after(1s, 1); },
        [&](context& self, int) {
          EXPECT_FALSE(self.cancel(once));
          EXPECT_FALSE(self.cancel(timer_id{}));
        });
  t_.advance(1s);
  EXPECT_EQ(seen_, std::vector{1});
}

TEST_F(timers, end_with_their_actor) {
  const auto ref = start([](context& self) {
    self.after(1s, 1);
    self.every(1s, 2);
    self.after(duration::max(), 3);
    self.stop();
  });
  t_.advance(1h);
  EXPECT_TRUE(seen_.empty());
  EXPECT_EQ(t_.system.dead_letters().count(), 0U);
}

TEST_F(timers, reach_an_actor_whose_mailbox_is_full) {
  std::vector<int> seen;
  const auto ref = t_.system.spawn<int>({.name = "full", .mailbox = {.capacity = 1}}, [&](context& self, int message) {
    if (message == go) self.after(1s, 7);
    seen.push_back(message);
  });
  ref.tell(go);
  t_.run();
  ref.tell(1);
  ref.tell(2);
  t_.advance(1s);
  EXPECT_EQ(seen, (std::vector{go, 1, 7}));
}

}  // namespace
}  // namespace muster::testing
