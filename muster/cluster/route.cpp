#include "muster/cluster/route.hpp"

#include <optional>

#include "muster/cluster/frame.hpp"

namespace muster::cluster {

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
    return fail(errc::limit_exceeded,
                "a message '{}' for {} takes up to {} bytes; between nodes at most {} are allowed (frame_bytes_max)",
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

void frame_inlet::handle_frame(bytes frame, std::string_view authenticated_name) {
  // The last eighth of the room is kept for membership: who is flooded shall not be taken for dead.
  const bool is_membership = frame.size() > 1 && frame[1] == static_cast<std::uint8_t>(channel::membership);
  const std::size_t most = is_membership ? state_->arrived_bytes_max : state_->arrived_bytes_max / 8 * 7;
  const std::size_t size = frame.size();
  if (state_->arrived_bytes->load(std::memory_order_relaxed) + size > most) {
    state_->dropped_frames.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  (void)state_->tell(
      node_input::frame_came{std::move(frame), std::string{authenticated_name}, {state_->arrived_bytes, size}});
}

void frame_inlet::handle_connection_lost(std::string_view address) {
  (void)state_->tell(node_input::connection_broke{std::string{address}, false});
}

void frame_inlet::handle_connection_refused(std::string_view address) {
  (void)state_->tell(node_input::connection_broke{std::string{address}, true});
}

}  // namespace muster::cluster
