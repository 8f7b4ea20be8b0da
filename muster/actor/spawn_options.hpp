#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "muster/actor/supervision.hpp"
#include "muster/base/error.hpp"

namespace muster {

/// How many messages may wait for an actor, and what becomes of one that finds no room. Only messages of users are
/// counted: never refused are those of the kernel (stop, terminated, timers, answers to questions of the actor).
struct mailbox_options {
  enum class overflow : std::uint8_t {
    drop_newest,  ///< the message goes to the dead letters; `tell` and `try_tell` say nothing
    refuse,  ///< `try_tell` gives `limit_exceeded`, and nothing else happens; `tell`, which cannot say so, drops it
  };

  std::size_t capacity{0};  ///< 0: no bound
  overflow when_full{overflow::drop_newest};
};

struct spawn_options {
  /// The last part of the path, unique among brothers that live; empty: one is made up. At the system's own level
  /// (`spawn_system`) it may have several parts: "cluster/receptionist".
  std::string name{};
  mailbox_options mailbox{};
  supervision on_failure{};
  /// Messages taken in one turn before others have theirs; 0: as the system's options say.
  std::size_t batch_max{0};
  /// The actor never waits and is soon done with a turn. The first one that it tells something in a turn may have its
  /// own right after it, on the same thread: a chain of such actors wakes no other thread on the way. One of the
  /// system's own (`spawn_system`) that sleeps may have its turn within the very call that tells it something, if the
  /// type of the message allows it (message_name.hpp, `teller_may_handle`).
  bool is_brief{false};
};

/// Thrown by `spawn` and by the constructor of a system, whose callers have nothing to go on with; `try_spawn` gives
/// the same error as a result.
class refused : public std::runtime_error {
 public:
  explicit refused(error cause) : std::runtime_error{cause.message}, cause_{std::move(cause)} {}
  [[nodiscard]] const error& cause() const noexcept { return cause_; }

 private:
  error cause_;
};

}  // namespace muster
