#include "muster/cluster/route.hpp"

#include <optional>
#include <utility>

#include "muster/cluster/frame.hpp"

namespace muster::cluster {
namespace {

/// Of a few changes: so little work that the thread of the transport may do it itself.
constexpr std::size_t small_gossip_bytes = 1024;

/// What an input takes beside its bytes, about: many empty ones must not be free of charge.
constexpr std::size_t urgent_overhead_bytes = sizeof(node_input::urgent);

}  // namespace

result<void> route::tell(const actor_address& to, const outbound_message& what) {
  const auto way = state_->ways.with([&](const auto& ways) -> std::optional<node_state::way> {
    const auto found = ways.find(to.node.name);
    if (found == ways.end() || found->second.incarnation != to.node.incarnation) return std::nullopt;
    return found->second;
  });
  if (!way) {
    return fail(errc::unavailable, "{} lives on a node that is no member of the cluster", to);
  }
  byte_writer into;
  what.write(into);
  bytes content = std::move(into).take();
  const std::string_view name = what.name();
  const std::size_t size = content.size() + tell_overhead_bytes_max(to.path, name);
  if (size > state_->frame_bytes_max || name.size() > message_name_bytes_max || to.path.size() > path_bytes_max) {
    return fail(
        errc::invalid_argument,
        "a message '{}' for {} takes up to {} bytes; between nodes at most {} are allowed (cluster.frame-bytes-max)",
        name, to, size, state_->frame_bytes_max);
  }
  if (way->waiting_bytes->load(std::memory_order_relaxed) + size > state_->waiting_bytes_max ||
      !state_->over->has_room(way->address, channel::actors, size)) {
    return fail(errc::limit_exceeded, "as many bytes as may be are on their way to the node '{}'", to.node.name);
  }
  if (!state_->tell(node_input::tell_far{to, std::string{name}, std::move(content), {way->waiting_bytes, size}})) {
    return fail(errc::unavailable, "this node has left the cluster");
  }
  return {};
}

void route::watch(const death_watch& who) {
  if (!state_->tell(node_input::watch_far{who, true})) {
    who.terminated();
  }
}

void route::unwatch(const death_watch& who) { (void)state_->tell(node_input::watch_far{who, false}); }

void route::stop(const actor_address& which, stop_when when) { (void)state_->tell(node_input::stop_far{which, when}); }

// --- what comes in ---

bool node_state::tell_urgent(node_input::urgent&& what, std::size_t size_bytes) {
  // An eighth of the room is kept for membership: who is flooded shall not be taken for dead.
  const std::size_t most = arrived_bytes_max / 8;
  const bool has_room = urgent.with([&](urgent_inputs& waiting) {
    if (waiting.bytes + size_bytes > most) return false;
    waiting.bytes += size_bytes;
    waiting.all.push_back(std::move(what));
    return true;
  });
  // One reminder is enough for all that come before it is looked at.
  if (has_room && !has_urgent.exchange(true, std::memory_order_acq_rel)) (void)tell(node_input::look_up{});
  return has_room;
}

std::vector<node_input::urgent> node_state::take_urgent() {
  // In this order: what comes after the flag has been lowered raises it again. An exchange, because a mere store might
  // take place after the look.
  (void)has_urgent.exchange(false, std::memory_order_acq_rel);
  return urgent.with([](urgent_inputs& waiting) { return std::exchange(waiting, {}).all; });
}

void frame_inlet::handle_frame(bytes frame, std::string_view authenticated_name) {
  const std::size_t size = frame.size();
  const bool is_membership = size > 1 && frame[1] == static_cast<std::uint8_t>(channel::membership);
  bool is_taken = false;
  if (is_membership && size <= state_->urgent_frame_bytes_max) {
    is_taken = state_->tell_urgent(node_input::membership_came{std::move(frame), std::string{authenticated_name}},
                                   size + urgent_overhead_bytes);
  } else if (state_->arrived_bytes->load(std::memory_order_relaxed) + size <= state_->arrived_bytes_max / 8 * 7) {
    is_taken = true;
    counted_bytes waits{state_->arrived_bytes, size};
    std::string name{authenticated_name};
    if (size > 1 && size <= small_gossip_bytes && frame[1] == static_cast<std::uint8_t>(channel::gossip)) {
      (void)state_->tell(node_input::gossip_came{std::move(frame), std::move(name), std::move(waits)});
    } else {
      (void)state_->tell(node_input::frame_came{std::move(frame), std::move(name), std::move(waits)});
    }
  }
  if (!is_taken) state_->dropped_frames.fetch_add(1, std::memory_order_relaxed);
}

void frame_inlet::handle_connection_lost(std::string_view address) { handle_break(address, false); }

void frame_inlet::handle_connection_refused(std::string_view address) { handle_break(address, true); }

void frame_inlet::handle_break(std::string_view address, bool was_refused) {
  // Probes find out what is not heard here for want of room.
  (void)state_->tell_urgent(node_input::connection_broke{std::string{address}, was_refused},
                            address.size() + urgent_overhead_bytes);
}

}  // namespace muster::cluster
