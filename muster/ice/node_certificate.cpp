#include "muster/ice/node_certificate.hpp"

#include <memory>
#include <string_view>

#include <IceSSL/IceSSL.h>

#include "muster/ice/certificate_name.hpp"

namespace muster::ice {
namespace {

constexpr std::string_view uri_scheme = "muster:";
constexpr int uri_kind = 6;  // uniformResourceIdentifier of GeneralName: RFC 5280, section 4.2.1.6

}  // namespace

result<std::string> node_name_in_certificate(const Ice::ConnectionPtr& connection) {
  Ice::ConnectionInfoPtr info;
  try {
    info = connection->getInfo();
  } catch (const Ice::LocalException&) {
    return fail(errc::permission_denied, "the connection is closed");
  }
  for (; info; info = info->underlying) {
    const auto secure = std::dynamic_pointer_cast<IceSSL::ConnectionInfo>(info);
    if (!secure) continue;
    if (secure->certs.empty()) return fail(errc::permission_denied, "the peer has shown no certificate");
    const auto& certificate = *secure->certs.front();
    for (const auto& [kind, value] : certificate.getSubjectAlternativeNames()) {
      if (kind == uri_kind && value.starts_with(uri_scheme) && value.size() > uri_scheme.size()) {
        return value.substr(uri_scheme.size());
      }
    }
    auto name = common_name_of(static_cast<std::string>(certificate.getSubjectDN()));
    if (name.empty()) {
      return fail(
          errc::permission_denied,
          "the peer's certificate names no node: it has neither an alternative name 'URI:muster:NAME' nor a CN");
    }
    return name;
  }
  return fail(errc::permission_denied, "the connection does not use TLS");
}

}  // namespace muster::ice
