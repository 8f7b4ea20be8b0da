#include "muster/os/actor_pool.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "muster/actor/actor_system.hpp"

namespace muster::os {
namespace {

using namespace std::chrono_literals;

/// Far beyond what any wait here takes on a busy machine.
constexpr auto generous = 30s;

std::shared_ptr<actor_pool> pool_of(std::size_t threads) { return actor_pool::make({.threads = threads}).value(); }

struct request {
  int number{0};
  actor_ref<int> reply_to;
};

TEST(actor_pool, refuses_more_threads_than_make_sense) {
  const auto made = actor_pool::make({.threads = 5000});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, "an actor pool has at most 1024 threads, not 5000");
  EXPECT_GE(actor_pool::make({}).value()->threads(), 1U);
}

TEST(actor_pool, answers_who_asks_from_outside) {
  actor_system system{"pool", {.runs_on = pool_of(2)}};
  const auto doubler =
      system.spawn<request>("doubler", [](const request& asked) { asked.reply_to.tell(asked.number * 2); });
  auto answer = system.ask<int>(
      doubler,
      [](actor_ref<int> to) {
        return request{21, std::move(to)};
      },
      generous);
  ASSERT_EQ(answer.wait_for(generous), std::future_status::ready);
  EXPECT_EQ(answer.get().value(), 42);
}

struct some_turn final : runnable {
  some_turn(bool brief, std::function<void()> does) : is_brief_{brief}, does_{std::move(does)} {}
  void run() noexcept override { does_(); }
  [[nodiscard]] bool is_brief() const noexcept override { return is_brief_; }

  const bool is_brief_;
  const std::function<void()> does_;
};

TEST(actor_pool, lets_the_first_turn_that_a_brief_one_asks_for_follow_on_its_thread) {
  const auto pool = pool_of(4);
  std::thread::id brief_on;
  std::promise<std::thread::id> first_on;
  std::promise<void> second_done;
  some_turn first{false, [&] { first_on.set_value(std::this_thread::get_id()); }};
  some_turn second{false, [&] { second_done.set_value(); }};
  some_turn brief{true, [&] {
                    brief_on = std::this_thread::get_id();
                    pool->execute(first);
                    pool->execute(second);
                    // The second is another thread's, at once: this one is not done yet.
                    EXPECT_EQ(second_done.get_future().wait_for(generous), std::future_status::ready);
                  }};
  pool->execute(brief);
  EXPECT_EQ(first_on.get_future().get(), brief_on);
}

TEST(actor_pool, keeps_nobody_waiting_for_a_brief_turn_that_goes_on) {
  const auto pool = pool_of(2);
  std::promise<void> told_done;
  some_turn told{false, [&] { told_done.set_value(); }};
  std::promise<bool> was_done_meanwhile;
  some_turn brief{
      true, [&] {
        pool->execute(told);
        pool->hand_over();
        was_done_meanwhile.set_value(told_done.get_future().wait_for(generous) == std::future_status::ready);
      }};
  pool->execute(brief);
  EXPECT_TRUE(was_done_meanwhile.get_future().get());
}

TEST(actor_pool, tells_others_at_once_when_a_brief_actor_has_more_to_handle) {
  actor_system system{"pool", {.runs_on = pool_of(2)}};
  std::promise<void> told_done;
  const auto told = system.spawn<int>("told", [&](int) { told_done.set_value(); });
  std::promise<bool> was_done_meanwhile;
  const auto brief = system.spawn<int>(spawn_options{.name = "brief", .is_brief = true}, [&](auto& self, int number) {
    if (number == 1) {
      told.tell(1);
      self.self().tell(2);
    } else {
      was_done_meanwhile.set_value(told_done.get_future().wait_for(generous) == std::future_status::ready);
    }
  });
  brief.tell(1);
  EXPECT_TRUE(was_done_meanwhile.get_future().get());
}

TEST(actor_pool, lets_others_have_their_turn_when_brief_ones_ask_for_each_other_without_end) {
  const auto pool = pool_of(1);
  std::atomic<bool> has_come{false};
  std::promise<void> ended;
  some_turn* back = nullptr;
  some_turn there{true, [&] { has_come.load() ? ended.set_value() : pool->execute(*back); }};
  some_turn here{true, [&] { pool->execute(there); }};
  back = &here;
  some_turn other{false, [&] { has_come = true; }};
  pool->execute(here);
  pool->execute(other);
  EXPECT_EQ(ended.get_future().wait_for(generous), std::future_status::ready);
}

// --- on the threads of tellers ---

/// What a teller may handle; says who does.
struct light {
  static constexpr bool teller_may_handle = true;
  std::promise<std::thread::id>* handled_on;
};
/// What it may not.
struct heavy {
  std::promise<std::thread::id>* handled_on;
};
/// One of many.
struct numbered {
  static constexpr bool teller_may_handle = true;
  int sender;
  int number;
};
using light_or_heavy = std::variant<light, heavy>;

constexpr spawn_options brief{.name = {}, .is_brief = true};

/// A thread that has told nobody anything yet tells it; whether it then has the message handled itself, at once.
template <typename Message>
bool handles_itself(const actor_ref<Message>& whom) {
  std::promise<std::thread::id> handled_on;
  auto seen = handled_on.get_future();
  std::thread::id told_on;
  std::jthread{[&] {
    told_on = std::this_thread::get_id();
    whom.tell(Message{&handled_on});
  }}.join();
  EXPECT_EQ(seen.wait_for(generous), std::future_status::ready);
  return seen.get() == told_on;
}

/// Likewise, of an actor that may not have come to rest since its start.
template <typename Message>
bool handles_itself_in_the_end(const actor_ref<Message>& whom) {
  const auto deadline = std::chrono::steady_clock::now() + generous;
  while (!handles_itself(whom)) {
    if (std::chrono::steady_clock::now() > deadline) return false;
  }
  return true;
}

auto says_who = [](const auto& what) { what.handled_on->set_value(std::this_thread::get_id()); };

TEST(actor_pool, lets_a_brief_actor_of_the_system_handle_a_message_within_the_call_that_tells_it) {
  actor_system system{"pool", {.runs_on = pool_of(2)}};
  EXPECT_TRUE(handles_itself_in_the_end(system.spawn_system<light>(brief, says_who)));
  EXPECT_TRUE(system.shutdown(generous));
}

TEST(actor_pool, keeps_from_the_threads_of_tellers_what_is_not_meant_for_them) {
  constexpr int attempts = 200;
  actor_system system{"pool", {.runs_on = pool_of(2)}};
  actor_system other{"other", {.runs_on = actor_pool::make({.threads = 2, .tellers_help = false}).value()}};
  const auto of_a_user = system.spawn<light>(brief, says_who);
  const auto not_brief = system.spawn_system<light>("long", says_who);
  const auto by_a_heavy_message = system.spawn_system<heavy>(brief, says_who);
  const auto of_another_pool = other.spawn_system<light>(brief, says_who);
  for (int i = 0; i < attempts; ++i) {
    EXPECT_FALSE(handles_itself(of_a_user));
    EXPECT_FALSE(handles_itself(not_brief));
    EXPECT_FALSE(handles_itself(by_a_heavy_message));
    EXPECT_FALSE(handles_itself(of_another_pool));
  }
}

TEST(actor_pool, runs_nobody_of_a_user_on_the_thread_of_who_told_the_system_something) {
  constexpr int attempts = 200;
  actor_system system{"pool", {.runs_on = pool_of(2)}};
  const auto of_a_user = system.spawn<light>(brief, says_who);
  const auto passes_on = system.spawn_system<light>(brief, [of_a_user](const light& what) { of_a_user.tell(what); });
  for (int i = 0; i < attempts; ++i) EXPECT_FALSE(handles_itself(passes_on));
}

TEST(actor_pool, leaves_the_rest_of_a_turn_to_its_own_threads_in_the_order_of_telling) {
  actor_system system{"pool", {.runs_on = pool_of(2)}};
  std::array<std::promise<std::thread::id>, 3> handled_on;
  std::vector<int> order;
  const auto whom = system.spawn_system<light_or_heavy>(brief, [&](auto& self, const light_or_heavy& what) {
    auto* const mine = std::visit([](const auto& one) { return one.handled_on; }, what);
    if (mine == &handled_on[0]) {
      self.self().tell(heavy{&handled_on[1]});
      self.self().tell(light{&handled_on[2]});
    }
    if (mine >= handled_on.data() && mine < handled_on.data() + handled_on.size()) {
      order.push_back(static_cast<int>(mine - handled_on.data()));
    }
    mine->set_value(std::this_thread::get_id());
  });
  ASSERT_TRUE(handles_itself_in_the_end(actor_ref<light>{whom}));
  std::thread::id told_on;
  std::jthread{[&] {
    told_on = std::this_thread::get_id();
    whom.tell(light{handled_on.data()});
  }}.join();
  std::array<std::thread::id, 3> seen;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    auto one = handled_on[i].get_future();
    ASSERT_EQ(one.wait_for(generous), std::future_status::ready);
    seen[i] = one.get();
  }
  EXPECT_EQ(order, (std::vector{0, 1, 2}));
  EXPECT_EQ(seen[0], told_on);
  EXPECT_NE(seen[1], told_on);
  EXPECT_NE(seen[2], told_on);
}

TEST(actor_pool, keeps_order_and_one_turn_at_a_time_when_tellers_help) {
  constexpr int senders = 4;
  constexpr int each = 20'000;
  actor_system system{"pool", {.runs_on = pool_of(2)}};
  std::promise<bool> done;
  auto in_order = done.get_future();
  std::vector<int> next(senders, 0);
  std::atomic<bool> inside{false};
  const auto to = system.spawn_system<numbered>(brief, [&, right = true, seen = 0](const numbered& message) mutable {
    right = right && !inside.exchange(true);
    right = right && next[static_cast<std::size_t>(message.sender)]++ == message.number;
    inside = false;
    if (++seen == senders * each) done.set_value(right);
  });
  {
    std::vector<std::jthread> threads;
    for (int sender = 0; sender < senders; ++sender) {
      threads.emplace_back([&to, sender] {
        for (int i = 0; i < each; ++i) {
          to.tell({sender, i});
          // Long enough to help with the next one, now and then.
          const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds{i % 64 == 0 ? 30 : 0};
          while (std::chrono::steady_clock::now() < until) {
          }
        }
      });
    }
  }
  ASSERT_EQ(in_order.wait_for(generous), std::future_status::ready);
  EXPECT_TRUE(in_order.get());
}

TEST(actor_pool, runs_one_turn_of_an_actor_at_a_time_and_keeps_each_senders_order) {
  constexpr int senders = 4;
  constexpr int each = 20'000;
  struct from {
    int sender;
    int number;
  };
  struct checker : actor<from> {
    checker(std::promise<bool>& done) : done_{done}, next_(senders, 0) {}
    void receive(context&, from message) override {
      if (inside_.exchange(true)) in_order_ = false;
      if (next_[static_cast<std::size_t>(message.sender)]++ != message.number) in_order_ = false;
      if (++seen_ == senders * each) done_.set_value(in_order_);
      inside_ = false;
    }
    std::promise<bool>& done_;
    std::vector<int> next_;
    std::atomic<bool> inside_{false};
    bool in_order_{true};
    int seen_{0};
  };
  actor_system system{"pool", {.runs_on = pool_of(4)}};
  std::promise<bool> done;
  auto in_order = done.get_future();
  const auto to = system.spawn<checker>({.name = "checker", .batch_max = 7}, std::ref(done));
  {
    std::vector<std::jthread> threads;
    for (int sender = 0; sender < senders; ++sender) {
      threads.emplace_back([&to, sender] {
        for (int i = 0; i < each; ++i) {
          to.tell({sender, i});
        }
      });
    }
  }
  ASSERT_EQ(in_order.wait_for(generous), std::future_status::ready);
  EXPECT_TRUE(in_order.get());
}

TEST(actor_pool, brings_one_terminated_to_each_of_many_watchers_that_come_as_the_actor_stops) {
  constexpr int watchers = 200;
  using message = std::variant<int, terminated>;
  actor_system system{"pool", {.runs_on = pool_of(4)}};
  std::atomic<int> heard{0};
  std::promise<void> all;
  const auto victim = system.spawn<int>("victim", [](int) {});
  for (int i = 0; i < watchers; ++i) {
    system
        .spawn<message>("",
                        [&, victim](actor_context<message>& self, const message& what) {
                          if (std::holds_alternative<int>(what)) return self.watch(victim);
                          if (heard.fetch_add(1) + 1 == watchers) all.set_value();
                        })
        .tell(1);
    if (i == watchers / 2) system.stop(victim);
  }
  ASSERT_EQ(all.get_future().wait_for(generous), std::future_status::ready);
  EXPECT_TRUE(system.shutdown(generous));
  EXPECT_EQ(heard.load(), watchers);
}

TEST(actor_pool, lets_timers_go_off_in_real_time) {
  actor_system system{"pool", {.runs_on = pool_of(2)}};
  std::promise<duration> took;
  auto seen = took.get_future();
  system
      .spawn<int>("timed",
                  [&took, begin = instant{}, ticks = 0](actor_context<int>& self, int message) mutable {
                    if (message == 0) {
                      begin = self.now();
                      self.every(5ms, 1);
                    } else if (++ticks == 3) {
                      took.set_value(self.now() - begin);
                      self.stop();
                    }
                  })
      .tell(0);
  ASSERT_EQ(seen.wait_for(generous), std::future_status::ready);
  EXPECT_GE(seen.get(), 15ms);
}

TEST(actor_pool, ends_a_question_in_real_time) {
  actor_system system{"pool", {.runs_on = pool_of(2)}};
  const auto silent = system.spawn<request>("silent", [](const request&) {});
  auto answer = system.ask<int>(
      silent,
      [](actor_ref<int> to) {
        return request{1, std::move(to)};
      },
      10ms);
  ASSERT_EQ(answer.wait_for(generous), std::future_status::ready);
  EXPECT_EQ(answer.get().error().code, errc::timed_out);
}

TEST(actor_pool, gives_a_name_to_one_of_those_who_want_it_at_once) {
  actor_system system{"pool", {.runs_on = pool_of(2)}};
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> got_it{0};
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < 3; ++i) {
        threads.emplace_back([&] {
          if (system.try_spawn<int>("wanted-" + std::to_string(round), [](int) {})) got_it.fetch_add(1);
        });
      }
    }
    ASSERT_EQ(got_it.load(), 1);
  }
  EXPECT_EQ(system.actor_count(), 200U);
}

TEST(actor_pool, loses_nothing_when_actors_stop_while_they_are_told) {
  constexpr int told = 20'000;
  actor_system system{"pool", {.runs_on = pool_of(4)}};
  std::atomic<std::uint64_t> handled{0};
  for (int round = 0; round < 5; ++round) {
    const auto ref = system.spawn<int>("", [&handled](int) { handled.fetch_add(1); });
    std::jthread teller{[&ref] {
      for (int i = 0; i < told; ++i) {
        ref.tell(i);
      }
    }};
    system.stop(ref, round % 2 == 0 ? stop_when::drained : stop_when::now);
  }
  ASSERT_TRUE(system.shutdown(generous));
  EXPECT_EQ(handled.load() + system.dead_letters().count(), 5U * told) << "each was handled or became a dead letter";
}

TEST(actor_pool, gives_each_question_one_outcome_when_the_asked_one_stops_meanwhile) {
  constexpr int questions = 2'000;
  actor_system system{"pool", {.runs_on = pool_of(4)}};
  for (int round = 0; round < 5; ++round) {
    const auto doubler = system.spawn<request>("", [](const request& asked) { asked.reply_to.tell(asked.number * 2); });
    std::vector<std::future<result<int>>> answers;
    for (int i = 0; i < questions; ++i) {
      answers.push_back(system.ask<int>(
          doubler,
          [i](actor_ref<int> to) {
            return request{i, std::move(to)};
          },
          generous));
      if (i == questions / 2) system.stop(doubler, stop_when::now);
    }
    for (int i = 0; i < questions; ++i) {
      auto& answer = answers[static_cast<std::size_t>(i)];
      ASSERT_EQ(answer.wait_for(generous), std::future_status::ready);
      const auto outcome = answer.get();
      if (outcome) {
        EXPECT_EQ(*outcome, 2 * i);
      } else {
        EXPECT_EQ(outcome.error().code, errc::unavailable);
      }
    }
  }
}

TEST(actor_pool, never_brings_a_cancelled_timer_however_close_it_was) {
  constexpr int actors = 50;
  constexpr int rounds = 100;
  constexpr int go = 0;
  constexpr int cancelled = 1;
  actor_system system{"pool", {.runs_on = pool_of(4)}};
  std::atomic<int> came{0};
  std::atomic<int> done{0};
  std::promise<void> all;
  for (int i = 0; i < actors; ++i) {
    system
        .spawn<int>("",
                    [&, left = rounds, last = timer_id{}](actor_context<int>& self, int message) mutable {
                      if (message == cancelled) came.fetch_add(1);
                      // It may be waiting in the mailbox by now.
                      if (left != rounds && !self.cancel(last)) came.fetch_add(1);
                      if (--left == 0) {
                        if (done.fetch_add(1) + 1 == actors) all.set_value();
                        return self.stop();
                      }
                      self.self().tell(go);
                      last = self.after(duration{0}, cancelled);
                    })
        .tell(go);
  }
  ASSERT_EQ(all.get_future().wait_for(generous), std::future_status::ready);
  EXPECT_TRUE(system.shutdown(generous));
  EXPECT_EQ(came.load(), 0);
}

TEST(actor_pool, conflates_news_under_contention_and_always_brings_the_last) {
  constexpr int last = 50'000;
  actor_system system{"pool", {.runs_on = pool_of(2)}};
  std::promise<void> done;
  std::atomic<int> handled{0};
  const auto reader = system.spawn<int>("reader", [&](int news) {
    handled.fetch_add(1);
    if (news == last) done.set_value();
  });
  const conflated_ref<int> news{reader};
  for (int i = 1; i <= last; ++i) {
    news.tell(i);
  }
  ASSERT_EQ(done.get_future().wait_for(generous), std::future_status::ready);
  EXPECT_LE(handled.load(), last);
}

TEST(actor_pool, gives_up_an_actor_that_blocks_and_names_it) {
  int handled = 0;
  std::promise<void> release;
  std::promise<void> blocked;
  {
    const auto pool = pool_of(2);
    actor_system system{"pool", {.runs_on = pool}};
    const auto stuck = system.spawn<int>("stuck", [&](int message) {
      ++handled;
      if (message != 0) return;
      blocked.set_value();
      release.get_future().wait();
    });
    stuck.tell(0);
    stuck.tell(1);
    ASSERT_EQ(blocked.get_future().wait_for(generous), std::future_status::ready);
    const auto outcome = system.shutdown(50ms);
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, errc::timed_out);
    EXPECT_EQ(outcome.error().message, "of the actors of 'pool' 1 did not stop within 50 ms: /user/stuck");
    EXPECT_TRUE(system.has_stopped());
    EXPECT_EQ(stuck.try_tell(2).error().code, errc::unavailable);
    release.set_value();
  }
  EXPECT_EQ(handled, 1) << "what waited behind it was not handled after all";
}

TEST(actor_pool, may_run_several_systems_that_come_and_go) {
  const auto pool = pool_of(2);
  for (int round = 0; round < 20; ++round) {
    actor_system one{"one", {.runs_on = pool}};
    actor_system two{"two", {.runs_on = pool}};
    std::promise<void> done;
    const auto end = two.spawn<int>("end", [&done](int) { done.set_value(); });
    const auto start = one.spawn<int>("start", [end](int message) { end.tell(message); });
    start.tell(1);
    ASSERT_EQ(done.get_future().wait_for(generous), std::future_status::ready);
  }
}

}  // namespace
}  // namespace muster::os
