#include "muster/ice/tls_plugin.hpp"

#include <algorithm>
#include <string>

namespace muster::ice {

bool has_secure_endpoint(std::string_view endpoints) {
  // The transport is the word at the front of an endpoint.
  while (!endpoints.empty()) {
    const auto colon = endpoints.find(':');
    auto one = endpoints.substr(0, colon);
    one.remove_prefix(std::min(one.find_first_not_of(" \t\n"), one.size()));
    const auto transport = one.substr(0, one.find_first_of(" \t\n"));
    if (transport == "ssl" || transport == "wss") return true;
    endpoints = colon == std::string_view::npos ? std::string_view{} : endpoints.substr(colon + 1);
  }
  return false;
}

void complete_tls(config::property_map& properties, bool is_needed) {
  constexpr std::string_view prefix = "IceSSL.";
  const auto first = properties.lower_bound(prefix);
  const bool is_configured = first != properties.end() && first->first.starts_with(prefix);
  const auto plugin = properties.find("Ice.Plugin.IceSSL");
  const std::string given = plugin == properties.end() ? std::string{} : plugin->second;
  // "1" is what scripting languages, which have the plug-in inside, take for "load it".
  if (given == "1" || (given.empty() && (is_needed || is_configured))) {
    properties.insert_or_assign("Ice.Plugin.IceSSL", "IceSSL:createIceSSL");
  }
}

}  // namespace muster::ice
