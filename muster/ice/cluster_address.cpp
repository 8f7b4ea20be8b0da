#include "muster/ice/cluster_address.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "muster/config/endpoint_text.hpp"

namespace muster::ice {

std::string with_host(std::string_view transport, std::string_view host, std::string_view port) {
  // The colons of an IPv6 address would end the endpoint.
  const std::string_view quote = host.find(':') == std::string_view::npos ? "" : "\"";
  return fmt::format("{} -h {}{}{} -p {}", transport, quote, host, quote, port);
}

result<cluster_address> parse_cluster_address(std::string_view endpoints) {
  return parse_cluster_address(endpoints, {});
}

result<cluster_address> parse_cluster_address(std::string_view endpoints, std::string_view default_port) {
  const auto parsed = config::parse_endpoints(endpoints, config::cluster_transports);
  if (!parsed) return fail(errc::invalid_argument, "'{}' is no address: {}", endpoints, parsed.error().message);
  cluster_address out;
  out.is_encrypted = parsed->front().is_encrypted();
  for (const auto& one : *parsed) {
    if (one.is_encrypted() != out.is_encrypted) {
      return fail(errc::invalid_argument, "'{}' is in part without TLS; allowed is with it everywhere, or nowhere",
                  endpoints);
    }
    if (!one.host || one.host->empty() || *one.host == "*" || *one.host == "0.0.0.0" || *one.host == "::") {
      return fail(errc::invalid_argument, "'{}' names no host; an address is like tcp -h 10.0.0.1 -p 4070", endpoints);
    }
    const bool has_port = !one.port.empty() && one.port.find_first_not_of('0') != std::string::npos;
    if (!has_port && default_port.empty()) {
      return fail(errc::invalid_argument, "'{}' names no port; an address is like tcp -h 10.0.0.1 -p 4070", endpoints);
    }
    std::string host = *one.host;
    std::ranges::transform(host, host.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (host.find('"') != std::string::npos) {
      return fail(errc::invalid_argument, "'{}' has a host with a quote in it", endpoints);
    }
    std::string port{has_port ? std::string_view{one.port} : default_port};
    port.erase(0, port.find_first_not_of('0'));
    if (!out.text.empty()) out.text += ':';
    out.text += with_host(one.transport, host, port);
  }
  return out;
}

}  // namespace muster::ice
