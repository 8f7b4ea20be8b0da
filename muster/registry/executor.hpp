#pragma once

#include "muster/base/instant.hpp"
#include "muster/base/result.hpp"
#include "muster/base/task.hpp"

namespace muster::registry {

/// Port: the strand on which everything of one replica that changes lives. Functions run one after the other, in the
/// order of their posting; none runs inside the call that posts it.
class executor {
 public:
  executor() = default;
  executor(const executor&) = delete;
  executor& operator=(const executor&) = delete;
  virtual ~executor() = default;

  /// For input from outside: refused with `limit_exceeded` when too much waits already, with `unavailable` after the
  /// end. The function is destroyed then. Any thread.
  [[nodiscard]] virtual result<void> try_post(task function) = 0;

  /// For consequences of work that was let in before. False after the end: the function is destroyed. Any thread.
  virtual bool post(task function) = 0;

  /// Sets what ends each turn: called after all functions that waited when the turn began. On the strand, or before
  /// the first `post`.
  virtual void at_turn_end(task hook) = 0;

  /// Asks for a turn at `when` (or sooner), whose end calls the hook. A later call replaces the earlier one. On the
  /// strand.
  virtual void wake_at(instant when) = 0;

  [[nodiscard]] virtual instant now() const = 0;
};

}  // namespace muster::registry
