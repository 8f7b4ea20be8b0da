#pragma once

#include <memory>

#include <Ice/Ice.h>

#include "muster/base/event.hpp"
#include "muster/base/result.hpp"
#include "muster/config/property_map.hpp"
#include "muster/config/registry_settings.hpp"

namespace muster::ice {

/// Completes the properties with what the registry needs of the run time where the operator says nothing: one dispatch
/// thread for each adapter (dispatch never blocks, and on this run time more threads are slower), bounds of idle
/// connections and of closing as in Ice 3.7's registry. Adapter ids are taken away: a registry is not located through
/// another.
[[nodiscard]] config::property_map complete_properties(const config::registry_settings& settings,
                                                       config::property_map properties);

/// The replica's one communicator, with the plug-ins for TLS and for discovery where they are asked for. What the run
/// time logs becomes events `ice_*` of `log`, which outlives the communicator. Errors say in one line what Ice did not
/// take.
[[nodiscard]] result<Ice::CommunicatorPtr> make_communicator(const config::registry_settings& settings,
                                                             const config::property_map& properties, event_log& log);

}  // namespace muster::ice
