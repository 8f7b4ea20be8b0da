#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <future>
#include <set>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

#include "muster/actor/test_system.hpp"
#include "muster/base/prng.hpp"

namespace muster::testing {
namespace {

using namespace std::chrono_literals;

// Some actors that do everything at random under a random order of turns; what must hold in spite of it is counted.

struct work {};
struct fail_now {};
struct stop_now {};
struct have_child {};
struct watch_one {
  any_ref whom;
};
struct unwatch_one {
  any_ref whom;
};
struct tick {};
struct set_timer {};
struct question {
  actor_ref<int> reply_to;
  bool answers{true};
};
struct ask_one {
  actor_ref<question> whom;
};
using message = std::variant<work, fail_now, stop_now, have_child, watch_one, unwatch_one, tick, set_timer, question,
                             ask_one, terminated>;

class worker;

/// What is known from outside.
struct ledger {
  std::uint64_t told{0};
  std::uint64_t handled{0};
  std::set<worker*> instances;
  std::vector<actor_ref<message>> actors;
  std::vector<std::string> broken;

  void tell(const actor_ref<message>& whom, message what) {
    ++told;
    whom.tell(std::move(what));
  }
};

spawn_options random_options(prng& random) {
  spawn_options how;
  how.batch_max = 1 + random.below(4);
  if (random.chance(1, 3)) how.mailbox.capacity = 1 + random.below(4);
  if (random.chance(1, 2)) {
    how.on_failure.on_failure = supervision::action::restart;
    how.on_failure.restarts_max = random.below(4);
    if (random.chance(1, 2)) how.on_failure.backoff = 10ms;
  }
  return how;
}

class worker : public actor<message> {
 public:
  worker(ledger& in, prng& random, int depth) : in_{in}, random_{random}, depth_{depth} { in_.instances.insert(this); }
  ~worker() override { in_.instances.erase(this); }

  void receive(context& self, message what) override {
    const bool is_told = !std::holds_alternative<tick>(what) && !std::holds_alternative<terminated>(what);
    if (is_told) ++in_.handled;
    std::visit([&]<typename A>(A& one) { handle(self, one); }, what);
  }

  /// When nothing is on its way any more.
  void check_at_rest() const {
    for (const auto& whom : watched_) {
      if (whom.is_stopped()) in_.broken.push_back("no news came of " + whom.path());
    }
    if (answers_ != asked_) in_.broken.emplace_back("a question has no outcome, or two");
  }

 private:
  void handle(context&, const work&) {}
  void handle(context&, const fail_now&) { throw std::runtime_error{"as told"}; }
  void handle(context& self, const stop_now&) { self.stop(); }
  void handle(context& self, const have_child&) {
    if (depth_ == 0) return;
    if (auto child = self.try_spawn<worker>(random_options(random_), std::ref(in_), std::ref(random_), depth_ - 1)) {
      in_.actors.push_back(*child);
    }
  }
  void handle(context& self, const watch_one& what) {
    self.watch(what.whom);
    watched_.insert(what.whom);
  }
  void handle(context& self, const unwatch_one& what) {
    self.unwatch(what.whom);
    watched_.erase(what.whom);
  }
  void handle(context&, const tick&) {}
  void handle(context& self, const set_timer&) {
    const auto id = random_.chance(1, 2) ? self.after(5ms, tick{}) : self.every(7ms, tick{});
    if (timers_.size() > 2) {
      (void)self.cancel(timers_.back());
      timers_.pop_back();
    }
    timers_.push_back(id);
  }
  void handle(context&, const question& asked) {
    if (asked.answers) (void)asked.reply_to.try_tell(1);
  }
  void handle(context& self, const ask_one& what) {
    ++asked_;
    self.ask<int>(
        what.whom,
        [this](actor_ref<int> reply_to) {
          return question{std::move(reply_to), random_.chance(1, 2)};
        },
        20ms, [this](const result<int>&) { ++answers_; });
  }
  void handle(context&, const terminated& gone) {
    if (watched_.erase(gone.ref) == 0) in_.broken.push_back("news that nobody waits for: " + gone.ref.path());
    if (!gone.ref.is_stopped()) in_.broken.push_back("news of one that lives: " + gone.ref.path());
  }

  ledger& in_;
  prng& random_;
  const int depth_;
  std::unordered_set<any_ref> watched_;
  std::vector<timer_id> timers_;
  int asked_{0};
  int answers_{0};
};

void do_something(ledger& in, test_system& t, prng& random, std::vector<std::future<result<int>>>& futures) {
  const auto any = [&] { return in.actors[random.below(in.actors.size())]; };
  const auto whom = any();
  switch (random.below(12)) {
    case 0:
      in.actors.push_back(t.system.spawn<worker>(random_options(random), std::ref(in), std::ref(random), 2));
      break;
    case 1: in.tell(whom, fail_now{}); break;
    case 2: in.tell(whom, stop_now{}); break;
    case 3: t.system.stop(whom, random.chance(1, 2) ? stop_when::now : stop_when::drained); break;
    case 4: in.tell(whom, have_child{}); break;
    case 5: in.tell(whom, watch_one{any()}); break;
    case 6: in.tell(whom, unwatch_one{any()}); break;
    case 7: in.tell(whom, set_timer{}); break;
    case 8:
      futures.push_back(t.system.ask<int>(
          actor_ref<question>{whom}, [](actor_ref<int> reply_to) { return question{std::move(reply_to)}; }, 20ms));
      break;
    case 9: in.tell(whom, ask_one{any()}); break;
    case 10:
      // A few turns, not all.
      for (auto turns = random.below(10); turns > 0; --turns) {
        (void)t.executor->step();
      }
      break;
    default: in.tell(whom, work{}); break;
  }
  if (random.chance(1, 20)) t.advance(std::chrono::milliseconds{random.below(15)});
}

RC_GTEST_PROP(chaos, leaves_no_watch_no_question_and_no_actor_behind, (std::uint64_t seed)) {
  prng random{seed};
  ledger in;
  std::vector<std::future<result<int>>> futures;
  {
    test_system t{"chaos", seed};
    in.actors.push_back(t.system.spawn<worker>("first", std::ref(in), std::ref(random), 2));
    for (int i = 0; i < 300; ++i) {
      do_something(in, t, random, futures);
    }
    // Beyond every backoff and timeout. Ticks go on, so a rest is only between them.
    t.advance(100ms);
    t.run();
    for (const auto* one : in.instances) {
      one->check_at_rest();
    }
    for (auto& answer : futures) {
      RC_ASSERT(answer.wait_for(0s) == std::future_status::ready);
    }
    RC_ASSERT(t.system.shutdown(10s).has_value());
    RC_ASSERT(t.system.actor_count() == 0U);
    RC_ASSERT(t.executor->run() == 0U);
  }
  RC_ASSERT(in.instances.empty());
  RC_ASSERT(in.broken == std::vector<std::string>{});
}

RC_GTEST_PROP(chaos, handles_or_buries_each_message_that_is_told, (std::uint64_t seed)) {
  prng random{seed};
  ledger in;
  test_system t{"chaos", seed};
  in.actors.push_back(t.system.spawn<worker>("first", std::ref(in), std::ref(random), 2));
  for (int i = 0; i < 300; ++i) {
    const auto whom = in.actors[random.below(in.actors.size())];
    switch (random.below(8)) {
      case 0:
        in.actors.push_back(t.system.spawn<worker>(random_options(random), std::ref(in), std::ref(random), 2));
        break;
      case 1: in.tell(whom, fail_now{}); break;
      case 2: in.tell(whom, have_child{}); break;
      case 3: t.system.stop(whom, random.chance(1, 2) ? stop_when::now : stop_when::drained); break;
      case 4: (void)t.executor->step(); break;
      default: in.tell(whom, work{}); break;
    }
  }
  RC_ASSERT(t.system.shutdown(10s).has_value());
  RC_ASSERT(in.told == in.handled + t.system.dead_letters().count());
}

}  // namespace
}  // namespace muster::testing
