#pragma once

#include <string_view>

#include "muster/config/property_map.hpp"

namespace muster::ice {

/// Whether one of these endpoints, or of those of a proxy, is of TLS.
[[nodiscard]] bool has_secure_endpoint(std::string_view endpoints);

/// Has the plug-in for TLS loaded where it `is_needed`, or where a property of it is set. "1" is a way to ask for it,
/// too.
void complete_tls(config::property_map& properties, bool is_needed);

}  // namespace muster::ice
