#include "muster/ice/administration.hpp"

#include <memory>
#include <string>

#include "muster/ice/registry_servant.hpp"
#include "muster/ice/session_hall.hpp"
#include "muster/ice/session_managers.hpp"

namespace muster::ice {

void add_administration(const open_adapters& open) {
  const auto hall = std::make_shared<session_hall>(open);
  const auto& settings = open.settings;
  const auto& instance = settings.instance_name;
  // The master's objects have plain names, a slave's the replica's name behind.
  const auto suffix = settings.is_master() ? std::string{} : "-" + settings.replica_name;

  open.client->add(std::make_shared<registry_servant>(hall, open.verifiers, open.client),
                   {"Registry" + suffix, instance});
  if (open.session_manager && settings.is_master()) {
    const auto& at = open.session_manager;
    at->add(std::make_shared<session_manager>(hall, session::session_kind::client, at), {"SessionManager", instance});
    at->add(std::make_shared<ssl_session_manager>(hall, session::session_kind::client, at),
            {"SSLSessionManager", instance});
  }
  if (open.admin_session_manager) {
    const auto& at = open.admin_session_manager;
    at->add(std::make_shared<session_manager>(hall, session::session_kind::admin, at),
            {"AdminSessionManager" + suffix, instance});
    at->add(std::make_shared<ssl_session_manager>(hall, session::session_kind::admin, at),
            {"AdminSSLSessionManager" + suffix, instance});
  }
}

}  // namespace muster::ice
