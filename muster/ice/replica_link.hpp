#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <Ice/Ice.h>
#include <Muster/Replica.h>

#include "muster/replication/framing.hpp"
#include "muster/replication/messages.hpp"

namespace muster::ice {

/// One connection between two replicas, whoever opened it, and what flows on it in both directions.
///
/// Messages are oneway requests in the order of `send`; the runtime keeps their order on the connection, and the one
/// dispatch thread of the other side keeps it there. The runtime's send queue knows no bound, so the bytes that it
/// holds are counted: a peer that does not read is cut off before it costs more than its bound.
class replica_link : public std::enable_shared_from_this<replica_link> {
 public:
  /// `connection` stays open as long as it works: it is kept alive by heartbeats, never closed for idleness.
  replica_link(replication::peer_id id, Ice::ConnectionPtr connection, const Ice::Identity& remote,
               std::size_t in_flight_bytes_max);

  [[nodiscard]] replication::peer_id id() const noexcept { return id_; }
  [[nodiscard]] const Ice::ConnectionPtr& connection() const noexcept { return connection_; }
  /// A twoway proxy to the replica at the other end, bound to this connection.
  [[nodiscard]] const std::shared_ptr<Muster::ReplicaPrx>& remote() const noexcept { return remote_; }

  /// On the strand. Beyond the bound the connection is closed, which its close callback reports.
  void send(const replication::message& what, std::uint8_t version);

  /// On the connection's dispatch thread: the whole message that `frame` completes, if it does. Errors are those of
  /// `frame_assembly::add` and `replication::decode`; the caller closes the connection then.
  [[nodiscard]] result<std::optional<replication::message>> receive(byte_view frame);

  void close() noexcept;

 private:
  const replication::peer_id id_;
  const Ice::ConnectionPtr connection_;
  std::shared_ptr<Muster::ReplicaPrx> remote_;
  std::shared_ptr<Muster::ReplicaPrx> oneway_;
  const std::size_t in_flight_bytes_max_;
  std::atomic<std::size_t> in_flight_bytes_{0};
  std::uint64_t last_frame_number_{0};    // the strand's
  replication::frame_assembly assembly_;  // the dispatch thread's
};

}  // namespace muster::ice
