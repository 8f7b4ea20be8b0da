#include "sim/outcome.hpp"

#include <chrono>

namespace muster::sim {

void close(run_outcome& out, const std::string& violation, const scheduler& clock, trace& log) {
  const auto since_start = clock.now().time_since_epoch();
  if (!violation.empty()) {
    out.violation = fmt::format("at {} ms: {}",
                                std::chrono::duration_cast<std::chrono::milliseconds>(since_start).count(), violation);
    log.line(clock.now(), "sim", "VIOLATION {}", violation);
  }
  out.trace_hash = log.hash();
  out.events = clock.events_run();
  out.virtual_time = since_start;
}

}  // namespace muster::sim
