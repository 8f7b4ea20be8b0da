#pragma once

#include <string_view>

#include "muster/base/result.hpp"
#include "muster/config/property_map.hpp"
#include "muster/ice/cluster_transport.hpp"

namespace muster::ice {

/// The name of the object adapter, under which its properties stand.
inline constexpr std::string_view cluster_adapter = "MusterCluster";

/// What the communicators of a transport are made with: of the process's properties those that say how to connect and
/// whom to trust, and what the transport depends on: no second attempts (they would reorder), no idle connection
/// closed, bounds of frames and of closing, one thread for each channel's outgoing connections.
///
/// With ssl, IceSSL.VerifyPeer is 2: nothing is taken from, or sent to, a peer without a certificate of the cluster's
/// authority. `invalid_argument` names the property, its value and what is allowed.
[[nodiscard]] result<config::property_map> cluster_properties(const cluster_transport_options& how);

}  // namespace muster::ice
