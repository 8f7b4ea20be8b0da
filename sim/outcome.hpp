#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "muster/base/instant.hpp"
#include "sim/scheduler.hpp"
#include "sim/trace.hpp"

namespace muster::sim {

/// What became of one seed, in whichever world.
struct run_outcome {
  std::uint64_t seed{0};
  std::string violation;  ///< which promise was broken, and when; empty if none was
  std::string how;        ///< what the seed decided, for people
  std::uint64_t trace_hash{0};
  std::uint64_t events{0};
  std::uint64_t achieved{0};  ///< what the world's users got done: changes answered, listings told
  duration virtual_time{};
  std::vector<std::uint64_t> events_of_kind;  ///< how often each kind of event of the world's core came up
};

/// The life is over: what broke it, if anything did, and what it came to.
void close(run_outcome& out, const std::string& violation, const scheduler& clock, trace& log);

}  // namespace muster::sim
