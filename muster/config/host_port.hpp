#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "muster/base/result.hpp"

namespace muster::config {

struct host_port_text {
  std::string host;
  std::uint16_t port{};
};

/// Reads `host:port`, `[address]:port`, or a port alone or after ':' for the loopback address: what is open to others
/// is open because somebody said so. Port 0 is any free one.
[[nodiscard]] result<host_port_text> parse_host_port(std::string_view text);

}  // namespace muster::config
