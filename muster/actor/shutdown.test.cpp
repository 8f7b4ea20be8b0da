#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "muster/actor/test_system.hpp"

namespace muster::testing {
namespace {

using namespace std::chrono_literals;

/// Notes its end, and what it handles.
class noting : public actor<int> {
 public:
  explicit noting(std::vector<std::string>& in) : in_{in} {}
  void receive(context& self, int message) override { in_.push_back(fmt::format("{}: {}", self.path(), message)); }
  void on_stop(context& self) override { in_.push_back(self.path()); }

 private:
  std::vector<std::string>& in_;
};

TEST(shutdown, drains_the_users_actors_then_stops_the_systems_own_the_newest_first) {
  std::vector<std::string> order;
  test_system t;
  t.system.spawn_system<noting>("cluster", std::ref(order));
  t.system.spawn_system<noting>("cluster/receptionist", std::ref(order));
  const auto api = t.system.spawn<noting>("api", std::ref(order));
  api.tell(1);
  api.tell(2);
  EXPECT_TRUE(t.system.shutdown(1s));
  EXPECT_EQ(order, (std::vector<std::string>{"/user/api: 1", "/user/api: 2", "/user/api",
                                             "/system/cluster/receptionist", "/system/cluster"}));
  EXPECT_TRUE(t.system.has_stopped());
  EXPECT_EQ(t.system.actor_count(), 0U);
  EXPECT_EQ(t.executor->now(), instant{}) << "nothing had to be waited for";
}

TEST(shutdown, of_an_empty_system_ends_at_once_and_may_be_repeated) {
  test_system t;
  EXPECT_TRUE(t.system.shutdown(1s));
  EXPECT_TRUE(t.system.shutdown(1s));
}

TEST(shutdown, takes_no_more_actors_but_lets_those_that_live_have_children) {
  std::vector<std::string> order;
  test_system t;
  const auto parent = t.system.spawn<int>("parent", [&order](actor_context<int>& self, int) {
    order.emplace_back(self.try_spawn<noting>("child", std::ref(order)) ? "made" : "refused");
  });
  parent.tell(1);
  t.system.begin_shutdown();
  const auto late = t.system.try_spawn<int>("late", [](int) {});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, errc::unavailable);
  EXPECT_EQ(late.error().message, "the actor system 'test' is stopping and takes no more actors");
  t.run();
  EXPECT_TRUE(t.system.has_stopped());
  EXPECT_EQ(order, (std::vector<std::string>{"made", "/user/parent/child"}));
}

TEST(shutdown, drops_what_waits_when_the_time_for_draining_is_over) {
  test_system t;
  int handled = 0;
  const auto slow = t.system.spawn<int>({.name = "slow", .batch_max = 1}, [&](int) {
    ++handled;
    (void)t.executor->run_until([] { return false; }, t.executor->now() + 1s);
  });
  for (int i = 0; i < 100; ++i) {
    slow.tell(i);
  }
  EXPECT_TRUE(t.system.shutdown(10s));
  EXPECT_GE(handled, 9);
  EXPECT_LE(handled, 11);
  EXPECT_EQ(t.system.dead_letters().count(dead_letter_reason::stopped), 100U - static_cast<std::size_t>(handled));
}

TEST(shutdown, stops_the_systems_own_although_an_actor_of_a_user_is_busy_until_the_end) {
  std::vector<std::string> order;
  test_system t;
  t.system.spawn_system<noting>("cluster", std::ref(order));
  t.system.spawn_system<noting>("cluster/receptionist", std::ref(order));
  t.system.spawn<noting>("api", std::ref(order));
  result<void> outcome;
  // All of it happens while this one is busy.
  t.system.spawn<int>("busy", [&](int) { outcome = t.system.shutdown(20s); }).tell(1);
  t.run();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "of the actors of 'test' 1 did not stop within 20000 ms: /user/busy");
  EXPECT_EQ(order, (std::vector<std::string>{"/user/api", "/system/cluster/receptionist", "/system/cluster"}));
}

TEST(shutdown, does_not_wait_for_timers_or_backoffs) {
  test_system t;
  const auto restarting = t.system.spawn<int>(
      {.name = "resting", .on_failure = {.on_failure = supervision::action::restart, .backoff = 1h}},
      [](int) { throw std::runtime_error{"rest"}; });
  restarting.tell(1);
  restarting.tell(2);
  t.system.spawn<int>("timed", [](actor_context<int>& self, int) { self.every(1h, 1); }).tell(1);
  t.run();
  EXPECT_TRUE(t.system.shutdown(1s));
  EXPECT_EQ(t.system.dead_letters().count(dead_letter_reason::stopped), 1U);
}

TEST(shutdown, happens_with_the_systems_end) {
  std::vector<std::string> order;
  {
    test_system t;
    t.system.spawn<noting>("api", std::ref(order)).tell(1);
  }
  EXPECT_EQ(order, (std::vector<std::string>{"/user/api: 1", "/user/api"}));
}

TEST(shutdown, uses_the_log_no_more_afterwards) {
  actor_ref<int> kept;
  test_system t;
  kept = t.system.spawn<int>("kept", [](int) {});
  EXPECT_TRUE(t.system.shutdown(1s));
  const auto lines = t.log.events.size();
  kept.tell(1);
  t.system.write(event{severity::info, "late"});
  EXPECT_EQ(t.log.events.size(), lines);
  EXPECT_EQ(t.system.dead_letters().count(), 1U);
}

}  // namespace
}  // namespace muster::testing
