#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/outcome.hpp"

namespace muster::sim {

struct batch_options {
  std::uint64_t first{1};
  std::uint64_t seeds{10'000};
  unsigned jobs{1};
  std::size_t failures_max{1};  ///< stop after so many
  bool shows_progress{false};   ///< on standard error
  std::function<run_outcome(std::uint64_t seed)> run;
};

struct batch_failure {
  std::uint64_t seed{0};
  std::string what;
};

struct batch_outcome {
  std::uint64_t seeds_run{0};
  std::uint64_t events{0};
  std::uint64_t achieved{0};
  double virtual_seconds{0};
  double cpu_seconds_max{0};  ///< of the slowest seed
  std::uint64_t slowest{0};
  std::vector<batch_failure> failures;  ///< by seed
};

/// Runs the seeds first, first + 1, ... in `jobs` processes. A process of their own, because a core that breaks an
/// invariant of its own aborts: then the seed is known, and the others go on.
[[nodiscard]] batch_outcome run_batch(const batch_options& options);

}  // namespace muster::sim
