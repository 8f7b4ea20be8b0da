#pragma once

#include "muster/base/result.hpp"
#include "muster/config/property_map.hpp"

namespace muster::os {

/// Refuses, as `invalid_argument`, a key for TLS that is locked by a password which no property gives and for which
/// nobody can be asked, because the process has no terminal: asking would fill standard error with questions. What
/// cannot be read is left to the run time, which says more of it.
[[nodiscard]] result<void> check_locked_key(const config::property_map& properties);

}  // namespace muster::os
