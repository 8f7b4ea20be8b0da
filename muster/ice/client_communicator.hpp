#pragma once

#include <string_view>

#include <Ice/Communicator.h>

#include "muster/base/result.hpp"
#include "muster/config/property_map.hpp"

namespace muster::ice {

/// The communicator of a program that asks a grid a few questions and ends. The plug-in for TLS is loaded where a
/// property or an endpoint of `locator` asks for it; what fails is not tried a second time unless a property says so.
/// The properties may be those of a replica: no adapter of theirs is opened. `invalid_argument` says in one line what
/// Ice did not take.
[[nodiscard]] result<Ice::CommunicatorPtr> make_client_communicator(config::property_map properties,
                                                                    std::string_view locator);

}  // namespace muster::ice
