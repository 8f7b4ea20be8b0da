#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "sim/scenario.hpp"

namespace muster::sim {

struct run_options {
  sabotage defect{sabotage::none};
  bool is_long{false};        ///< six times the time for troubles
  std::FILE* trace{nullptr};  ///< where the trace goes; nowhere if null
};

struct run_outcome {
  std::uint64_t seed{0};
  std::string violation;  ///< which promise was broken, and when; empty if none was
  std::string how;        ///< what the seed decided, for people
  std::uint64_t trace_hash{0};
  std::uint64_t events{0};
  std::uint64_t answered{0};  ///< changes that callers were told are done
  duration virtual_time{};
  std::vector<std::uint64_t> events_of_kind;  ///< how often each replication::event_kind came up
};

/// One whole life of a cluster, decided by the seed alone. First the *safety* phase: callers call and everything goes
/// wrong that the seed chose. Then the *liveness* phase: faults stop, an operator sets one master and lets the others
/// follow, and within a bound of virtual time all replicas must be active and equal, and a change go through.
[[nodiscard]] run_outcome run_seed(std::uint64_t seed, const run_options& options);

}  // namespace muster::sim
