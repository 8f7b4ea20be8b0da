#include "muster/os/configured_hosts.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "muster/config/endpoint_text.hpp"
#include "muster/os/name_resolver.hpp"

namespace muster::os {
namespace {

result<void> check_host(std::string_view property, std::string_view value, const std::string& host) {
  if (is_numeric_host(host)) return {};
  const auto found = addresses_of(host);
  if (found) return {};
  return fail(errc::invalid_argument, "{}={}: {}; allowed is an address or a name of this machine", property, value,
              found.error().message);
}

result<void> check_endpoints(std::string_view property, const std::string& endpoints) {
  if (endpoints.empty()) return {};
  const auto parsed = config::parse_endpoints(endpoints);
  if (!parsed) return fail(parsed.error());
  for (const auto& one : *parsed) {
    // Without a host, and with this one, it listens everywhere.
    if (!one.host || one.host->empty() || *one.host == "*") continue;
    if (auto known = check_host(property, endpoints, *one.host); !known) return known;
  }
  return {};
}

result<void> check_discovery_hosts(const config::discovery_settings& discovery) {
  if (!is_numeric_host(discovery.address)) {
    return fail(errc::invalid_argument,
                "IceGrid.Registry.Discovery.Address={}: allowed is an IPv4 or IPv6 address, that of a multicast group "
                "such as 239.255.0.1 or ff15::1",
                discovery.address);
  }
  if (!discovery.enabled) return {};
  return check_endpoints("IceGrid.Registry.Discovery.Endpoints", discovery.endpoints);
}

}  // namespace

result<void> check_hosts(const config::registry_settings& settings) {
  const auto& at = settings.endpoints;
  for (const auto& [property, endpoints] : {
           std::pair<std::string_view, const std::string&>{"IceGrid.Registry.Client.Endpoints", at.client},
           {"IceGrid.Registry.Server.Endpoints", at.server},
           {"IceGrid.Registry.Internal.Endpoints", at.internal},
           {"IceGrid.Registry.SessionManager.Endpoints", at.session_manager},
           {"IceGrid.Registry.AdminSessionManager.Endpoints", at.admin_session_manager},
       }) {
    if (auto known = check_endpoints(property, endpoints); !known) return known;
  }
  if (auto known = check_discovery_hosts(settings.discovery); !known) return known;
  if (!settings.http) return {};
  return check_host("Muster.Registry.Http.Endpoint", fmt::format("{}:{}", settings.http->host, settings.http->port),
                    settings.http->host);
}

}  // namespace muster::os
