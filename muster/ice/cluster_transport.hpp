#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "muster/base/event.hpp"
#include "muster/base/instant.hpp"
#include "muster/base/result.hpp"
#include "muster/cluster/transport.hpp"
#include "muster/config/property_map.hpp"

namespace muster::ice {

struct cluster_transport_options {
  /// Ice endpoints of tcp or ws, or all of them of ssl or wss; without a port, or with port 0, any free one.
  std::string listen{"tcp -h 127.0.0.1"};
  /// How others reach this node, where that is not where it listens. Empty: the endpoints that it listens on, and for
  /// one on all interfaces the address of each.
  std::string published{};
  /// Those of Ice and IceSSL go to the run time. What the transport depends on is not to be had otherwise.
  config::property_map properties{};

  std::size_t frame_bytes_max{std::size_t{1024} * 1024 + std::size_t{16} * 1024};
  /// Bytes to one address on one channel that have been accepted and have not left this process.
  std::size_t in_flight_bytes_max{std::size_t{16} * 1024 * 1024};
  std::chrono::milliseconds connect_timeout{3000};
  /// Peers send a sign of life over each connection four times in this time (twice in 1 s, the least that is allowed),
  /// whatever else they send. A connection without one is given up when it is to be used: after a partition the system
  /// would take minutes to find that it works again.
  std::chrono::seconds silence_timeout{8};
  /// For peers to take what is on its way, and to close.
  std::chrono::milliseconds stop_timeout{1000};
  std::function<instant()> now{};  ///< the steady clock
};

/// What a transport has counted since it began; never falls.
struct cluster_transport_counters {
  std::uint64_t connections{0};  ///< that this node has made
  std::uint64_t refused{0};      ///< frames for which there was no room
  std::uint64_t lost{0};         ///< frames that were accepted and whose connection broke, or was not made
  std::uint64_t oversized{0};    ///< to be sent, or received: dropped
  std::uint64_t unreadable_addresses{0};
  std::uint64_t unnamed{0};        ///< frames from a peer whose certificate has no name: dropped
  std::uint64_t misnamed{0};       ///< connections to a peer whose certificate has another name than expected: closed
  std::uint64_t signs_of_life{0};  ///< from peers, over connections that this node has made
};

/// Carries frames between nodes by oneway requests of Ice, over tcp or ssl (docs/protocols/cluster.md).
///
/// Connections are used in one direction: each node makes its own, one a channel. Each channel has a communicator, and
/// so threads, of its own. All come in by one listening endpoint, whose threads only copy and hand over: none of them
/// ever waits.
///
/// With ssl a node's name stands in its certificate (node_certificate.hpp). Frames carry the name to the receiver, and
/// a connection to an address that is `expect`ed to be of a node is used only if the certificate there has its name.
class cluster_transport final : public cluster::transport {
 public:
  /// `invalid_argument` names the option or property, its value and what is allowed. `log` outlives the transport.
  [[nodiscard]] static result<std::shared_ptr<cluster_transport>> make(cluster_transport_options how, event_log& log);
  /// Waits for connections to end, for `stop_timeout` at most. Not on a thread of Ice's.
  ~cluster_transport() override;

  [[nodiscard]] result<std::string> start(std::shared_ptr<cluster::transport_receiver> to) override;
  /// Returns at once; the destructor waits.
  void stop() override;
  [[nodiscard]] cluster::send_outcome send(const std::string& address, cluster::channel on,
                                           const cluster::shared_frame& frame) override;
  [[nodiscard]] bool has_room(const std::string& address, cluster::channel on, std::size_t frame_bytes) const override;
  void expect(const std::string& address, std::string_view name) override;

  [[nodiscard]] cluster_transport_counters counted() const;
  /// Bytes on their way to this address.
  [[nodiscard]] std::size_t in_flight_bytes(const std::string& address, cluster::channel on) const;

 private:
  class parts;
  explicit cluster_transport(std::unique_ptr<parts> inner) noexcept;

  std::unique_ptr<parts> parts_;
};

}  // namespace muster::ice
