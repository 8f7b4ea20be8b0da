#include "muster/ice/replica_link.hpp"

#include <exception>
#include <utility>

#include "muster/replication/message_codec.hpp"

namespace muster::ice {

replica_link::replica_link(replication::peer_id id, Ice::ConnectionPtr connection, const Ice::Identity& remote,
                           std::size_t in_flight_bytes_max)
    : id_{id},
      connection_{std::move(connection)},
      remote_{Ice::uncheckedCast<Muster::ReplicaPrx>(connection_->createProxy(remote))},
      oneway_{remote_->ice_oneway()},
      in_flight_bytes_max_{in_flight_bytes_max} {
  connection_->setACM(Ice::nullopt, Ice::ACMClose::CloseOff, Ice::ACMHeartbeat::HeartbeatAlways);
}

void replica_link::send(const replication::message& what, std::uint8_t version) {
  for (auto& frame : replication::to_frames(replication::encode(what, version), ++last_frame_number_)) {
    const auto frame_bytes = frame.size();
    if (in_flight_bytes_.fetch_add(frame_bytes) + frame_bytes > in_flight_bytes_max_) {
      close();
      return;
    }
    const auto self = shared_from_this();
    try {
      oneway_->deliverAsync(
          frame, nullptr,
          [](const std::exception_ptr&) {},  // a connection that broke is reported by its close callback
          [self, frame_bytes](bool) { self->in_flight_bytes_.fetch_sub(frame_bytes); });
    } catch (const Ice::LocalException&) {
      return;  // closed, or the communicator is destroyed: likewise
    }
  }
}

result<std::optional<replication::message>> replica_link::receive(byte_view frame) {
  auto whole = assembly_.add(frame);
  if (!whole) return fail(std::move(whole).error());
  if (!*whole) return std::optional<replication::message>{};
  auto message = replication::decode(**whole);
  if (!message) return fail(std::move(message).error());
  return std::optional<replication::message>{std::move(*message)};
}

void replica_link::close() noexcept {
  try {
    connection_->close(Ice::ConnectionClose::Forcefully);
  } catch (const Ice::LocalException&) {
    // Closed already.
  }
}

}  // namespace muster::ice
