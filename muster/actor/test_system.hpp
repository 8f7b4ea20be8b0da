#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "muster/actor/actor_system.hpp"
#include "muster/base/event.hpp"
#include "muster/base/invariant.hpp"
#include "muster/base/prng.hpp"

namespace muster::testing {

/// Runs turns on the calling thread, and only when told to; its time stands still until it is moved. With a seed, which
/// of the turns that wait comes next is drawn from it, so that many orders can be tried, each again and again.
class manual_executor final : public actor_executor {
 public:
  explicit manual_executor(std::optional<std::uint64_t> seed = std::nullopt) {
    if (seed) random_.emplace(*seed);
  }

  void execute(runnable& what) override { waiting_.push_back(&what); }
  [[nodiscard]] instant now() const override { return now_; }
  void wake_at(instant when, std::shared_ptr<runnable> what) override {
    std::erase_if(alarms_, [&](const auto& alarm) { return alarm.second == what; });
    if (when != instant_never) alarms_.emplace(when, std::move(what));
  }
  /// Moves the time as far as it has to go.
  [[nodiscard]] bool wait(const std::atomic<bool>& flag, instant deadline) override {
    return run_until([&] { return flag.load(); }, deadline);
  }
  void notify() override {}

  /// One turn. False when none waits.
  bool step() {
    if (waiting_.empty()) return false;
    const std::size_t which = random_ ? random_->below(waiting_.size()) : 0;
    runnable* next = waiting_[which];
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(which));
    next->run();
    return true;
  }
  /// Turns until none waits: their number. The time stands still. Actors that go on telling each other for ever are a
  /// broken test, which ends here.
  std::size_t run() {
    constexpr std::size_t turns_max = 10'000'000;
    std::size_t turns = 0;
    while (step()) {
      MUSTER_INVARIANT(++turns < turns_max, "the actors of a test come to rest");
    }
    return turns;
  }
  /// Turns and alarms, one after the other as they are due, until `done` or `deadline`.
  bool run_until(const std::function<bool()>& done, instant deadline) {
    while (!done()) {
      // Actors that move the time themselves, as if they were slow, may have passed it.
      if (now_ > deadline) return false;
      if (step()) continue;
      if (alarms_.empty() || alarms_.begin()->first > deadline) {
        if (deadline != instant_never) now_ = std::max(now_, deadline);
        return false;
      }
      now_ = std::max(now_, alarms_.begin()->first);
      const auto what = std::move(alarms_.begin()->second);
      alarms_.erase(alarms_.begin());
      what->run();
    }
    return true;
  }

 private:
  instant now_{};
  std::vector<runnable*> waiting_;
  std::multimap<instant, std::shared_ptr<runnable>> alarms_;
  std::optional<prng> random_;
};

/// Keeps what is logged.
class kept_log final : public event_log {
 public:
  [[nodiscard]] bool wants(severity) const noexcept override { return true; }
  void write(const event& what) override { events.push_back(what); }

  /// The values of that key in the events of that name, in their order.
  [[nodiscard]] std::vector<std::string> values(std::string_view name, std::string_view key) const {
    std::vector<std::string> out;
    for (const auto& one : events) {
      for (const auto& field : one.fields) {
        if (one.name == name && field.key == key) out.push_back(field.value);
      }
    }
    return out;
  }

  std::vector<event> events;
};

/// An actor system in one thread under virtual time: `tell`, then `run`, then look. Nothing happens in between.
///
///     test_system t;
///     auto api = t.system.spawn<api_actor>("api");
///     t.run();
class test_system {
 public:
  explicit test_system(std::string name = "test", std::optional<std::uint64_t> seed = std::nullopt,
                       actor_system_options how = {})
      : executor{std::make_shared<manual_executor>(seed)}, system{std::move(name), filled(std::move(how))} {}

  std::size_t run() { return executor->run(); }
  /// Lets so much time go by, with all that happens meanwhile.
  void advance(duration by) {
    (void)executor->run_until([] { return false; }, executor->now() + by);
  }
  bool run_until(const std::function<bool()>& done, duration bound) {
    return executor->run_until(done, executor->now() + bound);
  }

  kept_log log;
  const std::shared_ptr<manual_executor> executor;
  actor_system system;

 private:
  actor_system_options filled(actor_system_options how) {
    how.runs_on = executor;
    how.log = &log;
    return how;
  }
};

/// An actor that keeps what it is told, for a test to look at.
template <typename M>
class probe {
 public:
  explicit probe(actor_system& in, const spawn_options& how = {})
      : ref_{in.spawn<M>(how, [kept = kept_](M message) { kept->push_back(std::move(message)); })} {}

  [[nodiscard]] const actor_ref<M>& ref() const noexcept { return ref_; }
  [[nodiscard]] const std::vector<M>& messages() const noexcept { return *kept_; }
  [[nodiscard]] std::vector<M> take() { return std::exchange(*kept_, {}); }

 private:
  std::shared_ptr<std::vector<M>> kept_{std::make_shared<std::vector<M>>()};
  actor_ref<M> ref_;
};

}  // namespace muster::testing
