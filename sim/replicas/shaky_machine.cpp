#include "sim/replicas/shaky_machine.hpp"

#include <utility>

namespace muster::sim::replicas {

result<void> shaky_machine::stage(replication::serial number, byte_view change,
                                  std::vector<replication::row_write>& rows) {
  if (std::exchange(fails_next_, false)) {
    return fail(errc::conflict, "the simulated state machine does not take change {}", number);
  }
  if (skip_draws_ != nullptr && skip_draws_->chance(1, 30)) {
    return {};
  }
  return catalog_.stage(number, change, rows);
}

}  // namespace muster::sim::replicas
