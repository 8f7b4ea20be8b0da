#pragma once

#include "muster/catalog/encoded_proxy.hpp"
#include "muster/registry/registration.hpp"
#include "muster/replication/ready.hpp"

namespace muster::registry {

/// Port: the way to the other replicas. Called on the strand; nothing here blocks or waits for a peer. What comes in
/// goes to `service::handle_message` and its kin, on any thread.
class transport {
 public:
  transport() = default;
  transport(const transport&) = delete;
  transport& operator=(const transport&) = delete;
  virtual ~transport() = default;

  /// Sends, or drops what cannot be sent; a peer that is gone is reported by `service::handle_peer_gone`.
  virtual void send(replication::outgoing message) = 0;

  /// Asks every replica that can be reached, in parallel and bounded, and then reports
  /// `service::handle_discovery_complete`.
  virtual void discover(replication::discover what) = 0;

  /// A slave hands a registration on to the master that it has its session with. `done` is called once, on any thread,
  /// within the bound that the transport was made with.
  virtual void forward(replication::peer_id master, adapter_registration what, registration_done done) = 0;
  virtual void forward(replication::peer_id master, process_registration what, registration_done done) = 0;

  /// Asks a slave that has its session with this master to end its process in good order.
  virtual void shut_down(replication::peer_id slave) = 0;
};

/// Port: writes the file of a diverged tail durably beside the database and gives its path.
class tail_files {
 public:
  tail_files() = default;
  tail_files(const tail_files&) = delete;
  tail_files& operator=(const tail_files&) = delete;
  virtual ~tail_files() = default;

  [[nodiscard]] virtual result<std::string> save(const replication::save_tail& tail) = 0;
};

}  // namespace muster::registry
