#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "muster/base/result.hpp"
#include "muster/catalog/change.hpp"

namespace muster::ice {

/// Asks the master, as an administrator and as a server would, to make changes that a replica had to drop. The default
/// locator and, for the session, `IceGridAdmin.Username` and `IceGridAdmin.Password` come from the properties.
///
/// Each change is asked for by itself, in order; `report` is told of each. One that no longer fits (an object that
/// exists by now) fails alone. Gives how many were made; an error means that no session was to be had and none was
/// tried. Blocks; for programs that do nothing else meanwhile.
[[nodiscard]] result<std::size_t> reapply(std::span<const catalog::change> changes,
                                          const std::vector<std::pair<std::string, std::string>>& properties,
                                          const std::function<void(std::size_t, const result<void>&)>& report);

}  // namespace muster::ice
