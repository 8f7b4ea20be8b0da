#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <boost/unordered/unordered_flat_map.hpp>

#include "muster/base/event.hpp"
#include "muster/base/prng.hpp"
#include "muster/catalog/change.hpp"
#include "muster/metrics/registry_metrics.hpp"
#include "muster/registry/catalog_machine.hpp"
#include "muster/registry/executor.hpp"
#include "muster/registry/published.hpp"
#include "muster/registry/registration.hpp"
#include "muster/registry/replica_trace.hpp"
#include "muster/registry/session_desk.hpp"
#include "muster/registry/transport.hpp"
#include "muster/replication/replica.hpp"

namespace muster::registry {

struct service_options {
  std::string instance_name;
  replica_card own;  ///< as far as it is known at the start; `set_card` completes it
  bool dynamic_registration{false};
  replication::options replication;  ///< its `endpoints` are filled in from `own`
  session::session_options sessions;
  int replica_trace{0};  ///< which messages between replicas the log shows (replica_trace.hpp)
};

/// Port: what the process around the service has to do. Called on the strand; must not block.
class listener {
 public:
  listener() = default;
  listener(const listener&) = delete;
  listener& operator=(const listener&) = delete;
  virtual ~listener() = default;

  /// `published::serves` is true now: the client endpoints may be opened. Called once.
  virtual void on_serving() = 0;
  /// The process has to end; nothing more will be served rightly. The sentence says why and what to do.
  virtual void on_must_end(std::string sentence) = 0;
};

/// One replica of the registry: the use-cases, on top of the replication core, the catalog and the ports.
///
/// Reading is `current()`: an immutable state, from any thread, without waiting for anyone. Changing is a call from any
/// thread with a callback that is called exactly once, on the strand. The callback must not block.
class service {
 public:
  struct ports {
    executor& strand;
    replication::store& store;
    transport& peers;
    tail_files& tails;
    event_log& log;
    metrics::registry_metrics& figures;
    listener& shell;
  };

  using change_done = std::function<void(result<replication::serial>)>;

  /// Loads the store (so it may take a while; before the strand has work) and builds the replica. Errors are those of
  /// the store and of `replication::replica::make`.
  [[nodiscard]] static result<std::unique_ptr<service>> make(service_options how, ports around, std::uint64_t seed);

  service(const service&) = delete;
  service& operator=(const service&) = delete;
  ~service();

  /// Begins. Once, any thread.
  void start();
  /// Ends in good order: sessions of slaves and administrators are closed, waiting callers answered. `done` is called
  /// on the strand; afterwards the service only answers reads.
  void stop(std::function<void()> done);

  /// What a reader may see now. Never null.
  [[nodiscard]] std::shared_ptr<const published> current() const noexcept {
    return current_.load(std::memory_order_acquire);
  }

  /// Orders a change. It is answered when it is durable here and visible at every active replica, or with why not:
  /// the catalog's refusals, `not_master` (naming the master), `unavailable`, `limit_exceeded`, `storage_full`,
  /// `outcome_unknown`.
  void propose(catalog::change what, change_done done);

  /// What a server says of its adapter or itself. A slave hands it on to its master.
  void register_adapter(adapter_registration what, registration_done done);
  void register_process(process_registration what, registration_done done);

  [[nodiscard]] session_desk& sessions() noexcept { return sessions_; }

  /// A copy of the replication core's figures, for people.
  void describe(std::function<void(replication::status)> done);

  /// How others reach this replica is known (better) now.
  void set_card(replica_card own);

  /// Ends the process of a replica in good order: this one, or an active slave by its name. `not_found` for others.
  void shut_down_replica(const std::string& name, std::function<void(result<void>)> done);

  // From the transport, any thread.
  void handle_message(replication::peer_id from, replication::message what);
  void handle_peer_gone(replication::peer_id which);
  void handle_discovery_complete(std::uint64_t round);
  /// A registration that a slave hands on. Refused unless the peer has a session of an active slave.
  void handle_forwarded(replication::peer_id from, adapter_registration what, registration_done done);
  void handle_forwarded(replication::peer_id from, process_registration what, registration_done done);
  /// The master of this slave asks for the end of this process. Ignored from anyone else.
  void handle_shut_down(replication::peer_id from);

 private:
  service(service_options how, ports around, std::uint64_t seed);

  result<void> load(instant now);
  void turn();
  void perform(replication::ready& effects);
  void persist(replication::commit step);
  void report(const replication::event& what);
  void trace(const replication::message& what, traffic way, replication::peer_id peer);
  void adopt(std::shared_ptr<const replication::roster> replicas);
  [[nodiscard]] bool serves() const;
  void republish();
  void measure(instant now);

  replication::ticket enlist(change_done done);
  void propose_here(const catalog::change& what, change_done done);
  void register_here(adapter_registration what, registration_done done);
  void register_here(const process_registration& what, const registration_done& done);
  template <typename Registration>
  void register_or_forward(Registration what, registration_done done);
  void log_refusal(const adapter_registration& what, const registration_refusal& why);

  service_options options_;
  executor& strand_;
  replication::store& store_;
  transport& peers_;
  tail_files& tails_;
  event_log& log_;
  metrics::registry_metrics& figures_;
  listener& shell_;

  prng random_;
  catalog_machine machine_;
  std::unique_ptr<replication::replica> core_;
  session_desk sessions_;

  // Who waits for which proposal.
  struct waiting {
    change_done done;
    instant since{};
  };
  boost::unordered_flat_map<std::uint64_t, waiting> waiting_;
  std::uint64_t last_ticket_{0};

  std::shared_ptr<const replication::roster> roster_;  ///< as the master last told it; null before that
  std::shared_ptr<const locator::well_known> own_objects_;
  std::shared_ptr<const replica_list> replicas_;
  std::string trouble_;
  std::string last_master_name_;  ///< `published::last_master_name`
  instant measured_{};
  bool opened_{false};  ///< `listener::on_serving` was called
  bool stopped_{false};
  std::atomic<std::shared_ptr<const published>> current_;
};

}  // namespace muster::registry
