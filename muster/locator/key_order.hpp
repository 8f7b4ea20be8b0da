#pragma once

#include <string_view>
#include <tuple>

#include "muster/catalog/identity.hpp"

namespace muster::locator {

/// The order in which Ice 3.7 gives names that were registered at run time: a string is kept behind its length there,
/// so the shorter comes first. Clients see it in lists, and in the endpoints of a replica group.
[[nodiscard]] inline bool key_less(std::string_view left, std::string_view right) noexcept {
  return std::tuple{left.size(), left} < std::tuple{right.size(), right};
}

[[nodiscard]] inline bool key_less(catalog::identity_view left, catalog::identity_view right) noexcept {
  if (left.name != right.name) return key_less(left.name, right.name);
  return key_less(left.category, right.category);
}

}  // namespace muster::locator
