// What is taken from whom: only news of known members, of exactly the incarnation that the layer above has named.

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "muster/gossip/core_state.hpp"

namespace muster::gossip {

bool core::state::admits(const origin_id& from, const origin_id& origin, version at) {
  if (is_self(origin.node)) {
    judge_own(from, origin, at, false);
    return false;
  }
  if (members_.contains(origin)) {
    return true;
  }
  ++counters_.origins_refused;
  return false;
}

void core::state::judge_own(const origin_id& from, const origin_id& spoken_of, version at, bool is_forgotten) {
  std::optional<forgotten_reason> why;
  if (is_forgotten) {
    if (spoken_of.life >= self_.life) {
      why = forgotten_reason::forgotten;
    }
  } else if (spoken_of.life > self_.life) {
    why = forgotten_reason::superseded;
  } else if (spoken_of.life == self_.life && at > version_of(self_)) {
    why = forgotten_reason::impostor;
  }
  if (!why || spoken_of.life <= refused_above_) {
    return;
  }
  refused_above_ = spoken_of.life;
  forgotten_self_ = gossip::forgotten_self{*why, from, refused_above_};
  events_.push_back({event_kind::forgotten_self, self_,
                     fmt::format("{} says that {} is {}: this node needs an incarnation above {}", from, spoken_of,
                                 to_string(*why), refused_above_)});
}

void core::state::supersede(const origin_id& older, const origin_id& by, instant now) {
  const origin_record* const known = table_.find(older.node);
  tell(event_kind::origin_superseded, older,
       fmt::format("{} took the place of {}, whose {} registrations went", by, older,
                   known == nullptr ? 0 : known->held.count),
       now);
  drop_origin(older.node);
}

void core::state::refuse_no_more(const origin_id& who) {
  const auto found = refused_members_.find(who.node);
  if (found != refused_members_.end() && found->second <= who.life) {
    refused_members_.erase(found);
  }
}

void core::state::remind_refused_members(instant now) {
  for (const auto& [node, life] : std::map{refused_members_}) {
    const origin_id who{node, life};
    if (members_.is_forgotten(who)) {
      send(who, forgotten{members_.forgotten_of(node)});
    } else {
      refused_members_.erase(node);
      handle_member_up(who, now);
    }
  }
}

void core::state::drop_origin(const node_id& node) {
  table_.drop(node);
  frozen_.drop(node);
  assemblies_.drop(node);
  asked_.erase(node);
  std::erase_if(to_pass_on_, [&](const passed_on& one) { return one.part.origin.node == node; });
}

version core::state::version_of(const origin_id& origin) const {
  const origin_record* const known = table_.find(origin.node);
  return known != nullptr && known->id == origin ? known->now.at : version{0};
}

void core::state::tell(event_kind kind, const origin_id& about, std::string sentence, instant now) {
  constexpr duration quiet{std::chrono::minutes{1}};
  constexpr std::size_t remembered_max = 1024;
  if (told_.size() >= remembered_max) {
    std::erase_if(told_, [&](const auto& one) { return one.second + quiet <= now; });
  }
  const auto [last, is_first] = told_.try_emplace(std::pair{kind, about.node}, now);
  if (!is_first && last->second + quiet > now) {
    return;
  }
  last->second = now;
  events_.push_back({kind, about, std::move(sentence)});
}

void core::state::malformed(const origin_id& from, std::string_view what, instant now) {
  ++counters_.messages_dropped;
  tell(event_kind::malformed, from, fmt::format("{} sent {}; it was dropped", from, what), now);
}

}  // namespace muster::gossip
