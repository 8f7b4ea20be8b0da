#pragma once

#include <memory>
#include <string>

#include <IceGrid/Admin.h>
#include <IceGrid/Session.h>

#include "muster/ice/session_hall.hpp"

namespace muster::ice {

/// What the objects of a session know of it.
struct session_ticket {
  session::session_id id;
  std::string user;
};

/// An administrator's session. Whose requests come to it is not its business (owned_object.hpp). Its end takes it away;
/// so whoever calls it later is told that it does not exist.
class admin_session_servant final : public IceGrid::AdminSession {
 public:
  admin_session_servant(std::shared_ptr<session_hall> hall, session_ticket ticket,
                        const std::shared_ptr<Ice::ObjectPrx>& admin);

  using done = std::function<void()>;
  using failed = std::function<void(std::exception_ptr)>;
  using file = std::function<void(const std::shared_ptr<IceGrid::FileIteratorPrx>&)>;

  void ice_ping(const Ice::Current& current) const override;
  void destroyAsync(done response, failed exception, const Ice::Current& current) override;
  void keepAliveAsync(done response, failed exception, const Ice::Current& current) override;
  void getAdminAsync(std::function<void(const std::shared_ptr<IceGrid::AdminPrx>&)> response, failed exception,
                     const Ice::Current& current) const override;
  void getAdminCallbackTemplateAsync(std::function<void(const std::shared_ptr<Ice::ObjectPrx>&)> response,
                                     failed exception, const Ice::Current& current) const override;
  void setObserversAsync(std::shared_ptr<IceGrid::RegistryObserverPrx> registries,
                         std::shared_ptr<IceGrid::NodeObserverPrx> nodes,
                         std::shared_ptr<IceGrid::ApplicationObserverPrx> applications,
                         std::shared_ptr<IceGrid::AdapterObserverPrx> adapters,
                         std::shared_ptr<IceGrid::ObjectObserverPrx> objects, done response, failed exception,
                         const Ice::Current& current) override;
  void setObserversByIdentityAsync(Ice::Identity registries, Ice::Identity nodes, Ice::Identity applications,
                                   Ice::Identity adapters, Ice::Identity objects, done response, failed exception,
                                   const Ice::Current& current) override;
  void startUpdateAsync(std::function<void(int)> response, failed exception, const Ice::Current& current) override;
  void finishUpdateAsync(done response, failed exception, const Ice::Current& current) override;
  void getReplicaNameAsync(std::function<void(const std::string&)> response, failed exception,
                           const Ice::Current& current) const override;
  void openServerLogAsync(std::string id, std::string path, int count, file response, failed exception,
                          const Ice::Current& current) override;
  void openServerStdErrAsync(std::string id, int count, file response, failed exception,
                             const Ice::Current& current) override;
  void openServerStdOutAsync(std::string id, int count, file response, failed exception,
                             const Ice::Current& current) override;
  void openNodeStdErrAsync(std::string name, int count, file response, failed exception,
                           const Ice::Current& current) override;
  void openNodeStdOutAsync(std::string name, int count, file response, failed exception,
                           const Ice::Current& current) override;
  void openRegistryStdErrAsync(std::string name, int count, file response, failed exception,
                               const Ice::Current& current) override;
  void openRegistryStdOutAsync(std::string name, int count, file response, failed exception,
                               const Ice::Current& current) override;

 private:
  void refuse_server_file(const std::string& id, const failed& exception) const;
  void refuse_node_file(const std::string& name, const failed& exception) const;
  void refuse_registry_file(const std::string& name, const failed& exception) const;

  const std::shared_ptr<session_hall> hall_;
  const session_ticket ticket_;
  const std::shared_ptr<IceGrid::AdminPrx> admin_;
};

/// A client's session. Objects to allocate come with the nodes that run servers.
class client_session_servant final : public IceGrid::Session {
 public:
  client_session_servant(std::shared_ptr<session_hall> hall, session_ticket ticket)
      : hall_{std::move(hall)}, ticket_{std::move(ticket)} {}

  using done = std::function<void()>;
  using failed = std::function<void(std::exception_ptr)>;
  using object = std::function<void(const std::shared_ptr<Ice::ObjectPrx>&)>;

  void ice_ping(const Ice::Current& current) const override;
  void destroyAsync(done response, failed exception, const Ice::Current& current) override;
  void keepAliveAsync(done response, failed exception, const Ice::Current& current) override;
  void allocateObjectByIdAsync(Ice::Identity id, object response, failed exception,
                               const Ice::Current& current) override;
  void allocateObjectByTypeAsync(std::string type, object response, failed exception,
                                 const Ice::Current& current) override;
  void releaseObjectAsync(Ice::Identity id, done response, failed exception, const Ice::Current& current) override;
  void setAllocationTimeoutAsync(int timeout, done response, failed exception, const Ice::Current& current) override;

 private:
  const std::shared_ptr<session_hall> hall_;
  const session_ticket ticket_;
};

}  // namespace muster::ice
