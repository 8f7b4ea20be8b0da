#pragma once

#include <cstdint>
#include <cstdio>

#include "sim/outcome.hpp"
#include "sim/replicas/scenario.hpp"

namespace muster::sim::replicas {

struct run_options {
  sabotage defect{sabotage::none};
  bool is_long{false};        ///< six times the time for troubles
  std::FILE* trace{nullptr};  ///< where the trace goes; nowhere if null
};

/// One whole life of a cluster, decided by the seed alone. First the *safety* phase: callers call and everything goes
/// wrong that the seed chose. Then the *liveness* phase: faults stop, an operator sets one master and lets the others
/// follow, and within a bound of virtual time all replicas must be active and equal, and a change go through.
[[nodiscard]] run_outcome run_seed(std::uint64_t seed, const run_options& options);

}  // namespace muster::sim::replicas
