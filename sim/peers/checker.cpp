#include "sim/peers/checker.hpp"

#include <algorithm>
#include <utility>

#include "muster/cluster/identity.hpp"
#include "muster/gossip/message_codec.hpp"

namespace muster::sim::peers {

using cluster::member_event_kind;
using cluster::phase;
using cluster::ready;
using cluster::registration_news;
using cluster::to_node;
using cluster::to_origin;

std::string_view to_string(checker::happening what) noexcept {
  using happening = checker::happening;
  switch (what) {
    case happening::up: return "up";
    case happening::unreachable: return "unreachable";
    case happening::reachable: return "reachable";
    case happening::left: return "left";
    case happening::removed: return "removed";
    case happening::came_back: return "came_back";
    case happening::ended_by_others: return "ended_by_others";
    case happening::whole_installed: return "whole_installed";
    case happening::in_chunks: return "in_chunks";
    case happening::gap: return "gap";
    case happening::left_out: return "left_out";
    case happening::message_delivered: return "message_delivered";
    case happening::actor_ended: return "actor_ended";
    case happening::actor_lost: return "actor_lost";
    case happening::watch_given_up: return "watch_given_up";
  }
  return "?";
}

// --- what happens ---

void checker::on_started(node_index at, const cluster::node_core& core) {
  view& of = views_[at];
  of = view{};
  of.name = core.self().name;
  of.self = core.self();
  of.root = core.registrations().root_hash();
  addresses_[of.self] = core.address();
  watches_.on_started(at, of.self);
  of.listings = std::make_unique<listing_checker>(how_, gossip::node_id{of.name},
                                                  [this, at](std::string what) { on_violation(at, std::move(what)); });
}

void checker::on_operation(node_index at, const cluster::node_core& core, const gossip::registration& what,
                           bool removes) {
  const auto& self = core.registrations().self();
  const auto status = core.registrations().status_of(self.node);
  const std::string wrong = ledger_.enter(self, status ? status->at : gossip::version{0}, what, removes);
  require(wrong.empty(), views_[at], "{}", wrong);
}

void checker::on_turn(node_index at, const cluster::node_core& core, const ready& effects) {
  view& of = views_[at];
  of.just_gone.clear();
  of.just_met.clear();
  check_name(of, core, effects);
  if (effects.renamed) {
    addresses_[of.self] = core.address();
    watches_.on_renamed(at, of.self);
  }
  check_members(of, core, effects);
  check_reach(of, effects);
  check_changes(of, core, effects.news);
  check_frames(of, effects);
  check_deliveries(of, effects);
  check_bounds(of, core);
  count(of, core, effects);
  if (!effects.news.empty()) of.listings->expect(of.others_sum);
}

bool checker::has_later_neighbour(const actor_node& than) const {
  const auto address = addresses_.find(than);
  return address != addresses_.end() && std::ranges::any_of(addresses_, [&](const auto& one) {
           return one.second == address->second && one.first.incarnation > than.incarnation;
         });
}

void checker::on_terminated(node_index at, const cluster::node_core& core, watch_number which) {
  using standing = watch_checker::standing;
  const view& of = views_[at];
  const actor_node& node = watches_.node_of(at, which);
  const auto known = of.members.find(node.name);
  const bool is_member = known != of.members.end() && known->second.life == node.incarnation.value();
  const auto old = of.old.find(node.name);
  const bool is_old = old != of.old.end() && old->second == node.incarnation.value();
  standing now = is_member ? standing::member : standing::unknown;
  // Another one may have seen it go, and said so, before this one knew it; or after this one came back, where it was a
  // member before.
  if (of.just_met.contains(node)) now = standing::unknown;
  if (of.just_gone.contains(node) || core.phase() == phase::ended ||
      ((!is_member || is_old) &&
       (watches_.has_later_life(node) || ledger_.gone_since(to_origin(node)) || has_later_neighbour(node)))) {
    now = standing::gone;
  }
  using cause = watch_checker::cause;
  switch (watches_.on_terminated(at, which, now)) {
    case cause::stopped: note(happening::actor_ended); return;
    case cause::node_gone: note(happening::actor_lost); return;
    case cause::given_up: note(happening::watch_given_up); return;
    case cause::other: return;
  }
}

void checker::on_ended(node_index at) {
  watches_.on_ended(at);
  if (views_[at].listings) listings_told_ += views_[at].listings->told();
  views_[at].listings.reset();
}

void checker::on_violation(node_index at, std::string what) {
  if (violation_.empty()) violation_ = fmt::format("{}: {}", name_of(at), what);
}

std::uint64_t checker::listings_told() const noexcept {
  std::uint64_t out = listings_told_;
  for (const view& one : views_) out += one.listings ? one.listings->told() : 0;
  return out;
}

// --- this node's own name ---

void checker::check_name(view& of, const cluster::node_core& core, const ready& effects) {
  require(core.self() == of.self || effects.renamed == core.self(), of, "it is called {} without having said so",
          core.self().incarnation);
  if (core.self() == of.self) return;
  require(core.self().incarnation > of.self.incarnation, of, "it goes on as {} after {}", core.self().incarnation,
          of.self.incarnation);
  note(happening::came_back);
  of.self = core.self();
  // All that it has registered is told anew, in this order.
  std::uint64_t number = 0;
  const auto& self = core.registrations().self();
  core.registrations().for_each_registration(self.node, [&](const gossip::shared_text& key, const gossip::entry& what) {
    const std::string wrong = ledger_.enter(self, gossip::version{++number}, {key, what}, false);
    require(wrong.empty(), of, "{}", wrong);
  });
}

// --- members ---

bool checker::is_past_horizon(const std::string& name, std::uint64_t life) const {
  const auto since = ledger_.gone_since(gossip::make_origin(name, life));
  return since && clock_.now() - *since >= how_.core.membership.removed_horizon / 2;
}

void checker::follow(view& of, const cluster::member_event& what) {
  const std::uint64_t life = what.node.incarnation.value();
  const auto known = of.members.find(what.node.name);
  const bool is_this = known != of.members.end() && known->second.life == life;
  const auto lived = addresses_.find(what.node);
  require(lived != addresses_.end() && lived->second == what.address, of,
          "{}#{} is told of as at {}, where it never was", what.node.name, life, what.address);
  switch (what.kind) {
    case member_event_kind::up: {
      require(known == of.members.end(), of, "{}#{} is up and #{} has not gone", what.node.name, life,
              known == of.members.end() ? 0 : known->second.life);
      const auto gone = of.gone.find(what.node.name);
      require(gone == of.gone.end() || !gone->second.contains(life) || is_past_horizon(what.node.name, life), of,
              "{}#{} is up again after it was gone", what.node.name, life);
      require(what.node.name != of.self.name, of, "it is a member of its own");
      of.members[what.node.name] = {life, true};
      of.just_met.insert(what.node);
      note(happening::up);
      return;
    }
    case member_event_kind::unreachable:
    case member_event_kind::reachable: {
      const bool now = what.kind == member_event_kind::reachable;
      require(is_this && known->second.is_reachable != now, of, "{}#{} is {} and was so, or is no member",
              what.node.name, life, to_string(what.kind));
      if (is_this) known->second.is_reachable = now;
      note(now ? happening::reachable : happening::unreachable);
      return;
    }
    case member_event_kind::left:
    case member_event_kind::removed: {
      require(is_this, of, "{}#{} has {} and is no member", what.node.name, life, to_string(what.kind));
      if (is_this) of.members.erase(known);
      of.just_gone.insert(what.node);
      if (const auto old = of.old.find(what.node.name); old != of.old.end() && old->second == life) {
        of.old.erase(old);
      } else {
        of.gone[what.node.name].insert(life);
      }
      ledger_.note_gone(gossip::make_origin(what.node.name, life), clock_.now());
      note(what.kind == member_event_kind::left ? happening::left : happening::removed);
      return;
    }
  }
}

void checker::check_members(view& of, const cluster::node_core& core, const ready& effects) {
  for (const auto& one : effects.events) follow(of, one);
  if (effects.renamed) {
    // What this turn tells of members was before that.
    of.gone.clear();
    of.old.clear();
    for (const auto& [name, one] : of.members) of.old[name] = one.life;
  }
  require(effects.events.empty() || effects.members_changed, of, "members change and it does not say so");
  if (!effects.members_changed) return;
  const auto made = core.members();
  const auto& list = *made;
  require(list.self == core.self() && list.members.size() == of.members.size() + 1, of,
          "its list has {} members and its events tell of {}", list.members.size(), of.members.size() + 1);
  const std::string* before = nullptr;
  for (const auto& one : list.members) {
    require(before == nullptr || *before < one.node.name, of, "its list of members is not in the order of names");
    before = &one.node.name;
    const auto lived = addresses_.find(one.node);
    require(lived != addresses_.end() && lived->second == one.address, of,
            "its list has {}#{} at {}, where it never was", one.node.name, one.node.incarnation, one.address);
    if (one.node == core.self()) continue;
    const auto known = of.members.find(one.node.name);
    require(known != of.members.end() && known->second.life == one.node.incarnation.value() &&
                known->second.is_reachable == one.is_reachable,
            of, "its list shows {}#{} as {}reachable and its events do not", one.node.name, one.node.incarnation,
            one.is_reachable ? "" : "un");
  }
  require(list.phase == core.phase(), of, "its list is of another phase than it");
  if (list.phase == phase::ended && of.phase != phase::ended && !list.why_ended.empty()) {
    note(happening::ended_by_others);
  }
  of.phase = list.phase;
  require(of.phase != phase::ended || of.members.empty(), of, "it has ended and has members");
}

void checker::check_reach(view& of, const ready& effects) {
  using reach = registration_news::reach;
  const registration_news& news = effects.news;
  std::map<std::string, reach> last;
  for (const auto& one : news.nodes) last[fmt::format("{}#{}", one.node.name, one.node.incarnation)] = one.now;
  // Gone and met again in one turn, as when this node comes back: who is met is reachable until told otherwise.
  std::set<std::string> met;
  for (const auto& one : effects.events) {
    const std::string who = fmt::format("{}#{}", one.node.name, one.node.incarnation);
    if (one.kind == member_event_kind::up) met.insert(who);
    if (one.kind == member_event_kind::left || one.kind == member_event_kind::removed) met.erase(who);
  }
  for (const auto& one : news.nodes) {
    const auto known = of.members.find(one.node.name);
    const bool is_member = known != of.members.end() && known->second.life == one.node.incarnation.value();
    const std::string who = fmt::format("{}#{}", one.node.name, one.node.incarnation);
    const reach now = last.at(who) == reach::gone && met.contains(who) ? reach::reachable : last.at(who);
    require(
        is_member == (now != reach::gone) && (!is_member || known->second.is_reachable == (now == reach::reachable)),
        of, "its news call {}#{} something else than its events", one.node.name, one.node.incarnation);
  }
}

// --- registrations ---

void checker::show(view& of, const gossip::change& what) {
  const gossip::registration one{what.key, what.what};
  origin_view& origin = of.origins[what.origin];
  const bool is_shown = origin.shown.contains(one);
  require(is_shown == what.vanished, of, "{} of {} under '{}' {}", what.what.path, what.origin, what.key,
          what.vanished ? "vanishes and was not visible" : "appears and was visible");
  if (is_shown != what.vanished) return;
  const bool is_own = what.origin.node.view() == of.name;
  const std::uint64_t share = share_of(one);
  const std::uint64_t row_share = is_own ? 0 : share_of_row(what.key.view(), {what.origin, what.what});
  if (what.vanished) {
    origin.shown.erase(one);
    origin.sum -= share;
    of.others_sum -= row_share;
    origin.vanished[one] = origin.at;
    return;
  }
  origin.shown.insert(one);
  origin.sum += share;
  of.others_sum += row_share;
  require(ledger_.ever_registered(what.origin, one), of, "{} under '{}' is visible, and {} never registered it",
          what.what.path, what.key, what.origin);
  const auto gone = of.gone.find(std::string{what.origin.node.view()});
  require(gone == of.gone.end() || what.origin.life.value() > *gone->second.rbegin() ||
              is_past_horizon(gone->first, *gone->second.rbegin()),
          of, "{} of {} under '{}' is visible again after that incarnation was gone", what.what.path, what.origin,
          what.key);
}

void checker::check_changes(view& of, const cluster::node_core& core, const registration_news& news) {
  for (const auto& one : news.changes) show(of, one);
  const auto& registrations = core.registrations();
  // The root hash covers the versions of all origins: where it is as it was, so are they.
  const bool is_same = registrations.root_hash() == of.root;
  of.root = registrations.root_hash();
  if (is_same && news.changes.empty() && news.nodes.empty()) return;
  check_origins(of, core);
  check_reappearances(of, news);
}

void checker::check_origins(view& of, const cluster::node_core& core) {
  std::size_t visible = 0;
  core.registrations().for_each_origin([&](const gossip::origin_status& status) {
    check_origin(of, core, status);
    visible += status.registrations;
  });
  std::size_t shown = 0;
  for (auto one = of.origins.begin(); one != of.origins.end();) {
    const auto status = core.registrations().status_of(one->first.node);
    shown += one->second.shown.size();
    if (status && status->origin == one->first) {
      ++one;
      continue;
    }
    require(one->second.shown.empty(), of, "{} registrations of {} are visible, and it is not known", shown,
            one->first);
    one = of.origins.erase(one);
  }
  require(visible == shown, of, "{} registrations are visible and its news tell of {}", visible, shown);
}

void checker::check_origin(view& of, const cluster::node_core& core, const gossip::origin_status& status) {
  origin_view& seen = of.origins[status.origin];
  require(status.origin == core.registrations().self() || core.is_member(to_node(status.origin)), of,
          "it knows registrations of {}, which is no member", status.origin);
  require(status.at >= seen.at, of, "{} falls from version {} to {}", status.origin, seen.at, status.at);
  const auto latest = ledger_.latest(status.origin);
  require(status.at <= latest, of, "it knows version {} of {}, which has made {}", status.at, status.origin, latest);
  if (!violation_.empty()) return;
  const ledger::at_version truth = ledger_.at(status.origin, status.at);
  require(status.registrations == seen.shown.size(), of, "{} has {} registrations and the news tell of {}",
          status.origin, status.registrations, seen.shown.size());
  if (status.complete) {
    require(truth.count == seen.shown.size() && truth.sum == seen.sum, of,
            "what is visible of {} at version {} ({} registrations) is not what it had then ({})", status.origin,
            status.at, seen.shown.size(), truth.count);
  } else {
    require(how_.is_crowded(), of, "{} is incomplete, and no bound is near", status.origin);
    require(seen.shown.size() <= truth.count, of, "more of {} is visible than it had", status.origin);
    note(happening::left_out);
  }
  seen.at = status.at;
}

void checker::check_reappearances(view& of, const registration_news& news) {
  if (how_.is_crowded()) return;  // There a registration may have been left out for a while.
  for (const auto& change : news.changes) {
    const gossip::registration one{change.key, change.what};
    const auto origin = of.origins.find(change.origin);
    if (origin == of.origins.end()) continue;
    auto& [at, sum, shown, vanished] = origin->second;
    const auto before = vanished.find(one);
    if (before == vanished.end()) continue;
    if (!shown.contains(one)) {
      before->second = at;  // It was visible until now.
      continue;
    }
    require(ledger_.added_between(change.origin, one, before->second, at), of,
            "{} of {} under '{}' has vanished at version {} and is back at {} without having been registered anew",
            change.what.path, change.origin, change.key, before->second, at);
    vanished.erase(before);
  }
}

// --- frames, messages, bounds ---

void checker::check_frames(view& of, const ready& effects) {
  const auto& membership = how_.core.membership;
  const auto& gossip = how_.core.gossip;
  for (const auto& one : effects.frames) {
    std::size_t most = how_.core.frame_bytes_max;
    if (one.on == cluster::channel::membership) most = membership.message_bytes_max;
    if (one.on == cluster::channel::gossip) most = std::max(membership.chunk_bytes_max, gossip.message_bytes_max);
    require(one.content->size() <= most + cluster::frame_overhead_bytes_max, of,
            "it sends {} bytes on the channel of {}, where {} are allowed", one.content->size(), to_string(one.on),
            most);
  }
}

void checker::check_deliveries(view& of, const ready& effects) {
  for (const auto& one : effects.deliveries) {
    std::uint64_t number = 0;
    for (const std::uint8_t octet : one.what.content) number = number << 8U | octet;
    auto& last = of.delivered[one.from];
    require(number > last, of, "message {} of {}#{} is handed over after message {}", number, one.from.name,
            one.from.incarnation, last);
    last = number;
    const auto told = told_.find(one.from);
    require(told != told_.end() && number <= told->second, of, "a message of {}#{} is handed over that was never sent",
            one.from.name, one.from.incarnation);
    note(happening::message_delivered);
  }
}

void checker::check_bounds(view& of, const cluster::node_core& core) {
  const auto status = core.membership_status();
  const auto& membership = how_.core.membership;
  require(status.up + status.unreachable <= membership.members_max, of, "it has {} members",
          status.up + status.unreachable);
  require(status.remembered <= membership.removed_max, of, "it remembers {} who are gone", status.remembered);
  const auto& registrations = core.registrations();
  const auto& gossip = how_.core.gossip;
  require(registrations.registration_count() <= gossip.registrations_max, of, "it has {} registrations, of {} at most",
          registrations.registration_count(), gossip.registrations_max);
  require(registrations.key_count() <= gossip.keys_max, of, "it has {} keys, of {} at most", registrations.key_count(),
          gossip.keys_max);
}

void checker::count(view& of, const cluster::node_core& core, const ready& effects) {
  const auto counted = core.registrations().counters();
  if (counted.wholes_installed > of.counted.wholes_installed) note(happening::whole_installed);
  if (counted.gaps_seen > of.counted.gaps_seen) note(happening::gap);
  of.counted = counted;
  constexpr std::uint8_t kind_chunk = 6;  // docs/protocols/gossip.md
  for (const auto& one : effects.frames) {
    if (one.on != cluster::channel::gossip) continue;
    const auto frame = cluster::decode_frame(*one.content);
    if (frame && frame->header.about == cluster::channel::gossip && frame->payload.size() > 1 &&
        frame->payload[1] == kind_chunk) {
      note(happening::in_chunks);
    }
  }
}

}  // namespace muster::sim::peers
