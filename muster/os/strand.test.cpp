#include "muster/os/strand.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <vector>

namespace muster::os {
namespace {

using namespace std::chrono_literals;

/// Far beyond what any wait here takes on a busy machine.
constexpr auto generous = 30s;

/// Occupies the strand until released, so that a test can put things behind it.
class hold {
 public:
  explicit hold(strand& on) {
    std::promise<void> begun;
    auto running = begun.get_future();
    on.post([this, &begun] {
      begun.set_value();
      released_.get_future().wait();
    });
    running.wait();
  }
  void release() { released_.set_value(); }

 private:
  std::promise<void> released_;
};

void wait_until_done(strand& on) {
  std::promise<void> done;
  ASSERT_TRUE(on.post([&done] { done.set_value(); }));
  ASSERT_EQ(done.get_future().wait_for(generous), std::future_status::ready);
}

TEST(task, of_any_size_destroys_what_it_owns_exactly_once) {
  auto counted = std::make_shared<int>(0);
  {
    task small{[counted] { ++*counted; }};
    task large{[counted, padding = std::array<char, 200>{}] { *counted += 1 + padding[0]; }};
    task moved{std::move(large)};
    EXPECT_FALSE(large);  // NOLINT(bugprone-use-after-move): that is what is asked here
    small();
    moved();
    small = std::move(moved);
    small();
    EXPECT_EQ(counted.use_count(), 2);
  }
  EXPECT_EQ(*counted, 3);
  EXPECT_EQ(counted.use_count(), 1);
}

TEST(strand, runs_functions_in_the_order_of_their_posting) {
  strand on{{.name = "order"}};
  std::vector<int> seen;
  for (int i = 0; i < 10000; ++i) {
    ASSERT_TRUE(on.post([&seen, i] { seen.push_back(i); }));
  }
  wait_until_done(on);
  ASSERT_EQ(seen.size(), 10000U);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

TEST(strand, keeps_each_posters_order_among_many) {
  strand on{{.name = "posters"}};
  std::vector<std::vector<int>> seen(4);
  {
    std::vector<std::jthread> posters;
    for (std::size_t poster = 0; poster < seen.size(); ++poster) {
      posters.emplace_back([&on, &seen, poster] {
        for (int i = 0; i < 5000; ++i) {
          on.post([&seen, poster, i] { seen[poster].push_back(i); });
        }
      });
    }
  }
  wait_until_done(on);
  for (const auto& of_one : seen) {
    ASSERT_EQ(of_one.size(), 5000U);
    EXPECT_TRUE(std::is_sorted(of_one.begin(), of_one.end()));
  }
}

TEST(strand, takes_functions_that_can_only_be_moved) {
  strand on{{.name = "moved"}};
  std::promise<int> answer;
  auto seen = answer.get_future();
  ASSERT_TRUE(on.try_post(
      [reply = std::move(answer), owned = std::make_unique<int>(7)]() mutable { reply.set_value(*owned); }));
  ASSERT_EQ(seen.wait_for(generous), std::future_status::ready);
  EXPECT_EQ(seen.get(), 7);
}

TEST(strand, handles_what_came_during_a_turn_in_one_turn) {
  strand on{{.name = "turns"}};
  int turns = 0;
  std::vector<int> turn_of;
  on.at_turn_end([&turns] { ++turns; });
  hold first{on};
  for (int i = 0; i < 100; ++i) {
    on.post([&] { turn_of.push_back(turns); });
  }
  first.release();
  wait_until_done(on);
  ASSERT_EQ(turn_of.size(), 100U);
  EXPECT_EQ(turn_of.front(), 1);
  EXPECT_EQ(turn_of.back(), 1) << "a hundred waiting functions are one turn, so one commit";
}

TEST(strand, ends_long_turns_so_that_timers_get_theirs) {
  strand on{{.name = "fair", .turn_tasks_max = 10}};
  int ran = 0;
  int ran_before_timer = -1;
  hold first{on};
  for (int i = 0; i < 100; ++i) {
    on.post([&ran] { ++ran; });
  }
  on.at(on.now(), [&] { ran_before_timer = ran; });
  first.release();
  wait_until_done(on);
  EXPECT_EQ(ran, 100);
  EXPECT_EQ(ran_before_timer, 0);
}

TEST(strand, refuses_input_when_its_queue_is_full_and_runs_what_it_took) {
  strand on{{.name = "full", .queue_max = 3}};
  int ran = 0;
  hold first{on};
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(on.try_post([&ran] { ++ran; }));
  }
  const auto refused = on.try_post([&ran] { ran += 1000; });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, errc::limit_exceeded);
  EXPECT_EQ(refused.error().message, "3 requests wait for 'full' already, the most that it takes");
  EXPECT_TRUE(on.post([&ran] { ++ran; })) << "consequences of earlier work are not bounded here";
  EXPECT_EQ(on.measure().depth, 4U);
  EXPECT_EQ(on.measure().depth_max_seen, 4U);
  EXPECT_EQ(on.measure().refused, 1U);
  first.release();
  wait_until_done(on);
  EXPECT_EQ(ran, 4);
  EXPECT_EQ(on.measure().depth, 0U);
}

TEST(strand, runs_timers_in_the_order_of_their_instants) {
  strand on{{.name = "timers"}};
  std::vector<int> seen;
  std::promise<void> last;
  const instant base = on.now();
  on.at(base + 30ms, [&] {
    seen.push_back(3);
    last.set_value();
  });
  on.at(base + 10ms, [&] { seen.push_back(1); });
  on.at(base + 20ms, [&] {
    EXPECT_GE(on.now(), base + 20ms);
    seen.push_back(2);
  });
  ASSERT_EQ(last.get_future().wait_for(generous), std::future_status::ready);
  EXPECT_EQ(seen, (std::vector{1, 2, 3}));
}

TEST(strand, is_woken_by_a_timer_earlier_than_the_one_it_sleeps_for) {
  strand on{{.name = "earlier"}};
  on.at(on.now() + 1h, [] {});
  wait_until_done(on);
  std::promise<void> ran;
  on.at(on.now() + 1ms, [&] { ran.set_value(); });
  EXPECT_EQ(ran.get_future().wait_for(generous), std::future_status::ready);
}

TEST(strand, never_runs_a_cancelled_timer) {
  strand on{{.name = "cancel"}};
  bool ran = false;
  bool first_answer = false;
  bool second_answer = true;
  const instant base = on.now();
  hold first{on};
  // Both are due when the turn begins; the earlier one cancels the later one.
  strand::timer victim;
  on.at(base, [&] {
    first_answer = on.cancel(victim);
    second_answer = on.cancel(victim);
  });
  victim = on.at(base + 1ns, [&] { ran = true; });
  first.release();
  wait_until_done(on);
  EXPECT_TRUE(first_answer);
  EXPECT_FALSE(second_answer);
  EXPECT_FALSE(ran);
  EXPECT_FALSE(on.cancel(strand::timer{}));
}

TEST(strand, lets_a_timer_set_the_next_one_without_starving_the_queue) {
  strand on{{.name = "again"}};
  std::promise<void> stopped;
  int ticks = 0;
  std::function<void()> tick = [&] {
    if (++ticks < 100) {
      on.at(on.now(), [&] { tick(); });
    } else {
      stopped.set_value();
    }
  };
  on.at(on.now(), [&] { tick(); });
  wait_until_done(on);
  EXPECT_EQ(stopped.get_future().wait_for(generous), std::future_status::ready);
}

TEST(strand, ends_a_turn_at_the_instant_asked_for_and_not_again) {
  strand on{{.name = "wake"}};
  std::promise<instant> woken;
  int turns_since_asked = -1;
  instant asked;
  on.at_turn_end([&] {
    if (turns_since_asked >= 0 && ++turns_since_asked == 1) {
      // The end of the turn that asked.
    } else if (turns_since_asked == 2) {
      woken.set_value(on.now());
    }
  });
  on.post([&] {
    turns_since_asked = 0;
    asked = on.now() + 5ms;
    on.wake_at(on.now() + 1h);
    on.wake_at(asked);
  });
  auto seen = woken.get_future();
  ASSERT_EQ(seen.wait_for(generous), std::future_status::ready);
  EXPECT_GE(seen.get(), asked);
  wait_until_done(on);
  EXPECT_EQ(on.measure().turns, 3U);
}

TEST(strand, runs_what_waits_before_it_stops_and_takes_no_more) {
  auto owned_by_timer = std::make_shared<int>(0);
  strand on{{.name = "stop"}};
  int ran = 0;
  int turn_ends = 0;
  on.at_turn_end([&turn_ends] { ++turn_ends; });
  {
    hold first{on};
    for (int i = 0; i < 100; ++i) {
      on.post([&ran] { ++ran; });
    }
    on.at(on.now() + 1h, [owned_by_timer] { ++*owned_by_timer; });
    first.release();
    on.stop();
  }
  EXPECT_EQ(ran, 100);
  EXPECT_GE(turn_ends, 1);
  EXPECT_EQ(owned_by_timer.use_count(), 1);
  EXPECT_FALSE(on.post([&ran] { ++ran; }));
  const auto refused = on.try_post([&ran] { ++ran; });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, errc::unavailable);
  on.stop();
  EXPECT_EQ(ran, 100);
}

TEST(strand, knows_its_own_thread) {
  strand on{{.name = "self"}};
  std::promise<bool> inside;
  EXPECT_FALSE(on.on_this_thread());
  on.post([&] { inside.set_value(on.on_this_thread()); });
  EXPECT_TRUE(inside.get_future().get());
}

}  // namespace
}  // namespace muster::os
