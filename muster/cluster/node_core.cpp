#include "muster/cluster/node_core.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "muster/cluster/identity.hpp"
#include "muster/gossip/message_codec.hpp"

namespace muster::cluster {

// --- begin ---

result<std::unique_ptr<node_core>> node_core::make(options how, std::string address, std::uint64_t wall_clock_ms,
                                                   prng& random, instant now) {
  if (auto sound = validate(how); !sound) {
    return fail(std::move(sound).error());
  }
  std::unique_ptr<node_core> made{new node_core{std::move(how), std::move(address), wall_clock_ms, random, now}};
  if (auto begun = made->begin(now); !begun) {
    return fail(std::move(begun).error());
  }
  return made;
}

node_core::node_core(options how, std::string address, std::uint64_t wall_clock_ms, prng& random, instant now)
    : how_{std::move(how)},
      address_{std::move(address)},
      random_{random},
      wall_clock_ms_{wall_clock_ms},
      began_{now},
      cluster_key_{cluster_key(how_.cluster)},
      self_{how_.name, node_incarnation{membership::make_incarnation(wall_clock_ms, random).value()}},
      actors_{how_, self_, [this](const actor_node& who) -> std::optional<bool> {
                if (peers_.find(who) == nullptr) return std::nullopt;
                return peers_.is_reachable(who.name) && !peers_.is_old(who.name);
              }} {}

result<void> node_core::begin(instant now) {
  if (auto joined = take_part(membership::incarnation{self_.incarnation.value()}, how_.seeds, {}, now); !joined) {
    return joined;
  }
  // Two nodes that refuse each other's incarnation in gossip alone could not even say so. Membership, which takes no
  // incarnation back before its horizon, is the one to refuse.
  if (how_.gossip.forgotten_horizon > how_.membership.removed_horizon) {
    how_.gossip.forgotten_horizon =
        std::max(how_.membership.removed_horizon - 2 * how_.gossip.gossip_interval, 10 * how_.gossip.gossip_interval);
  }
  auto made = gossip::core::make(how_.gossip, to_origin(self_), random_, now);
  if (!made) {
    return fail(std::move(made).error());
  }
  gossip_ = *std::move(made);
  out_.renamed = self_;
  return {};
}

result<void> node_core::take_part(membership::incarnation as, const std::vector<std::string>& seeds,
                                  std::string_view invited_by, instant now) {
  membership::options how = how_.membership;
  how.name = how_.name;
  how.incarnation = as;
  how.address = address_;
  how.meta = how_.meta;
  how.cluster = how_.cluster;
  how.seeds = seeds;
  how.invited_by = invited_by;
  auto made = membership::participant::make(std::move(how), random_, now);
  if (!made) {
    return fail(std::move(made).error());
  }
  participant_ = *std::move(made);
  return {};
}

// --- what comes in ---

void node_core::handle_frame(byte_view frame, std::string_view authenticated_name, instant now) {
  if (phase_ == phase::ended) {
    return;
  }
  ++counted_.frames_received;
  counted_.bytes_received += frame.size();
  const std::string_view known_as = authenticated_name.empty() ? "somebody without a name" : authenticated_name;
  if (frame.size() > frame_bytes_max()) {
    ++counted_.oversized;
    blame("oversized_frame", known_as, fmt::format("{} bytes; at most {} are taken", frame.size(), frame_bytes_max()));
    return;
  }
  const auto decoded = decode_frame(frame);
  if (!decoded) {
    ++counted_.malformed;
    blame("malformed_frame", known_as, decoded.error().message);
    return;
  }
  const frame_header& from = decoded->header;
  if (!authenticated_name.empty() && authenticated_name != from.name) {
    ++counted_.impersonated;
    blame("impersonated", known_as, fmt::format("it spoke as '{}'", from.name));
    return;
  }
  if (from.cluster != cluster_key_) {
    ++counted_.other_cluster;
    blame(
        "frame_of_other_cluster", from.name,
        fmt::format("it does not belong to the cluster '{}'; give it other seeds, or the same cluster", how_.cluster));
    // Membership, whose handshake belongs to no cluster, tells it so.
    if (from.about != channel::membership) {
      return;
    }
  }
  switch (from.about) {
    case channel::membership: participant_->handle_message(decoded->payload, authenticated_name, now); return;
    case channel::gossip: handle_gossip(*decoded, now); return;
    case channel::actors: handle_actors(*decoded, now); return;
  }
}

const known_node* node_core::speaker(const frame_view& frame) {
  const known_node* const found = peers_.find(frame.header.name);
  if (found == nullptr || found->node.incarnation.value() != frame.header.incarnation) {
    ++counted_.from_strangers;
    return nullptr;
  }
  return found;
}

void node_core::handle_gossip(const frame_view& frame, instant now) {
  const known_node* const from = speaker(frame);
  if (from == nullptr) {
    return;
  }
  const auto what = gossip::decode(frame.payload);
  if (!what) {
    ++counted_.malformed;
    blame("malformed_gossip", from->node.name, what.error().message);
    return;
  }
  gossip_->handle_message(from->origin, *what, now);
}

void node_core::handle_actors(const frame_view& frame, instant now) {
  const known_node* const from = speaker(frame);
  if (from == nullptr) {
    return;
  }
  if (const auto taken = actors_.handle_payload(from->node, frame.payload, now); !taken) {
    ++counted_.malformed;
    blame("malformed_actor_message", from->node.name, taken.error().message);
  }
}

void node_core::handle_connection_lost(std::string_view address, instant now) {
  if (phase_ != phase::ended) {
    participant_->handle_connection_lost(address, now);
  }
}

void node_core::handle_connection_refused(std::string_view address, instant now) {
  if (phase_ != phase::ended) {
    participant_->handle_connection_refused(address, now);
  }
}

void node_core::blame(std::string_view offence, std::string_view offender, std::string_view sentence) {
  constexpr std::size_t blamed_max = 1024;
  if (blamed_.size() >= blamed_max || !blamed_.insert(fmt::format("{} {}", offence, offender)).second) {
    return;
  }
  out_.log.push_back(event{severity::warning, "offence_in_cluster"}
                         .with("node", self_.name)
                         .with("offender", offender)
                         .with("offence", offence)
                         .with("why", sentence));
}

// --- from the owner ---

void node_core::handle_leave(instant now) {
  if (phase_ == phase::ended) {
    return;
  }
  set_phase(phase::leaving);
  participant_->handle_leave(now);
}

void node_core::handle_tick(instant now) {
  if (phase_ == phase::ended) {
    return;
  }
  if (participant_->next_deadline() <= now) {
    participant_->handle_tick(now);
  }
  if (gossip_->next_deadline() <= now) {
    gossip_->handle_tick(now);
  }
  actors_.handle_tick(now);
  expire_old(now);
}

instant node_core::next_deadline() const {
  if (phase_ == phase::ended) {
    return instant_never;
  }
  return std::min(
      {participant_->next_deadline(), gossip_->next_deadline(), actors_.next_deadline(), peers_.next_old()});
}

// --- from this node's actors ---

void node_core::handle_tell(const actor_address& to, std::string_view name, bytes content) {
  actors_.tell(to, name, std::move(content));
}

void node_core::handle_watch(const death_watch& who, instant now) {
  const actor_node node = who.target().node;
  const known_node* const present = peers_.find(node.name);
  const bool is_gone = phase_ == phase::ended || (node.name == self_.name && node.incarnation <= self_.incarnation) ||
                       (present != nullptr && present->node.incarnation > node.incarnation) ||
                       participant_->is_removed(node.name, membership::incarnation{node.incarnation.value()});
  actors_.watch(who, is_gone, now);
}

void node_core::handle_unwatch(const death_watch& who, instant now) { actors_.unwatch(who, now); }

void node_core::handle_stop(const actor_address& which, stop_when when) { actors_.stop(which, when); }

void node_core::handle_local_ended(const actor_key& which, instant now) { actors_.handle_local_ended(which, now); }

void node_core::handle_undelivered(const delivery& what, fate why) { actors_.handle_undelivered(what, why); }

void node_core::handle_refused(const actor_address& told) {
  out_.lost_letters.push_back({told, dead_letter_reason::mailbox_full});
}

// --- reads ---

bool node_core::is_member(const actor_node& which) const { return peers_.find(which) != nullptr; }

bool node_core::is_reachable(const actor_node& which) const {
  return which == self_ || (is_member(which) && peers_.is_reachable(which.name));
}

std::shared_ptr<const member_snapshot> node_core::members() const {
  auto out = std::make_shared<member_snapshot>();
  out->self = self_;
  out->phase = phase_;
  out->why_ended = why_ended_;
  out->members.reserve(peers_.size() + 1);
  peers_.each([&](const known_node& one) {
    out->members.push_back({one.node, one.address(), one.member->meta, peers_.is_reachable(one.node.name)});
  });
  out->members.push_back({self_, address_, how_.meta, true});
  std::ranges::sort(out->members, {}, [](const member& one) -> const std::string& { return one.node.name; });
  return out;
}

node_counters node_core::counted() const {
  node_counters out = counted_;
  out.actors = actors_.counted();
  return out;
}

std::uint64_t node_core::wall_clock_ms(instant now) const {
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(now - began_).count();
  return wall_clock_ms_ + static_cast<std::uint64_t>(std::max<std::int64_t>(since, 0));
}

std::size_t node_core::frame_bytes_max() const noexcept {
  return std::max({how_.frame_bytes_max, how_.gossip.message_bytes_max, membership::any_message_bytes_max}) +
         frame_overhead_bytes_max;
}

}  // namespace muster::cluster
