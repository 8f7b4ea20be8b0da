#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "muster/base/instant.hpp"

namespace muster {

/// What becomes of an actor that lets an exception out of its constructor, `on_start`, `receive`, a timer or an answer.
/// Either way the failure is logged with path, types and cause, and the message that brought it about is gone.
struct supervision {
  enum class action : std::uint8_t {
    stop,  ///< the actor stops as if it had asked for it; its watchers learn of it
    /// A new instance takes over: the ref, the mailbox with all that waits, and the watchers stay. What the old
    /// instance began ends with it: its timers, its watches, its questions, and its children, who stop first.
    restart,
  };

  action on_failure{action::stop};
  /// One more failure within `window` stops the actor.
  std::size_t restarts_max{10};
  duration window{std::chrono::minutes{1}};
  /// Pause before the new instance; messages wait in the mailbox meanwhile.
  duration backoff{0};
};

}  // namespace muster
