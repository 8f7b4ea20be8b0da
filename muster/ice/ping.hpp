#pragma once

#include <functional>
#include <string>
#include <vector>

#include "muster/base/instant.hpp"
#include "muster/base/result.hpp"
#include "muster/config/property_map.hpp"

namespace muster::ice {

/// What one endpoint of a locator answered.
struct ping_answer {
  std::string endpoint;   ///< as Ice writes it
  bool is_up{false};      ///< a replica that serves answered in time
  std::string registry;   ///< the identity of its registry object, such as `IceGrid/Registry-slave1`
  duration round_trip{};  ///< of the second request, on the connection that the first one made
  std::string failure;    ///< why not, in one line; empty if it is up
};

/// Asks every endpoint of a locator's proxy which replica is there. Blocks, each endpoint for at most `timeout`; makes
/// and destroys a communicator of its own, so it is for programs that do nothing else meanwhile. `invalid_argument` for
/// a text that is no direct proxy, and for properties that Ice does not take.
[[nodiscard]] result<std::vector<ping_answer>> ping_locator(const std::string& proxy_text, duration timeout,
                                                            const std::function<instant()>& now,
                                                            const config::property_map& properties = {});

}  // namespace muster::ice
