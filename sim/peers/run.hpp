#pragma once

#include <cstdint>
#include <cstdio>

#include "sim/outcome.hpp"
#include "sim/peers/scenario.hpp"

namespace muster::sim::peers {

struct run_options {
  sabotage defect{sabotage::none};
  bool is_long{false};        ///< six times the time for troubles
  std::FILE* trace{nullptr};  ///< where the trace goes; nowhere if null
};

/// One whole life of a cluster, decided by the seed alone. First the *safety* phase: callers call and everything goes
/// wrong that the seed chose. Then the *liveness* phase: faults stop, and within a bound of virtual time all nodes must
/// be one cluster and list the truth.
[[nodiscard]] run_outcome run_seed(std::uint64_t seed, const run_options& options);

}  // namespace muster::sim::peers
