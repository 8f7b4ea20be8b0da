#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <IceGrid/Admin.h>

#include "muster/base/task.hpp"
#include "muster/catalog/change.hpp"
#include "muster/ice/session_servants.hpp"

namespace muster::ice {

/// `IceGrid::Admin` for one session. Reads are answered from the published state at once, long lists on the shell;
/// changes are proposed to the service, which answers them. The sources are split by subject: admin_objects.cpp,
/// admin_adapters.cpp, admin_applications.cpp, admin_servers.cpp (with nodes), admin_replicas.cpp.
class admin_servant final : public IceGrid::Admin, public std::enable_shared_from_this<admin_servant> {
 public:
  admin_servant(std::shared_ptr<session_hall> hall, session_ticket ticket)
      : hall_{std::move(hall)}, ticket_{std::move(ticket)} {}

  using done = std::function<void()>;
  using failed = std::function<void(std::exception_ptr)>;
  template <typename T>
  using given = std::function<void(const T&)>;
  using proxy_given = std::function<void(const std::shared_ptr<Ice::ObjectPrx>&)>;

  // Applications.
  void addApplicationAsync(IceGrid::ApplicationDescriptor descriptor, done response, failed exception,
                           const Ice::Current& current) override;
  void syncApplicationAsync(IceGrid::ApplicationDescriptor descriptor, done response, failed exception,
                            const Ice::Current& current) override;
  void updateApplicationAsync(IceGrid::ApplicationUpdateDescriptor descriptor, done response, failed exception,
                              const Ice::Current& current) override;
  void syncApplicationWithoutRestartAsync(IceGrid::ApplicationDescriptor descriptor, done response, failed exception,
                                          const Ice::Current& current) override;
  void updateApplicationWithoutRestartAsync(IceGrid::ApplicationUpdateDescriptor descriptor, done response,
                                            failed exception, const Ice::Current& current) override;
  void removeApplicationAsync(std::string name, done response, failed exception, const Ice::Current& current) override;
  void instantiateServerAsync(std::string application, std::string node, IceGrid::ServerInstanceDescriptor instance,
                              done response, failed exception, const Ice::Current& current) override;
  void patchApplicationAsync(std::string name, bool shutdown, done response, failed exception,
                             const Ice::Current& current) override;
  void getApplicationInfoAsync(std::string name, given<IceGrid::ApplicationInfo> response, failed exception,
                               const Ice::Current& current) const override;
  void getDefaultApplicationDescriptorAsync(given<IceGrid::ApplicationDescriptor> response, failed exception,
                                            const Ice::Current& current) const override;
  void getAllApplicationNamesAsync(given<Ice::StringSeq> response, failed exception,
                                   const Ice::Current& current) const override;

  // Servers.
  void getServerInfoAsync(std::string id, given<IceGrid::ServerInfo> response, failed exception,
                          const Ice::Current& current) const override;
  void getServerStateAsync(std::string id, std::function<void(IceGrid::ServerState)> response, failed exception,
                           const Ice::Current& current) const override;
  void getServerPidAsync(std::string id, std::function<void(int)> response, failed exception,
                         const Ice::Current& current) const override;
  void getServerAdminCategoryAsync(given<std::string> response, failed exception,
                                   const Ice::Current& current) const override;
  void getServerAdminAsync(std::string id, proxy_given response, failed exception,
                           const Ice::Current& current) const override;
  void enableServerAsync(std::string id, bool enabled, done response, failed exception,
                         const Ice::Current& current) override;
  void isServerEnabledAsync(std::string id, std::function<void(bool)> response, failed exception,
                            const Ice::Current& current) const override;
  void startServerAsync(std::string id, done response, failed exception, const Ice::Current& current) override;
  void stopServerAsync(std::string id, done response, failed exception, const Ice::Current& current) override;
  void patchServerAsync(std::string id, bool shutdown, done response, failed exception,
                        const Ice::Current& current) override;
  void sendSignalAsync(std::string id, std::string signal, done response, failed exception,
                       const Ice::Current& current) override;
  void getAllServerIdsAsync(given<Ice::StringSeq> response, failed exception,
                            const Ice::Current& current) const override;

  // Adapters.
  void getAdapterInfoAsync(std::string id, given<IceGrid::AdapterInfoSeq> response, failed exception,
                           const Ice::Current& current) const override;
  void removeAdapterAsync(std::string id, done response, failed exception, const Ice::Current& current) override;
  void getAllAdapterIdsAsync(given<Ice::StringSeq> response, failed exception,
                             const Ice::Current& current) const override;

  // Objects.
  void addObjectAsync(std::shared_ptr<Ice::ObjectPrx> object, done response, failed exception,
                      const Ice::Current& current) override;
  void updateObjectAsync(std::shared_ptr<Ice::ObjectPrx> object, done response, failed exception,
                         const Ice::Current& current) override;
  void addObjectWithTypeAsync(std::shared_ptr<Ice::ObjectPrx> object, std::string type, done response, failed exception,
                              const Ice::Current& current) override;
  void removeObjectAsync(Ice::Identity id, done response, failed exception, const Ice::Current& current) override;
  void getObjectInfoAsync(Ice::Identity id, given<IceGrid::ObjectInfo> response, failed exception,
                          const Ice::Current& current) const override;
  void getObjectInfosByTypeAsync(std::string type, given<IceGrid::ObjectInfoSeq> response, failed exception,
                                 const Ice::Current& current) const override;
  void getAllObjectInfosAsync(std::string expression, given<IceGrid::ObjectInfoSeq> response, failed exception,
                              const Ice::Current& current) const override;

  // Nodes.
  void pingNodeAsync(std::string name, std::function<void(bool)> response, failed exception,
                     const Ice::Current& current) const override;
  void getNodeLoadAsync(std::string name, given<IceGrid::LoadInfo> response, failed exception,
                        const Ice::Current& current) const override;
  void getNodeInfoAsync(std::string name, given<IceGrid::NodeInfo> response, failed exception,
                        const Ice::Current& current) const override;
  void getNodeAdminAsync(std::string name, proxy_given response, failed exception,
                         const Ice::Current& current) const override;
  void getNodeProcessorSocketCountAsync(std::string name, std::function<void(int)> response, failed exception,
                                        const Ice::Current& current) const override;
  void shutdownNodeAsync(std::string name, done response, failed exception, const Ice::Current& current) override;
  void getNodeHostnameAsync(std::string name, given<std::string> response, failed exception,
                            const Ice::Current& current) const override;
  void getAllNodeNamesAsync(given<Ice::StringSeq> response, failed exception,
                            const Ice::Current& current) const override;

  // Replicas.
  void pingRegistryAsync(std::string name, std::function<void(bool)> response, failed exception,
                         const Ice::Current& current) const override;
  void getRegistryInfoAsync(std::string name, given<IceGrid::RegistryInfo> response, failed exception,
                            const Ice::Current& current) const override;
  void getRegistryAdminAsync(std::string name, proxy_given response, failed exception,
                             const Ice::Current& current) const override;
  void shutdownRegistryAsync(std::string name, done response, failed exception, const Ice::Current& current) override;
  void getAllRegistryNamesAsync(given<Ice::StringSeq> response, failed exception,
                                const Ice::Current& current) const override;
  void shutdownAsync(done response, failed exception, const Ice::Current& current) override;
  void getSliceChecksumsAsync(given<Ice::SliceChecksumDict> response, failed exception,
                              const Ice::Current& current) const override;

 private:
  [[nodiscard]] std::shared_ptr<const registry::published> now() const { return hall_->service().current(); }

  /// Does what may take a while where nobody waits for it; `exception` is called at once when that is not possible.
  void on_shell(task work, const failed& exception) const;
  /// Answers with names, unless they are too many for a message.
  static void answer_names(const session_hall& hall, const Ice::StringSeq& names, std::string_view what,
                           const given<Ice::StringSeq>& response, const failed& exception);

  /// Answers and gives false where this replica takes no changes: `DeploymentException` that names the master.
  [[nodiscard]] bool takes_changes(const failed& exception) const;
  /// Likewise for a change to this object, which is null or the registry's own where it may not be changed.
  [[nodiscard]] bool takes_object(const std::shared_ptr<Ice::ObjectPrx>& object, std::string_view doing,
                                  const failed& exception) const;
  /// Proposes; `explain` makes the operation's own exception of an error, or null for a `DeploymentException` with the
  /// error's sentence.
  using explain = std::function<std::exception_ptr(const error&)>;
  void propose(catalog::change what, done response, failed exception, explain own) const;
  /// Likewise, unless another session holds the exclusive lock.
  void propose_update(catalog::change what, done response, failed exception, explain own) const;
  [[nodiscard]] catalog::edited edited_now() const;

  /// `NodeUnreachableException`, or what says that there is no such thing.
  void refuse_server(const std::string& id, const failed& exception) const;
  void refuse_node(const std::string& name, const failed& exception) const;

  const std::shared_ptr<session_hall> hall_;
  const session_ticket ticket_;
};

}  // namespace muster::ice
