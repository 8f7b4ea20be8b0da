#pragma once

#include <exception>
#include <string>

#include "muster/config/property_map.hpp"

namespace muster::ice {

/// One line for properties with which the run time did not start, from what `Ice::initialize` threw: it names the
/// properties that this is about, with their values (but no password), and for those of TLS says what is allowed.
[[nodiscard]] std::string start_refusal(const config::property_map& properties, const std::exception_ptr& thrown);

}  // namespace muster::ice
