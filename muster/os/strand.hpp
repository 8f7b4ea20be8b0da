#pragma once

#include <atomic>
#include <compare>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "muster/base/instant.hpp"
#include "muster/base/result.hpp"
#include "muster/base/task.hpp"
#include "muster/os/clock.hpp"
#include "muster/registry/executor.hpp"

namespace muster::os {

/// One thread with a queue: functions posted from any thread run on it one after the other, in the order of their
/// posting. A core lives on a strand and needs no lock.
///
/// The thread works in *turns*. A turn runs the timers that are due, then everything that was waiting in the queue when
/// the turn began (at most `turn_tasks_max`), then the hook set by `at_turn_end`. So what arrives while a turn is busy
/// with the disk is handled together in the next one: group commit without an artificial wait, and a lone change is
/// handled at once. A wake-up costs a system call only when the thread sleeps.
///
/// Functions must not throw (the process would end) and must not block on anything but the store.
class strand final : public registry::executor {
 public:
  struct options {
    /// The thread's name, of which Linux shows 15 characters.
    std::string name = "strand";
    /// `try_post` refuses when so many functions wait.
    std::size_t queue_max = 65536;
    std::size_t turn_tasks_max = 4096;
  };

  /// Names a timer for `cancel`. A default one names none.
  struct timer {
    instant deadline = instant_never;
    std::uint64_t number = 0;
    friend auto operator<=>(const timer&, const timer&) = default;
  };

  struct usage {
    std::size_t depth = 0;           ///< functions that wait now
    std::size_t depth_max_seen = 0;  ///< most that ever waited
    std::size_t queue_max = 0;
    std::size_t timers = 0;
    std::uint64_t turns = 0;
    std::uint64_t tasks = 0;
    std::uint64_t refused = 0;  ///< by `try_post`, since the queue was full
    duration longest_turn{};
  };

  /// Starts the thread, with all signals blocked in it.
  explicit strand(options settings);
  /// Stops first where nobody has.
  ~strand() override;

  /// For input from outside: `limit_exceeded` when the queue is full, `unavailable` when the strand has been stopped.
  /// Nothing else happens then; the function is destroyed. Any thread.
  [[nodiscard]] result<void> try_post(task function) override;

  /// For consequences of work that was let in already (answers of peers, completions), whose number is bounded by that
  /// work: never refused for a full queue. False when the strand has been stopped: the function is destroyed, not run.
  /// Any thread.
  bool post(task function) override;

  /// Runs the function in the first turn at or after `when`; timers of one turn run in the order of their instants.
  /// Any thread; a timer that has not run when the strand stops never runs.
  timer at(instant when, task function);

  /// True when the timer had not run and now never will. Called on the strand the answer is exact; from another thread
  /// false may also mean that it runs at this moment.
  bool cancel(const timer& which);

  /// Sets what ends each turn, in place of what was set before. Call it on the strand or before the first `post`.
  void at_turn_end(task hook) override;

  /// Asks for a turn at `when` or sooner; replaces what was asked before. Call it on the strand.
  void wake_at(instant when) override;

  /// Takes no more functions, runs those that wait, ends with a last turn's hook, drops the timers and joins the
  /// thread. Safe to repeat; not to be called on the strand itself.
  void stop();

  [[nodiscard]] bool on_this_thread() const noexcept { return std::this_thread::get_id() == thread_id_.load(); }
  [[nodiscard]] instant now() const noexcept override { return os::now(); }
  /// Any thread.
  [[nodiscard]] usage measure() const;

 private:
  void run() noexcept;
  void run_due_timers(instant until);
  bool push(task& function, bool bounded, bool& full);

  const options options_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  // Under the mutex.
  std::vector<task> queue_;
  std::map<timer, task> timers_;
  std::uint64_t last_timer_ = 0;
  usage counters_;
  bool sleeping_ = false;
  bool stopping_ = false;
  instant wake_at_ = instant_never;

  // Of the strand's thread alone.
  std::vector<task> batch_;
  task turn_end_;

  std::mutex stop_mutex_;
  std::atomic<std::thread::id> thread_id_;
  std::thread thread_;
};

}  // namespace muster::os
