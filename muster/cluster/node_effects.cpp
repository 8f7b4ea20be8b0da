// What the parts of a node hand out, and what each of them has to learn from the others.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "muster/cluster/identity.hpp"
#include "muster/cluster/node_core.hpp"
#include "muster/gossip/message_codec.hpp"

namespace muster::cluster {

ready node_core::poll_ready(instant now) {
  // Members first: gossip and actors speak with members only.
  do {
    take_membership(now);
  } while (take_gossip(now));
  take_actors();
  out_.members_changed = std::exchange(members_changed_, false);
  return std::exchange(out_, {});
}

// --- what goes out ---

shared_frame node_core::frame_of(channel about, byte_view payload) const {
  return std::make_shared<const bytes>(encode_frame(
      {.about = about, .cluster = cluster_key_, .name = self_.name, .incarnation = self_.incarnation.value()},
      payload));
}

void node_core::send(const std::string& to_address, channel on, const shared_frame& frame,
                     std::optional<actor_address> told) {
  ++counted_.frames_sent;
  counted_.bytes_sent += frame->size();
  if (on == channel::gossip) counted_.gossip_bytes_sent += frame->size();
  out_.frames.push_back({to_address, on, frame, std::move(told)});
}

void node_core::take_membership(instant now) {
  while (true) {
    membership::ready effects = participant_->poll_ready(now);
    if (effects.empty()) {
      return;
    }
    for (const auto& one : effects.messages) {
      // A table is bulk: it goes with the gossip, where it delays no probe.
      const channel on = one.kind == membership::traffic::bulk ? channel::gossip : channel::membership;
      send(one.destination(), on, frame_of(channel::membership, one.content));
    }
    for (const auto& one : effects.events) {
      handle_member(one, now);
    }
    for (const auto& one : effects.refusals) {
      blame("refused_to_let_join", one.address, one.sentence);
    }
    if (effects.joined && phase_ == phase::joining) {
      set_phase(phase::joined);
      out_.log.push_back(event{severity::info, "cluster_joined"}
                             .with("node", self_.name)
                             .with("cluster", how_.cluster)
                             .with("members", peers_.size() + 1));
    }
    if (effects.left) {
      end({}, now);
    } else if (effects.must_leave) {
      end(*std::move(effects.must_leave), now);
    } else if (effects.replaced) {
      end(*std::move(effects.replaced), now);
    } else if (effects.rejoin) {
      come_back(effects.rejoin->above.value(), std::move(effects.rejoin->seeds), effects.rejoin->invited_by,
                effects.rejoin->sentence, now);
    }
  }
}

bool node_core::take_gossip(instant now) {
  gossip::ready effects = gossip_->poll_ready();
  std::ranges::move(effects.changes, std::back_inserter(out_.news.changes));
  if (phase_ != phase::ended) {
    for (const auto& one : effects.messages) {
      const shared_frame frame = frame_of(channel::gossip, gossip::encode(one.what));
      for (const auto& to : one.to) {
        if (const known_node* const found = peers_.find(to.node.view())) {
          send(found->address(), channel::gossip, frame);
        }
      }
    }
  }
  for (const auto& one : effects.events) {
    const bool is_trouble = one.kind != gossip::event_kind::origin_forgotten &&
                            one.kind != gossip::event_kind::origin_superseded &&
                            one.kind != gossip::event_kind::within_bounds_again;
    out_.log.push_back(event{is_trouble ? severity::warning : severity::info, gossip::to_string(one.kind)}
                           .with("node", self_.name)
                           .with("about", one.about)
                           .with("what", one.sentence));
  }
  if (!effects.forgotten_self || phase_ == phase::ended || phase_ == phase::leaving) {
    return false;
  }
  const gossip::forgotten_self& refused = *effects.forgotten_self;
  refused_above_ = std::max(refused_above_, refused.above.value());
  std::vector<std::string> seeds;
  constexpr std::size_t seeds_max = 8;
  peers_.each([&](const known_node& one) {
    if (seeds.size() < seeds_max && peers_.is_reachable(one.node.name)) {
      seeds.push_back(one.address());
    }
  });
  const known_node* const known = peers_.find(refused.told_by.node.view());
  const std::string invited_by = known == nullptr ? std::string{} : known->address();
  come_back(
      refused_above_, std::move(seeds), invited_by,
      fmt::format("'{}' says that this incarnation is {}", refused.told_by.node, gossip::to_string(refused.reason)),
      now);
  return true;
}

void node_core::take_actors() {
  remote_actors::effects effects = actors_.take_effects();
  for (auto& one : effects.payloads) {
    if (const known_node* const to = peers_.find(one.to)) {
      send(to->address(), channel::actors, frame_of(channel::actors, one.payload), std::move(one.told));
    }
  }
  std::ranges::move(effects.deliveries, std::back_inserter(out_.deliveries));
  std::ranges::move(effects.watches, std::back_inserter(out_.watches));
  std::ranges::move(effects.stops, std::back_inserter(out_.stops));
  std::ranges::move(effects.terminated, std::back_inserter(out_.terminated));
  std::ranges::move(effects.lost_letters, std::back_inserter(out_.lost_letters));
  for (const auto& one : effects.over_bound) {
    blame("too_many_watches", one.name,
          fmt::format("between it and this node are as many watches as may be, {}; one more counts as ended",
                      how_.watches_per_node_max));
  }
}

// --- members ---

void node_core::handle_member(const membership::event& what, instant now) {
  const actor_node node = to_node(*what.who);
  if (node.name == self_.name) {
    return;  // an earlier life of this node, which its own registrations have left already
  }
  if (what.kind == membership::event_kind::up) {
    set_up(what.who, now);
    return;
  }
  const known_node* const found = peers_.find(node);
  if (found == nullptr) {
    return;
  }
  switch (what.kind) {
    case membership::event_kind::up: return;
    case membership::event_kind::reachable: set_reachable(*found, true, now); return;
    case membership::event_kind::unreachable: set_reachable(*found, false, now); return;
    case membership::event_kind::left:
    case membership::event_kind::removed: remove_peer(node.name, what.kind, now); return;
  }
}

void node_core::set_up(const membership::member_ptr& who, instant now) {
  const known_node* present = peers_.find(who->name);
  if (present != nullptr && present->node.incarnation.value() > who->incarnation.value()) {
    return;  // met before this node came back; whoever told it of this life has not heard of the next one yet
  }
  if (present != nullptr && present->node.incarnation.value() != who->incarnation.value()) {
    remove_peer(who->name, member_event_kind::removed, now);
    present = nullptr;
  }
  if (present != nullptr) {
    peers_.set_met(who->name);
    set_reachable(*present, true, now);
  } else {
    peers_.add(how_.known_nodes == nullptr ? make_known_node(who) : how_.known_nodes->share(who));
    present = peers_.find(who->name);
    members_changed_ = true;
    out_.events.push_back({member_event_kind::up, present->node, who->address});
  }
  gossip_->handle_member_up(present->origin, now);
  actors_.handle_node_up(present->node, now);
}

void node_core::set_reachable(const known_node& who, bool is_reachable, instant now) {
  if (peers_.is_reachable(who.node.name) == is_reachable) {
    return;
  }
  peers_.set_reachable(who.node.name, is_reachable);
  members_changed_ = true;
  using reach = registration_news::reach;
  out_.news.nodes.push_back({who.node, is_reachable ? reach::reachable : reach::unreachable});
  out_.events.push_back(
      {is_reachable ? member_event_kind::reachable : member_event_kind::unreachable, who.node, who.address()});
  if (is_reachable) {
    gossip_->handle_member_up(who.origin, now);
    actors_.handle_node_up(who.node, now);
  } else {
    gossip_->handle_member_unreachable(who.origin);
    actors_.handle_node_unreachable(who.node);
  }
}

void node_core::remove_peer(std::string_view name, member_event_kind how, instant now) {
  const known_node_ptr gone = take_out(name, how);
  gossip_->forget(gone->origin, now);
  actors_.handle_node_removed(gone->node);
}

known_node_ptr node_core::take_out(std::string_view name, member_event_kind how) {
  known_node_ptr gone = peers_.take(name);
  members_changed_ = true;
  out_.events.push_back({how, gone->node, gone->address()});
  out_.news.nodes.push_back({gone->node, registration_news::reach::gone});
  return gone;
}

void node_core::expire_old(instant now) {
  for (const std::string& name : peers_.due_old(now)) {
    if (peers_.is_reachable(name)) {
      set_reachable(*peers_.find(name), false, now);
      peers_.set_old(name, now + how_.membership.removal_timeout);
    } else {
      // Nobody has removed it: this node has not found it again. Should they meet after all, it is who it was.
      const known_node_ptr gone = take_out(name, member_event_kind::removed);
      gossip_->let_go(gone->origin);
      actors_.handle_node_let_go(gone->node);
      // Nor has anybody else: then the life that others know is the one that lives, though its clock was set back.
      meet_again(name, now);
    }
  }
}

void node_core::meet_again(std::string_view name, instant now) {
  const membership::member_ptr who = participant_->find(name);
  if (who == nullptr) {
    return;
  }
  set_up(who, now);
  if (participant_->state_of(name, who->incarnation) == membership::member_state::unreachable) {
    set_reachable(*peers_.find(name), false, now);
  }
}

// --- lives ---

void node_core::come_back(std::uint64_t above, std::vector<std::string> seeds, std::string_view invited_by,
                          std::string_view sentence, instant now) {
  const std::uint64_t at_least = std::max({above, refused_above_, self_.incarnation.value()}) + 1;
  const auto next = membership::make_incarnation(wall_clock_ms(now), random_, membership::incarnation{at_least});
  for (const auto& one : how_.seeds) {
    if (std::ranges::find(seeds, one) == seeds.end()) {
      seeds.push_back(one);
    }
  }
  seeds.resize(std::min(seeds.size(), how_.membership.seeds_max));
  auto taken = take_part(next, seeds, invited_by, now);
  if (taken) {
    taken = gossip_->reincarnate(gossip::incarnation{next.value()});
  }
  if (!taken) {
    end(fmt::format("this node could not come back: {}", taken.error().message), now);
    return;
  }
  ++counted_.come_backs;
  take_actors();  // what is on its way out has numbers of the old incarnation, and so goes under its name
  self_.incarnation = node_incarnation{next.value()};
  out_.renamed = self_;
  out_.news.renamed = self_;
  actors_.handle_renamed(self_);
  // They are members still, most likely: the new participant will meet them.
  peers_.each([&](const known_node& one) {
    const bool is_reachable = peers_.is_reachable(one.node.name);
    peers_.set_old(one.node.name, now + (is_reachable ? how_.reunion_timeout : how_.membership.removal_timeout));
  });
  set_phase(phase::joining);
  out_.log.push_back(event{severity::warning, "came_back_as_new_member"}
                         .with("node", self_.name)
                         .with("incarnation", self_.incarnation)
                         .with("why", sentence));
}

void node_core::end(std::string why, instant now) {
  set_phase(phase::ended);
  why_ended_ = std::move(why);
  while (!peers_.empty()) {
    const std::string name = peers_.any().node.name;
    remove_peer(name, member_event_kind::removed, now);
  }
  actors_.handle_alone();
  out_.log.push_back(event{why_ended_.empty() ? severity::info : severity::error, "cluster_left"}
                         .with("node", self_.name)
                         .with("cluster", how_.cluster)
                         .with("why", why_ended_.empty() ? std::string_view{"it was asked to"} : why_ended_));
}

void node_core::set_phase(cluster::phase next) {
  members_changed_ = members_changed_ || phase_ != next;
  phase_ = next;
}

}  // namespace muster::cluster
