#pragma once

#include <chrono>

namespace muster {

using duration = std::chrono::nanoseconds;

/// The clock of the cores: it has no `now()`, so that time can only come in from outside (rule 1 of the design).
struct core_clock {
  using duration = muster::duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<core_clock>;
  static constexpr bool is_steady = true;
};

/// A point in time on a steady clock whose origin means nothing. The driver maps its steady clock to it, the
/// simulation its virtual one.
using instant = core_clock::time_point;

inline constexpr instant instant_never = instant::max();

}  // namespace muster
