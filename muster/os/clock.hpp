#pragma once

#include <chrono>
#include <cstdint>

#include "muster/base/instant.hpp"

namespace muster::os {

/// The steady clock as the cores' time. Any thread.
[[nodiscard]] inline instant now() noexcept {
  return instant{std::chrono::duration_cast<duration>(std::chrono::steady_clock::now().time_since_epoch())};
}

/// The same point on the steady clock, for waits of the standard library. `instant_never` stays the largest value.
[[nodiscard]] inline std::chrono::steady_clock::time_point to_steady(instant when) noexcept {
  return std::chrono::steady_clock::time_point{
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(when.time_since_epoch())};
}

/// Milliseconds since 1970 by the wall clock: for stamps shown to people (rule 7 of the design), never for a timeout.
[[nodiscard]] inline std::int64_t wall_clock_ms() noexcept {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace muster::os
