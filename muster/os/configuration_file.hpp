#pragma once

#include <filesystem>

#include "muster/base/result.hpp"
#include "muster/config/property_map.hpp"

namespace muster::os {

/// The values of a configuration file (docs/configuration.md) by their full names. `not_found` or `io_error` when it
/// cannot be read, `limit_exceeded` when it is too large, `invalid_argument` with line and column when something in it
/// is not understood; each sentence names the file.
[[nodiscard]] result<config::property_map> read_configuration(const std::filesystem::path& file);

}  // namespace muster::os
