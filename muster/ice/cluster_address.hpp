#pragma once

#include <string>
#include <string_view>

#include "muster/base/result.hpp"

namespace muster::ice {

/// The address of a node: Ice endpoints, each with transport, host and port and with nothing else, so that equal ones
/// are spelled alike: `tcp -h 10.0.0.1 -p 4070`, more of them parted by ':'.
struct cluster_address {
  std::string text;
  bool is_encrypted{false};
};

/// Reads endpoints in Ice's syntax; further options, such as a timeout, are left out. `invalid_argument` says what is
/// wrong and what is allowed: tcp or ws, or else all of them ssl or wss, each with a host (not all of them, `*`) and a
/// port.
[[nodiscard]] result<cluster_address> parse_cluster_address(std::string_view endpoints);

/// Likewise for an address that has no port yet: it gets this one.
[[nodiscard]] result<cluster_address> parse_cluster_address(std::string_view endpoints, std::string_view default_port);

/// One endpoint as it stands in an address.
[[nodiscard]] std::string with_host(std::string_view transport, std::string_view host, std::string_view port);

}  // namespace muster::ice
