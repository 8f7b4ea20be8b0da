#pragma once

#include <cstdint>

#include "muster/base/instant.hpp"
#include "muster/base/prng.hpp"

/// What troubles of both worlds have in common.
namespace muster::sim {

/// How long one lasts: 20 ms and up to `most` more.
[[nodiscard]] inline duration trouble_length(prng& draws, duration most) {
  return std::chrono::milliseconds{20} +
         duration{static_cast<duration::rep>(draws.below(static_cast<std::uint64_t>(most.count())))};
}

/// When the next one comes: `about` from now.
[[nodiscard]] inline duration until_next_trouble(prng& draws, duration about) {
  const auto mean = static_cast<std::uint64_t>(about.count());
  return duration{static_cast<duration::rep>(mean / 4 + draws.below(mean * 3 / 2))};
}

/// Does one of the choices, pairs of a share of `total` and what to do with `on`.
template <typename Choices, typename On>
void do_one_of(const Choices& choices, std::uint64_t total, prng& draws, On& on) {
  auto drawn = draws.below(total);
  for (const auto& [share, make] : choices) {
    if (drawn < share) {
      make(on);
      return;
    }
    drawn -= share;
  }
}

/// Runs a world until something holds, looking every `interval`; false when it does not within `bound`, or when a
/// promise is broken.
template <typename World, typename Condition>
[[nodiscard]] bool step_until(World& on, const Condition& holds, duration bound, duration interval) {
  const instant end = on.clock().now() + bound;
  instant look = on.clock().now();
  while (on.clock().now() < end) {
    if (!on.step()) return false;
    if (on.clock().now() >= look) {
      if (holds()) return true;
      look = on.clock().now() + interval;
    }
  }
  return holds();
}

}  // namespace muster::sim
