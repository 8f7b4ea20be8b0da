#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "muster/base/result.hpp"

namespace muster::config {

/// One endpoint as it stands in a property, taken apart as far as settings need it. Only the form is checked here:
/// whether a host exists or a port is free shows when Ice opens it.
struct endpoint_text {
  std::string transport;            ///< tcp, ssl, ws, wss, udp, bt, bts or default
  std::optional<std::string> host;  ///< -h; none means all interfaces (or Ice.Default.Host)
  std::string port;                 ///< -p, digits; empty when not given

  /// A name or address that leads nowhere but to this machine.
  [[nodiscard]] bool is_loopback() const;
  [[nodiscard]] bool is_encrypted() const { return transport == "ssl" || transport == "wss" || transport == "bts"; }
};

inline constexpr std::array<std::string_view, 8> all_transports{"tcp", "ssl", "ws",  "wss",
                                                                "udp", "bt",  "bts", "default"};
/// Those that the nodes of a cluster use.
inline constexpr std::array<std::string_view, 4> cluster_transports{"tcp", "ssl", "ws", "wss"};

/// Reads `tcp -h host -p 4061:ssl -p 4062`: at least one endpoint, each of one of these transports; `invalid_argument`
/// says which part is wrong and what is allowed there.
[[nodiscard]] result<std::vector<endpoint_text>> parse_endpoints(
    std::string_view text, std::span<const std::string_view> transports = all_transports);

/// A stringified proxy, taken apart: `category/name -f facet -t @ adapter` or `category/name:endpoints`.
struct proxy_text {
  std::string category;
  std::string name;
  std::string adapter_id;
  std::vector<endpoint_text> endpoints;
};

/// `invalid_argument` says which part is wrong and what is allowed there.
[[nodiscard]] result<proxy_text> parse_proxy(std::string_view text);

}  // namespace muster::config
