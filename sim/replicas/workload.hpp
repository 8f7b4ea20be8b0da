#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "muster/base/bytes.hpp"
#include "muster/base/prng.hpp"

namespace muster::sim::replicas {

/// A change that a simulated administrator or server asks for.
struct wanted_change {
  bytes encoded;
  /// No other change of this run has the same bytes, so the change can be recognised wherever it turns up.
  bool unique{false};
  std::string what;  ///< for the trace
};

/// Draws changes: objects, adapters and small applications under few names, so that they collide, replace and remove
/// each other; and now and then bytes that are no change at all.
class workload {
 public:
  workload(prng& draws, std::size_t names, std::uint32_t invalid_percent) noexcept
      : draws_{draws}, names_{names}, invalid_percent_{invalid_percent} {}

  [[nodiscard]] wanted_change next();

 private:
  [[nodiscard]] bytes next_valid();
  [[nodiscard]] bytes next_invalid();
  /// Text that comes once in a run.
  [[nodiscard]] std::string unique_text();

  prng& draws_;
  std::size_t names_;
  std::uint32_t invalid_percent_;
  std::uint64_t made_{0};
  bool unique_{false};
};

}  // namespace muster::sim::replicas
