#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "muster/base/bytes.hpp"
#include "muster/base/result.hpp"

namespace muster::cluster {

/// Frames of different channels share no connection, so that a large table delays no probe.
enum class channel : std::uint8_t {
  membership,  ///< probes and news of members: small, urgent
  gossip,      ///< registrations, tables of members: bulk
  actors,      ///< what actors tell each other
};

[[nodiscard]] std::string_view to_string(channel value) noexcept;

/// Bytes that are sent to many without being copied.
using shared_frame = std::shared_ptr<const bytes>;

enum class send_outcome : std::uint8_t {
  accepted,  ///< on its way, perhaps to be lost
  refused,   ///< as many bytes as may be are in flight to this peer on this channel; nothing was sent
};

/// Where a transport puts what comes in. Any thread, also several at once, calls it, holding no lock that `send` takes:
/// short turns may run, and send, within a call. No call waits. What comes over one
/// connection is to be handed over in its order.
class transport_receiver {
 public:
  transport_receiver() = default;
  transport_receiver(const transport_receiver&) = delete;
  transport_receiver& operator=(const transport_receiver&) = delete;
  virtual ~transport_receiver() = default;

  /// `authenticated_name` is the name that stands in the sender's certificate; empty where there is none.
  virtual void handle_frame(bytes frame, std::string_view authenticated_name) = 0;
  /// A connection to this address broke, in whatever way but its own graceful close, or one could not be made for
  /// another reason than a refusal.
  virtual void handle_connection_lost(std::string_view address) = 0;
  /// The host of this address refuses connections there: no process listens.
  virtual void handle_connection_refused(std::string_view address) = 0;
};

/// Port: carries frames between nodes. Frames may be lost, doubled and overtaken; who sends is told nothing of that.
/// An address is opaque to all but the transport, and equal addresses are spelled alike.
class transport {
 public:
  transport() = default;
  transport(const transport&) = delete;
  transport& operator=(const transport&) = delete;
  virtual ~transport() = default;

  /// Listens from now on. Gives the address that others reach it by. Once.
  [[nodiscard]] virtual result<std::string> start(std::shared_ptr<transport_receiver> to) = 0;
  /// Ends all connections; what has been accepted is given a short time to leave. The receiver is released and hears
  /// nothing more. Any thread; more than once does no harm.
  virtual void stop() = 0;

  /// Any thread; never waits. Connects where there is no connection yet.
  [[nodiscard]] virtual send_outcome send(const std::string& address, channel on, const shared_frame& frame) = 0;
  /// Whether `send` would take so many bytes now. Any thread.
  [[nodiscard]] virtual bool has_room(const std::string& address, channel on, std::size_t frame_bytes) const = 0;

  /// From now on the node of this name is expected at this address, or (an empty name) nobody in particular. A
  /// transport that knows the names of peers sends nothing there to anybody else. Any thread.
  virtual void expect(const std::string& address, std::string_view name) {
    (void)address;
    (void)name;
  }
};

}  // namespace muster::cluster
