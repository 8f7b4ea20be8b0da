#include "muster/ice/start_refusal.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "muster/ice/exceptions.hpp"

namespace muster::ice {
namespace {

// Which properties a sentence of the plug-in for TLS is about: it names files at most.
struct tls_cause {
  std::string_view phrase;
  std::array<std::string_view, 4> properties;
  std::string_view allowed;
};

// From the particular to the general: the first phrase that is found counts.
constexpr std::array tls_causes{
    tls_cause{"CA certificate",
              {"IceSSL.CAs", "IceSSL.CertAuthFile", "IceSSL.CertAuthDir", "IceSSL.DefaultDir"},
              "a file with certificates of authorities (PEM), or a directory of such files; a relative path leads from "
              "IceSSL.DefaultDir"},
    tls_cause{"private key",
              {"IceSSL.KeyFile", "IceSSL.CertFile", "IceSSL.Password", "IceSSL.DefaultDir"},
              "the file of the key that belongs to the certificate, and the password of that file where it has one"},
    tls_cause{"key file",
              {"IceSSL.KeyFile", "IceSSL.DefaultDir"},
              "the file of the key that belongs to the certificate; a relative path leads from IceSSL.DefaultDir"},
    tls_cause{"certificate",
              {"IceSSL.CertFile", "IceSSL.Password", "IceSSL.DefaultDir"},
              "the file of a certificate (PEM or PKCS12); a relative path leads from IceSSL.DefaultDir"},
};

std::string shown(const config::property_map::value_type& one) {
  if (one.first.ends_with("Password")) return one.first + " (set, and not shown)";
  return fmt::format("{}={}", one.first, one.second);
}

std::vector<std::string> set_among(const config::property_map& properties,
                                   const std::array<std::string_view, 4>& names) {
  std::vector<std::string> out;
  for (const auto name : names) {
    const auto found = properties.find(name);
    if (found != properties.end() && !found->second.empty()) out.push_back(shown(*found));
  }
  return out;
}

// Those of the run time whose name or value stands in its sentence; a short value stands there by chance.
std::vector<std::string> spoken_of(const config::property_map& properties, std::string_view text) {
  constexpr std::size_t telling_length = 4;
  std::vector<std::string> out;
  for (const auto& one : properties) {
    const auto& [name, value] = one;
    if (value.empty() || (!name.starts_with("Ice.") && !name.starts_with("IceSSL."))) continue;
    const bool is_quoted = value.size() >= telling_length && text.find(value) != std::string_view::npos;
    if (is_quoted || text.find(name) != std::string_view::npos) out.push_back(shown(one));
  }
  return out;
}

}  // namespace

std::string start_refusal(const config::property_map& properties, const std::exception_ptr& thrown) {
  const auto text = to_text(thrown);
  constexpr std::string_view of_tls = "IceSSL: ";
  if (const auto at = text.find(of_tls); at != std::string::npos) {
    const auto why = std::string_view{text}.substr(at + of_tls.size());
    const auto cause = std::ranges::find_if(
        tls_causes, [&](const tls_cause& one) { return why.find(one.phrase) != std::string_view::npos; });
    if (cause != tls_causes.end()) {
      return fmt::format("{}: {}; allowed is {}", fmt::join(set_among(properties, cause->properties), ", "), why,
                         cause->allowed);
    }
  }
  const auto named = spoken_of(properties, text);
  if (named.empty()) return fmt::format("Ice does not start with these properties: {}", text);
  return fmt::format("{}: Ice does not start with it: {}", fmt::join(named, ", "), text);
}

}  // namespace muster::ice
