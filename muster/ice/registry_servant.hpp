#pragma once

#include <memory>
#include <string>

#include <IceGrid/Registry.h>

#include "muster/ice/permissions.hpp"
#include "muster/ice/session_hall.hpp"

namespace muster::ice {

/// `IceGrid::Registry`: where sessions are made. The master serves it as `Registry`, a slave as `Registry-<replica>`.
class registry_servant final : public IceGrid::Registry, public std::enable_shared_from_this<registry_servant> {
 public:
  registry_servant(std::shared_ptr<session_hall> hall, permissions_verifiers verifiers, Ice::ObjectAdapterPtr adapter)
      : hall_{std::move(hall)}, verifiers_{std::move(verifiers)}, adapter_{std::move(adapter)} {}

  using failed = std::function<void(std::exception_ptr)>;
  using client_session = std::function<void(const std::shared_ptr<IceGrid::SessionPrx>&)>;
  using admin_session = std::function<void(const std::shared_ptr<IceGrid::AdminSessionPrx>&)>;

  void createSessionAsync(std::string user, std::string password, client_session response, failed exception,
                          const Ice::Current& current) override;
  void createAdminSessionAsync(std::string user, std::string password, admin_session response, failed exception,
                               const Ice::Current& current) override;
  void createSessionFromSecureConnectionAsync(client_session response, failed exception,
                                              const Ice::Current& current) override;
  void createAdminSessionFromSecureConnectionAsync(admin_session response, failed exception,
                                                   const Ice::Current& current) override;
  void getSessionTimeoutAsync(std::function<void(int)> response, failed exception,
                              const Ice::Current& current) const override;
  void getACMTimeoutAsync(std::function<void(int)> response, failed exception,
                          const Ice::Current& current) const override;

 private:
  using opened = session_hall::opened;

  /// False, after the exception, on a slave: client sessions are for the master alone.
  [[nodiscard]] bool takes_clients(const failed& exception) const;
  void open_by_password(session::session_kind kind, const std::shared_ptr<permissions_verifier>& verifier,
                        const std::string& user, const std::string& password, opened then, failed otherwise,
                        const Ice::Current& current);
  void open_by_connection(session::session_kind kind, const std::shared_ptr<ssl_permissions_verifier>& verifier,
                          opened then, failed otherwise, const Ice::Current& current);
  void judge(const result<verdict>& judged, session_hall::request what, opened then, const failed& otherwise);

  const std::shared_ptr<session_hall> hall_;
  const permissions_verifiers verifiers_;
  const Ice::ObjectAdapterPtr adapter_;
};

}  // namespace muster::ice
