#pragma once

#include <atomic>
#include <memory>

#include "muster/base/instant.hpp"

namespace muster {

/// Something that has a turn to run.
class runnable {
 public:
  runnable() = default;
  runnable(const runnable&) = delete;
  runnable& operator=(const runnable&) = delete;
  virtual ~runnable() = default;

  virtual void run() noexcept = 0;
  /// Its turns are short and wait for nothing: what one asks to be executed first may follow it on its thread.
  [[nodiscard]] virtual bool is_brief() const noexcept { return false; }
  /// Its turns may take place on a thread that tells it something: see `actor_executor::execute_here`.
  [[nodiscard]] virtual bool suits_tellers() const noexcept { return false; }
};

/// Port: what runs an actor system. The system sees to it that no actor has two turns at once, so turns may run on any
/// number of threads. All functions may be called from any thread, also from within a turn, and run nothing inside the
/// call, but for `execute_here`.
class actor_executor {
 public:
  actor_executor() = default;
  actor_executor(const actor_executor&) = delete;
  actor_executor& operator=(const actor_executor&) = delete;
  virtual ~actor_executor() = default;

  /// Runs `what` once, soon, in a fair order. The caller keeps it alive until it has run.
  virtual void execute(runnable& what) = 0;
  /// Likewise, or within this call, which saves waking a thread: a turn of `what`, which suits tellers, and those that
  /// it asks for first and that suit tellers too. Such turns look at `is_at_teller` and leave to a turn of their own,
  /// by `execute`, all but a few messages that nothing of a user's is called for.
  virtual void execute_here(runnable& what) { execute(what); }
  /// Within a turn: it takes place inside of `execute_here`.
  [[nodiscard]] virtual bool is_at_teller() const noexcept { return false; }
  /// Within a brief turn that goes on after all: what it has asked for must not wait for its end.
  virtual void hand_over() {}

  [[nodiscard]] virtual instant now() const = 0;

  /// Runs `what` once at `when` or soon after. A later call for the same `what` replaces an earlier one that has not
  /// run; `instant_never` takes it back.
  virtual void wake_at(instant when, std::shared_ptr<runnable> what) = 0;

  /// Blocks the caller, who has no turn, until `flag` is set (it is looked at after each `notify`) or `deadline` has
  /// passed, and says which.
  [[nodiscard]] virtual bool wait(const std::atomic<bool>& flag, instant deadline) = 0;
  virtual void notify() = 0;
};

}  // namespace muster
