#pragma once

#include "muster/ice/registry_host.hpp"

namespace muster::ice {

/// Adds the objects of administration and of sessions to the adapters, before they take requests: `Registry` (on a
/// slave `Registry-<replica>`), the session managers where their endpoints are configured, and what sessions are made
/// of.
void add_administration(const open_adapters& open);

}  // namespace muster::ice
