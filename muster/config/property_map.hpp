#pragma once

#include <functional>
#include <map>
#include <string>

namespace muster::config {

/// Properties by name, as `Ice::Properties::getPropertiesForPrefix("")` gives them after configuration files and
/// command line were read. An empty value means the same as no value, as in Ice.
using property_map = std::map<std::string, std::string, std::less<>>;

}  // namespace muster::config
