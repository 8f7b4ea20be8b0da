#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <Ice/Ice.h>

#include "muster/base/event.hpp"
#include "muster/base/result.hpp"
#include "muster/config/registry_settings.hpp"
#include "muster/ice/permissions.hpp"
#include "muster/ice/verifiers.hpp"
#include "muster/metrics/registry_metrics.hpp"
#include "muster/registry/executor.hpp"
#include "muster/registry/service.hpp"

namespace muster::ice {

struct registry_host_options {
  config::registry_settings settings;
  std::string host_name;  ///< the machine's name, for those who ask about this replica
  std::uint64_t seed{};   ///< of the random choices among replicas of equal rank
  password_check client_passwords;
  password_check admin_passwords;
  /// Of IceGrid.Registry.UserAccounts, by user; none: nobody is told.
  std::optional<std::map<std::string, std::string, std::less<>>> user_accounts;
};

/// What is open to clients once the replica serves, for those who add servants of their own (administration). All of it
/// outlives the servants.
struct open_adapters {
  const config::registry_settings& settings;
  Ice::CommunicatorPtr communicator;
  registry::service& service;
  Ice::ObjectAdapterPtr client;
  Ice::ObjectAdapterPtr server;
  Ice::ObjectAdapterPtr internal;
  Ice::ObjectAdapterPtr session_manager;        ///< null where not configured
  Ice::ObjectAdapterPtr admin_session_manager;  ///< null where not configured
  permissions_verifiers verifiers;
  /// This replica's own locator: resolves indirect proxies that clients hand in.
  std::shared_ptr<Ice::LocatorPrx> locator;
  /// Where work may take a while: neither a dispatch thread nor the service's strand.
  registry::executor& shell;
  event_log& log;
};

/// One replica on the network: its object adapters and what is served on them, from the first instant at which the
/// replica has something to serve.
///
///     make -> attach(service) -> start -> on_serving (from the service) -> open -> … -> close
///
/// The internal adapter takes its port in `make` and requests after `start`. The adapters for clients, servers and
/// session managers are made when the service says that it serves, on the shell's executor, because that
/// resolves names and binds ports: a client whose replica has nothing to serve yet is refused its connection and goes
/// on to the next one.
class registry_host final : public registry::listener {
 public:
  struct ports {
    /// Not the service's strand: here adapters are made, which may take a while.
    registry::executor& shell;
    event_log& log;
    metrics::registry_metrics& figures;
  };

  struct callbacks {
    /// Adds servants of others before the adapters take requests. On the shell.
    std::vector<std::function<void(const open_adapters&)>> add_servants;
    /// The replica serves. On the shell.
    std::function<void()> on_ready;
    /// The process has to end: with an empty sentence in good order, else because of what it says. Any thread; may be
    /// called more than once; must not block.
    std::function<void(std::string sentence)> on_end;
  };

  /// Takes the port of the internal adapter and reads the verifiers' proxies. `invalid_argument`, `unavailable`: one
  /// line that names the property.
  [[nodiscard]] static result<std::unique_ptr<registry_host>> make(Ice::CommunicatorPtr communicator,
                                                                   registry_host_options options, ports around,
                                                                   callbacks then);
  ~registry_host() override;

  /// Where the transport adds its servant, before `start`.
  [[nodiscard]] const Ice::ObjectAdapterPtr& internal_adapter() const noexcept { return internal_; }
  /// This replica as far as it is reachable now, for `service_options::own`: at first by its internal endpoints alone.
  [[nodiscard]] registry::replica_card card() const;

  /// Once, before `start`.
  void attach(registry::service& to) noexcept { service_ = &to; }
  /// Lets other replicas in.
  void start();
  /// Takes no more requests of clients and servers, who go on to other replicas. Does not wait for those under way,
  /// which the service's end answers. Other replicas stay connected, so that the service can take leave of them; they
  /// go with the communicator. Any thread; safe to repeat.
  void close();

  void on_serving() override;
  void on_must_end(std::string sentence) override;

 private:
  registry_host(Ice::CommunicatorPtr communicator, registry_host_options options, ports around, callbacks then);

  [[nodiscard]] result<void> make_internal();
  void open();
  void let_clients_in();
  /// In a handler: the exception that is being handled ends the process, unless it comes of closing.
  void end_unless_closed();
  [[nodiscard]] result<void> make_adapters();
  void add_own_servants();
  void open_discovery();
  [[nodiscard]] bool is_closed() const;
  [[nodiscard]] result<Ice::ObjectAdapterPtr> make_adapter(const std::string& name, bool is_wanted);

  const Ice::CommunicatorPtr communicator_;
  const registry_host_options options_;
  registry::executor& shell_;
  event_log& log_;
  metrics::registry_metrics& figures_;
  const callbacks then_;
  registry::service* service_{nullptr};

  Ice::ObjectAdapterPtr internal_;

  mutable std::mutex mutex_;  // a leaf: the adapters, which `close` reads while the shell makes them
  bool closed_{false};
  Ice::ObjectAdapterPtr client_;
  Ice::ObjectAdapterPtr server_;
  Ice::ObjectAdapterPtr session_manager_;
  Ice::ObjectAdapterPtr admin_session_manager_;
  Ice::ObjectAdapterPtr discovery_;
};

}  // namespace muster::ice
