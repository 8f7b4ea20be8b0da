#pragma once

#include <chrono>
#include <memory>
#include <string>

#include <Ice/Ice.h>
#include <IceGrid/Admin.h>
#include <IceGrid/Registry.h>

#include "muster/ice/administration.hpp"
#include "tests/support/running_replica.hpp"

namespace muster::ice {

/// Properties of a replica that lets everybody in and logs its sessions.
inline config::property_map lets_everybody_in(const config::property_map& extra = {}) {
  config::property_map all{{"IceGrid.Registry.PermissionsVerifier", "T/NullPermissionsVerifier"},
                           {"IceGrid.Registry.AdminPermissionsVerifier", "T/NullPermissionsVerifier"},
                           {"IceGrid.Registry.Trace.Session", "1"}};
  for (const auto& [name, value] : extra) all[name] = value;
  return all;
}

/// A replica that is administered, in the test's process.
class administered_replica {
 public:
  explicit administered_replica(
      const config::property_map& properties = lets_everybody_in(),
      std::shared_ptr<tests::store_content> content = std::make_shared<tests::store_content>())
      : replica{properties,
                {[this](const open_adapters& open) {
                  add_administration(open);
                  client_adapter = open.client;
                  session_manager = open.session_manager;
                  admin_session_manager = open.admin_session_manager;
                }},
                std::move(content)} {
    replica.wait_until_ready();
  }

  /// Whether the replica serves the object that a proxy names.
  [[nodiscard]] bool serves(const std::shared_ptr<Ice::ObjectPrx>& object) const {
    return client_adapter->find(object->ice_getIdentity()) != nullptr;
  }

  Ice::ObjectAdapterPtr client_adapter;
  Ice::ObjectAdapterPtr session_manager;
  Ice::ObjectAdapterPtr admin_session_manager;
  tests::running_replica replica;
};

/// Somebody with a communicator, and so with connections, of their own.
class administrator {
 public:
  explicit administrator(administered_replica& of, const std::string& registry = "T/Registry") : of_{of} {
    registry_ = Ice::checkedCast<IceGrid::RegistryPrx>(proxy(of_.replica.at_client(registry)));
  }

  [[nodiscard]] std::shared_ptr<Ice::ObjectPrx> proxy(const std::string& text) const {
    return own_->stringToProxy(text);
  }
  [[nodiscard]] std::string text(const std::shared_ptr<Ice::ObjectPrx>& of) const {
    return of ? own_->proxyToString(of) : "null";
  }
  [[nodiscard]] const std::shared_ptr<IceGrid::RegistryPrx>& registry() const { return registry_; }
  [[nodiscard]] std::shared_ptr<IceGrid::AdminSessionPrx> session(const std::string& user = "joe") const {
    return registry_->createAdminSession(user, "");
  }
  [[nodiscard]] std::shared_ptr<IceGrid::AdminPrx> admin(const std::string& user = "joe") const {
    return session(user)->getAdmin();
  }
  void break_connection() const { registry_->ice_getCachedConnection()->close(Ice::ConnectionClose::Forcefully); }

 private:
  // A client's run time keeps closed connections until it next looks for idle ones, unless it looks for none.
  static Ice::InitializationData without_idle_connections() {
    Ice::InitializationData start;
    start.properties = Ice::createProperties();
    start.properties->setProperty("Ice.ACM.Client.Timeout", "0");
    return start;
  }

  administered_replica& of_;
  const Ice::CommunicatorHolder own_{without_idle_connections()};
  std::shared_ptr<IceGrid::RegistryPrx> registry_;
};

/// The reason in the exception of type `Refusal` that `call` throws; "nothing was thrown" without one. Other exceptions
/// pass.
template <typename Refusal, typename Call>
std::string reason_of(Call&& call) {
  try {
    call();
  } catch (const Refusal& refused) {
    if constexpr (requires { refused.reason; }) {
      return refused.reason;
    } else if constexpr (requires { refused.lockUserId; }) {
      return refused.lockUserId;
    } else {
      return refused.unknown;
    }
  }
  return "nothing was thrown";
}

}  // namespace muster::ice
