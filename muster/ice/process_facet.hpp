#pragma once

#include <functional>

#include <Ice/Communicator.h>

#include "muster/base/result.hpp"

namespace muster::ice {

/// Opens the adapter `Ice.Admin`, where the operator asks for it (`Ice.Admin.Endpoints`), with a facet `Process` whose
/// `shutdown` calls `on_shutdown`: the run time's own would end the communicator and leave behind a process that goes
/// on and serves nobody. The communicator was made with `Ice.Admin.DelayCreation`. `on_shutdown` is called on the
/// adapter's thread, perhaps more than once, and does not block. `unavailable`: one line that names the property.
[[nodiscard]] result<void> open_process_administration(const Ice::CommunicatorPtr& communicator,
                                                       std::function<void()> on_shutdown);

}  // namespace muster::ice
