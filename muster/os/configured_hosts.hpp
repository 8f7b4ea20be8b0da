#pragma once

#include "muster/base/result.hpp"
#include "muster/config/registry_settings.hpp"

namespace muster::os {

/// Looks up the hosts at which a replica is told to listen, before anything is opened; blocks for as long as the name
/// servers take. `invalid_argument`, for a host that is not known and for a multicast group that is no address: one
/// line that names the property, its value and what is allowed.
[[nodiscard]] result<void> check_hosts(const config::registry_settings& settings);

}  // namespace muster::os
