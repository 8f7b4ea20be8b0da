#pragma once

#include <cstddef>
#include <string_view>

#include "muster/base/result.hpp"
#include "muster/config/property_map.hpp"

namespace muster::config {

/// Beyond these a configuration is refused: it is no configuration.
struct hocon_bounds {
  std::size_t text_bytes_max{std::size_t{1024} * 1024};
  std::size_t depth_max{32};  ///< objects within objects, and parts of a dotted key
  std::size_t values_max{10'000};
};

/// Reads a configuration in our subset of HOCON (docs/configuration.md), in which JSON is contained, and gives its
/// values by their full names: `cluster { receptionist { gossip-interval = 1s } }` is
/// `cluster.receptionist.gossip-interval`. Objects merge, and of two values of one name the later counts. A list is the
/// texts of its elements with a comma between them; null is the same as no value.
///
/// `source` stands in messages. `invalid_argument` for anything else: one sentence with line and column, what is wrong
/// there, and what is allowed instead.
[[nodiscard]] result<property_map> read_hocon(std::string_view text, std::string_view source,
                                              const hocon_bounds& bounds = {});

}  // namespace muster::config
