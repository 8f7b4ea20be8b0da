#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <vector>

#include "sim/outcome.hpp"

namespace muster::sim {

/// How one seed is run, in whichever world.
struct run_style {
  std::size_t defect{0};      ///< its place in the world's `sabotages`
  bool is_long{false};        ///< six times the time for troubles
  std::FILE* trace{nullptr};  ///< where the trace goes; nowhere if null
};

/// A kind of system that seeds are run in.
struct world {
  std::string_view name;
  std::string_view achieves;                ///< what `run_outcome::achieved` counts, in the plural
  std::vector<std::string_view> sabotages;  ///< the first is "none"
  run_outcome (*run)(std::uint64_t seed, const run_style& how){nullptr};
};

/// `replicas`: a registry's master and slaves; `peers`: a cluster's nodes with their receptionists.
[[nodiscard]] const std::vector<world>& worlds();

}  // namespace muster::sim
