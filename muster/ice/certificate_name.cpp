#include "muster/ice/certificate_name.hpp"

#include <cctype>
#include <cstddef>
#include <memory>
#include <string_view>

#include <IceSSL/IceSSL.h>

namespace muster::ice {
namespace {

// One attribute of a distinguished name, as far as the next separator that is neither quoted nor escaped.
std::string_view take_attribute(std::string_view& rest) {
  bool quoted = false;
  for (std::size_t at = 0; at < rest.size(); ++at) {
    if (rest[at] == '\\') {
      ++at;
    } else if (rest[at] == '"') {
      quoted = !quoted;
    } else if (!quoted && (rest[at] == ',' || rest[at] == '+' || rest[at] == ';')) {
      const auto attribute = rest.substr(0, at);
      rest.remove_prefix(at + 1);
      return attribute;
    }
  }
  const auto attribute = rest;
  rest = {};
  return attribute;
}

std::string unquoted(std::string_view value) {
  std::string text;
  for (std::size_t at = 0; at < value.size(); ++at) {
    if (value[at] == '\\' && at + 1 < value.size()) {
      text.push_back(value[++at]);
    } else if (value[at] != '"') {
      text.push_back(value[at]);
    }
  }
  return text;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

std::string common_name_of(const std::string& distinguished_name) {
  std::string_view rest{distinguished_name};
  while (!rest.empty()) {
    const auto attribute = take_attribute(rest);
    const auto equals = attribute.find('=');
    if (equals == std::string_view::npos) continue;
    const auto type = trimmed(attribute.substr(0, equals));
    if (type.size() == 2 && std::toupper(static_cast<unsigned char>(type[0])) == 'C' &&
        std::toupper(static_cast<unsigned char>(type[1])) == 'N') {
      return unquoted(trimmed(attribute.substr(equals + 1)));
    }
  }
  return {};
}

result<std::string> peer_common_name(const Ice::ConnectionPtr& connection) {
  const auto refuse = [](std::string_view why) {
    return fail(errc::permission_denied,
                "{}; IceGrid.Registry.RequireReplicaCertCN wants the replica's name as the CN of its certificate", why);
  };
  Ice::ConnectionInfoPtr info;
  try {
    info = connection->getInfo();
  } catch (const Ice::LocalException&) {
    return refuse("the connection is closed");
  }
  for (; info; info = info->underlying) {
    const auto secure = std::dynamic_pointer_cast<IceSSL::ConnectionInfo>(info);
    if (!secure) continue;
    if (secure->certs.empty()) return refuse("the peer has shown no certificate");
    auto name = common_name_of(static_cast<std::string>(secure->certs.front()->getSubjectDN()));
    if (name.empty()) return refuse("the peer's certificate has no CN");
    return name;
  }
  return refuse("the connection does not use TLS");
}

}  // namespace muster::ice
