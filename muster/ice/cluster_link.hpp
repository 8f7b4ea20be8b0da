#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include <Ice/Ice.h>
#include <Muster/Cluster.h>

#include "muster/cluster/transport.hpp"
#include "muster/ice/link_context.hpp"

namespace muster::ice {

/// What a frame in flight counts beside its bytes: the run time's objects that wait with it.
inline constexpr std::size_t flight_overhead_bytes = 512;

/// One channel to one address: its connection and the frames that are on their way.
///
/// A link connects when it is sent something, and again when it is sent something after its connection has ended; what
/// comes meanwhile waits, within the bound of what is in flight. Frames are handed to the run time one after the other,
/// by one thread at a time and under no lock. Any thread. Inside the folder only.
class cluster_link final : public std::enable_shared_from_this<cluster_link> {
 public:
  /// `endpoints` is the address as it has been read. `on_idle` is told, at the end of a connection, that nothing waits.
  cluster_link(std::shared_ptr<link_context> context, Ice::CommunicatorPtr communicator, std::string address,
               std::string endpoints, std::size_t in_flight_bytes_max,
               std::function<void(const std::shared_ptr<cluster_link>&)> on_idle);

  enum class taken : std::uint8_t { accepted, refused, retired };
  [[nodiscard]] taken send(const cluster::shared_frame& frame);
  /// Somewhat less than `send` takes, since who asks may ask once for many frames.
  [[nodiscard]] bool has_room(std::size_t frame_bytes) const noexcept {
    return has_room(in_flight_bytes_, frame_bytes, in_flight_bytes_max_);
  }
  [[nodiscard]] static bool has_room(std::size_t in_flight, std::size_t frame_bytes, std::size_t most) noexcept {
    return in_flight + frame_bytes + flight_overhead_bytes + most / 16 <= most;
  }
  [[nodiscard]] std::size_t in_flight_bytes() const noexcept { return in_flight_bytes_; }
  [[nodiscard]] const std::string& address() const noexcept { return address_; }

  /// The name that is expected here has changed.
  void check_name();
  /// True when nothing waits and there is no connection: it takes nothing any more.
  [[nodiscard]] bool try_retire();
  /// Takes nothing any more; what waits leaves, then the connection closes in good order.
  void close();
  /// What has not left by now never will. After `close`.
  void abort();

 private:
  enum class state : std::uint8_t { idle, connecting, open };
  enum class verdict : std::uint8_t { none, silent, misnamed };

  void connect();
  void handle_connected(const Ice::ConnectionPtr& connection);
  void handle_not_connected(const std::exception_ptr& why);
  void handle_closed(const Ice::ConnectionPtr& connection);
  void pump();
  void transmit(Muster::ClusterNodePrx& over, const cluster::shared_frame& frame);
  void settle(std::size_t frame_bytes) noexcept;
  void drop(const std::deque<cluster::shared_frame>& frames) noexcept;
  void end(bool is_closing);
  [[nodiscard]] bool is_silent() const;

  const std::shared_ptr<link_context> context_;
  const Ice::CommunicatorPtr communicator_;
  const std::string address_;
  const std::string endpoints_;
  const std::size_t in_flight_bytes_max_;
  const std::function<void(const std::shared_ptr<cluster_link>&)> on_idle_;

  std::atomic<std::size_t> in_flight_bytes_{0};
  std::atomic<instant::rep> last_heard_{0};

  mutable std::mutex mutex_;  // never held while the run time or the receiver is called
  state state_{state::idle};
  verdict verdict_{verdict::none};  // why this side has given up the present connection
  bool is_pumping_{false};
  bool is_closing_{false};
  bool is_retired_{false};
  std::deque<cluster::shared_frame> waiting_;
  Ice::ConnectionPtr connection_;
  std::shared_ptr<Muster::ClusterNodePrx> proxy_;
  std::string peer_name_;
};

}  // namespace muster::ice
