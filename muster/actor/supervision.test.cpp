#include "muster/actor/supervision.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "muster/actor/test_system.hpp"

namespace muster::testing {
namespace {

using namespace std::chrono_literals;

/// What the instances of one actor did, for the test to look at.
struct story {
  int made{0};
  int destroyed{0};
  int stopped{0};
  int fail_starts{0};  ///< so many instances to come fail as they start
  std::vector<int> handled{};
};

/// Handles numbers; fails on one below zero.
class fragile : public actor<int> {
 public:
  explicit fragile(story& in) : in_{in} { ++in_.made; }
  ~fragile() override { ++in_.destroyed; }
  void on_start(context&) override {
    if (in_.fail_starts > 0) {
      --in_.fail_starts;
      throw std::runtime_error{"no start"};
    }
  }
  void receive(context&, int message) override {
    if (message < 0) throw std::runtime_error{fmt::format("cannot take {}", message)};
    in_.handled.push_back(message);
  }
  void on_stop(context&) override { ++in_.stopped; }

 private:
  story& in_;
};

spawn_options restarting(std::size_t restarts_max = 10, duration backoff = 0s) {
  return {.name = "fragile",
          .on_failure = {.on_failure = supervision::action::restart,
                         .restarts_max = restarts_max,
                         .window = 1min,
                         .backoff = backoff}};
}

TEST(supervision, stops_an_actor_that_fails_and_leaves_the_rest_to_the_dead_letters) {
  test_system t;
  story s;
  const auto ref = t.system.spawn<fragile>("fragile", std::ref(s));
  ref.tell(1);
  ref.tell(-1);
  ref.tell(2);
  t.run();
  EXPECT_EQ(s.handled, std::vector{1});
  EXPECT_EQ(s.stopped, 1);
  EXPECT_EQ(s.destroyed, 1);
  EXPECT_TRUE(ref.is_stopped());
  EXPECT_EQ(t.system.dead_letters().count(dead_letter_reason::stopped), 1U);
}

TEST(supervision, logs_a_failure_with_path_type_cause_and_consequence) {
  test_system t;
  story s;
  t.system.spawn<fragile>("fragile", std::ref(s)).tell(-7);
  t.run();
  EXPECT_EQ(t.log.values("actor_failed", "actor"), std::vector<std::string>{"test/user/fragile#1"});
  EXPECT_EQ(t.log.values("actor_failed", "cause"), std::vector<std::string>{"cannot take -7"});
  EXPECT_EQ(t.log.values("actor_failed", "then"), std::vector<std::string>{"stop"});
  EXPECT_NE(t.log.values("actor_failed", "type").at(0).find("fragile"), std::string::npos);
  EXPECT_EQ(t.log.values("actor_failed", "doing"), std::vector<std::string>{"int"});
}

TEST(supervision, takes_what_is_no_std_exception_as_a_failure_too) {
  test_system t;
  const auto ref = t.system.spawn<int>("odd", [](int message) { throw message; });
  ref.tell(1);
  t.run();
  EXPECT_TRUE(ref.is_stopped());
  EXPECT_EQ(t.log.values("actor_failed", "cause"), std::vector<std::string>{"an exception that is no std::exception"});
}

TEST(supervision, restarts_with_a_new_instance_the_same_ref_and_what_waits) {
  test_system t;
  story s;
  const auto ref = t.system.spawn<fragile>(restarting(), std::ref(s));
  for (const int message : {1, -1, 2, -2, 3}) {
    ref.tell(message);
  }
  t.run();
  EXPECT_EQ(s.handled, (std::vector{1, 2, 3}));
  EXPECT_EQ(s.made, 3);
  EXPECT_EQ(s.destroyed, 2);
  EXPECT_EQ(s.stopped, 0) << "a restart is no stop";
  EXPECT_FALSE(ref.is_stopped());
  EXPECT_EQ(t.system.dead_letters().count(), 0U);
}

TEST(supervision, begins_a_restarted_function_as_it_was_given) {
  test_system t;
  std::vector<int> counts;
  const auto ref = t.system.spawn<int>(restarting(), [&counts, count = 0](int message) mutable {
    counts.push_back(++count);
    if (message < 0) throw std::runtime_error{"enough"};
  });
  for (const int message : {1, 1, -1, 1}) {
    ref.tell(message);
  }
  t.run();
  EXPECT_EQ(counts, (std::vector{1, 2, 3, 1}));
}

TEST(supervision, stops_an_actor_that_fails_too_often_within_the_window) {
  test_system t;
  story s;
  const auto ref = t.system.spawn<fragile>(restarting(2), std::ref(s));
  for (int i = 0; i < 2; ++i) {
    ref.tell(-1);
  }
  t.run();
  EXPECT_FALSE(ref.is_stopped());
  t.advance(1min);
  for (int i = 0; i < 2; ++i) {
    ref.tell(-1);
  }
  t.run();
  EXPECT_FALSE(ref.is_stopped()) << "the first failures are long ago";
  ref.tell(-1);
  t.run();
  EXPECT_TRUE(ref.is_stopped());
  EXPECT_EQ(t.log.values("actor_failed", "then").back(), "stop");
}

TEST(supervision, counts_failures_to_start_and_comes_to_an_end) {
  test_system t;
  story s{.fail_starts = 1000};
  const auto ref = t.system.spawn<fragile>(restarting(3), std::ref(s));
  ref.tell(1);
  t.run();
  EXPECT_EQ(s.made, 4);
  EXPECT_EQ(s.destroyed, 4);
  EXPECT_TRUE(ref.is_stopped());
  EXPECT_EQ(t.system.dead_letters().count(dead_letter_reason::stopped), 1U);
}

TEST(supervision, keeps_messages_and_their_order_during_the_backoff) {
  test_system t;
  story s;
  const auto ref = t.system.spawn<fragile>(restarting(10, 5s), std::ref(s));
  ref.tell(-1);
  ref.tell(1);
  t.run();
  ref.tell(2);
  t.run();
  EXPECT_TRUE(s.handled.empty());
  EXPECT_EQ(s.made, 1);
  t.advance(4s);
  EXPECT_EQ(s.made, 1);
  t.advance(1s);
  EXPECT_EQ(s.made, 2);
  ref.tell(3);
  t.run();
  EXPECT_EQ(s.handled, (std::vector{1, 2, 3}));
}

TEST(supervision, can_stop_an_actor_during_its_backoff) {
  test_system t;
  story s;
  const auto ref = t.system.spawn<fragile>(restarting(10, 5s), std::ref(s));
  ref.tell(-1);
  ref.tell(1);
  t.run();
  t.system.stop(ref);
  t.run();
  EXPECT_TRUE(ref.is_stopped());
  EXPECT_EQ(s.stopped, 0) << "there was no instance to tell";
  t.advance(1min);
  EXPECT_EQ(s.made, 1);
  EXPECT_EQ(t.system.dead_letters().count(dead_letter_reason::stopped), 1U);
}

TEST(supervision, ends_with_an_instance_all_that_it_began) {
  test_system t;
  struct busy : actor<int> {
    explicit busy(std::vector<int>& seen, actor_ref<int> slow) : seen_{seen}, slow_{std::move(slow)} {}
    void on_start(context& self) override {
      self.spawn<int>("child", [](int) {});
      self.watch(slow_, 100);
    }
    void receive(context& self, int message) override {
      seen_.push_back(message);
      if (message != 1) return;
      self.every(1s, 50);
      self.ask<int>(
          slow_, [](const actor_ref<int>&) { return 1; }, 1s, [this](const result<int>&) { seen_.push_back(999); });
      throw std::runtime_error{"now"};
    }
    std::vector<int>& seen_;
    const actor_ref<int> slow_;
  };
  std::vector<int> seen;
  probe<int> slow{t.system};
  const auto ref = t.system.spawn<busy>(restarting(), std::ref(seen), slow.ref());
  ref.tell(1);
  t.run();
  t.advance(10s);
  EXPECT_EQ(seen, std::vector{1}) << "neither timer nor answer of the first instance reaches the second";
  EXPECT_TRUE(t.system.find("/user/fragile/child")) << "the second one has its own child under the same name";
  t.system.stop(slow.ref());
  t.run();
  EXPECT_EQ(seen, (std::vector{1, 100})) << "the second one's watch is its own";
}

TEST(supervision, lets_an_actor_stop_whose_last_function_fails) {
  test_system t;
  struct sore : actor<int> {
    void receive(context&, int) override {}
    void on_stop(context&) override { throw std::runtime_error{"ouch"}; }
  };
  const auto ref = t.system.spawn<sore>("sore");
  t.run();
  t.system.stop(ref);
  t.run();
  EXPECT_TRUE(ref.is_stopped());
  EXPECT_EQ(t.log.values("actor_failed", "cause"), std::vector<std::string>{"ouch"});
}

}  // namespace
}  // namespace muster::testing
