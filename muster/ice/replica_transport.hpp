#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include <Ice/Ice.h>

#include "muster/base/event.hpp"
#include "muster/ice/replica_link.hpp"
#include "muster/registry/service.hpp"
#include "muster/registry/transport.hpp"

namespace muster::ice {

struct replica_transport_options {
  std::string instance_name;
  std::string replica_name;
  /// Where the default locator comes from a plug-in it has no endpoints to fan out to; the replicas are then found
  /// through the replicated `Query` object.
  bool locator_is_discovered{false};
  std::chrono::milliseconds discovery_timeout{2000};
  std::chrono::milliseconds forward_timeout{5000};
  std::size_t in_flight_bytes_max{std::size_t{64} * 1024 * 1024};
  /// IceGrid.Registry.RequireReplicaCertCN: a peer must show a certificate whose CN is the name it gives itself.
  bool requires_certificate_name{false};
};

/// The way to the other replicas, over Ice (`Muster::Replica`): the transport of the replication core.
///
/// A connection is used in both directions and is one peer, whoever opened it. Nothing here waits: the strand's calls
/// start asynchronous requests, and what comes in is handed to the service.
class replica_transport final : public registry::transport, public std::enable_shared_from_this<replica_transport> {
 public:
  [[nodiscard]] static std::shared_ptr<replica_transport> make(Ice::CommunicatorPtr communicator,
                                                               replica_transport_options options, event_log& log);
  ~replica_transport() override;

  /// Before anything can come in. The service outlives the communicator's adapters.
  void attach(registry::service& to);
  /// How this replica is reached, so that it does not ask itself.
  void set_own_proxy(const std::shared_ptr<Ice::ObjectPrx>& internal);
  /// What the internal adapter serves as `<instance>/MusterReplica`.
  [[nodiscard]] std::shared_ptr<Ice::Object> servant();
  [[nodiscard]] Ice::Identity identity() const { return {"MusterReplica", options_.instance_name}; }
  /// Closes every connection; what comes later is dropped.
  void close();

  void send(replication::outgoing message) override;
  void discover(replication::discover what) override;
  void forward(replication::peer_id master, registry::adapter_registration what,
               registry::registration_done done) override;
  void forward(replication::peer_id master, registry::process_registration what,
               registry::registration_done done) override;
  void shut_down(replication::peer_id slave) override;

  // For the servant.
  /// The link of a connection, made where there is none yet; null after `close`.
  [[nodiscard]] std::shared_ptr<replica_link> link_of(const Ice::ConnectionPtr& connection);
  void handle_frame(const Ice::ConnectionPtr& connection, byte_view frame);
  [[nodiscard]] registry::service& service() const noexcept { return *service_; }
  [[nodiscard]] const replica_transport_options& options() const noexcept { return options_; }

 private:
  /// One round of `discover`. Whoever still works on an answer holds it; when the last one lets go, all have answered
  /// or failed, and the core is told so.
  class asking;
  friend class asking;

  replica_transport(Ice::CommunicatorPtr communicator, replica_transport_options options, event_log& log);
  void make_answering_adapter();
  [[nodiscard]] std::shared_ptr<replica_link> find(replication::peer_id which) const;
  /// `send` makes the request: it is given the master's proxy and what to call with the outcome.
  template <typename Send>
  void forward(replication::peer_id master, registry::registration_done done, const Send& send);
  void handle_closed(const Ice::ConnectionPtr& connection);
  [[nodiscard]] bool may_speak(const replica_link& link, const replication::message& what);
  void tell_refused_question(const replica_link& link, const replication::refused& what);

  const Ice::CommunicatorPtr communicator_;
  const replica_transport_options options_;
  event_log& log_;
  registry::service* service_{nullptr};
  Ice::ObjectAdapterPtr answering_;  ///< without endpoints: for requests on connections that we have opened
  std::shared_ptr<Ice::ObjectPrx> own_;

  mutable std::mutex mutex_;  // never held while the service or a proxy is called
  std::unordered_map<std::uint64_t, std::shared_ptr<replica_link>> links_;
  std::unordered_map<const Ice::Connection*, std::uint64_t> by_connection_;
  std::uint64_t last_peer_{0};
  std::unordered_map<std::uint64_t, std::shared_ptr<asking>> awaited_;  ///< peers whose description is to come
  std::string told_refusal_;  ///< of the last question that a peer refused: searches are repeated, sentences are not
  bool closed_{false};
};

}  // namespace muster::ice
