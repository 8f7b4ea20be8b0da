#pragma once

#include <string>
#include <utility>
#include <vector>

#include "muster/base/result.hpp"
#include "muster/config/property_map.hpp"

namespace muster::ice {

/// All properties of this start: those of the configuration files that `Ice.Config` (or the environment's ICE_CONFIG)
/// names, in Ice's own syntax, and over them those of the command line. `invalid_argument` names the file that cannot
/// be read.
[[nodiscard]] result<config::property_map> load_properties(
    const std::vector<std::pair<std::string, std::string>>& command_line);

}  // namespace muster::ice
