// News of origins: taking them, passing them on, and whole origins in chunks.

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "muster/gossip/core_state.hpp"
#include "muster/gossip/message_codec.hpp"

namespace muster::gossip {

void core::state::handle(const origin_id& from, const update& what, instant now) {
  const std::uint8_t hops = std::min(what.hops, hops_needed());
  for (const origin_update& part : what.parts) {
    take(from, part, hops, now);
  }
}

void core::state::take(const origin_id& from, const origin_update& part, std::uint8_t hops, instant now) {
  if (!admits(from, part.origin, part.after.at)) {
    return;
  }
  const version have = version_of(part.origin);
  if (!is_believed(from, part.origin)) {
    follow(from, part.origin, part.after.at, now);
    return;
  }
  if (part.is_whole) {
    std::vector<registration> content;
    content.reserve(part.operations.size());
    std::ranges::transform(part.operations, std::back_inserter(content), &operation::what);
    take_whole(from, part.origin, part.after, content, now);
  } else {
    if (part.after.at <= have) {
      return;
    }
    if (part.base > have) {
      ++counters_.gaps_seen;
      ask(from, part.origin, have, now);
      return;
    }
    origin_record* origin = table_.find(part.origin.node);
    if (origin == nullptr) {
      origin = &table_.open(part.origin);
    }
    // What overlaps with what is known here was applied before: operation n leads from n-1 to n, whoever tells it.
    const auto news = std::span{part.operations}.subspan(have.value() - part.base.value());
    counters_.operations_applied += news.size();
    judge_outcome(from, *origin, table_.apply(*origin, news, part.after), now);
  }
  if (version_of(part.origin) == have) {
    return;
  }
  asked_.erase(part.origin.node);
  if (part.more > 0) {
    ask(from, part.origin, version_of(part.origin), now);
  }
  if (hops > 0) {
    to_pass_on_.push_back({part, static_cast<std::uint8_t>(hops - 1), from});
  }
}

void core::state::take_whole(const origin_id& from, const origin_id& origin, const mark& at,
                             const std::vector<registration>& content, instant now) {
  origin_record* known = table_.find(origin.node);
  const version have = known == nullptr ? version{0} : known->now.at;
  const bool heals = known != nullptr && !known->complete && at.at == have;
  if (at.at <= have && !heals) {
    return;
  }
  if (known == nullptr) {
    known = &table_.open(origin);
  }
  assemblies_.drop(origin.node);
  ++counters_.wholes_installed;
  judge_outcome(from, *known, table_.install(*known, content, at), now);
}

void core::state::judge_outcome(const origin_id& from, origin_record& origin, origin_table::outcome outcome,
                                instant now) {
  if (!origin.complete && origin.may_heal) {
    to_heal_.try_emplace(origin.id.node, now);
  }
  switch (outcome) {
    case origin_table::outcome::done: return;
    case origin_table::outcome::left_out:
      tell(event_kind::over_bound, origin.id,
           fmt::format("{}: the excess is left out on this node", table_.last_objection()), now);
      return;
    case origin_table::outcome::diverged:
      tell(event_kind::diverged, origin.id,
           fmt::format(
               "the registrations of {} at version {}, by {}, are not what its mark says: they are fetched again",
               origin.id, origin.now.at, from),
           now);
      return;
    case origin_table::outcome::complete_again:
      tell(event_kind::within_bounds_again, origin.id,
           fmt::format("all {} registrations of {} are here now", origin.held.count, origin.id), now);
      return;
  }
}

void core::state::handle(const origin_id& from, const chunk& what, instant now) {
  if (!admits(from, what.origin, what.at.at)) {
    return;
  }
  const origin_record* const known = table_.find(what.origin.node);
  const version have = known == nullptr ? version{0} : known->now.at;
  if (!is_believed(from, what.origin)) {
    follow(from, what.origin, what.at.at, now);
    return;
  }
  if (what.at.at < have || (what.at.at == have && (known == nullptr || known->complete))) {
    assemblies_.drop(what.origin.node);
    return;
  }
  assemblies::taken taken = assemblies_.add(from, what, now);
  if (taken.next) {
    send(taken.next->to, std::move(taken.next->what));
  }
  if (!taken.completed) {
    return;
  }
  assemblies::whole& whole = *taken.completed;
  if (!whole.agrees) {
    malformed(from, fmt::format("all chunks of {}, which are not what its mark says", whole.origin), now);
    return;
  }
  take_whole(from, whole.origin, whole.at, whole.content, now);
  // The origin has gone on since it was frozen, probably.
  asked_.erase(whole.origin.node);
  ask(from, whole.origin, whole.at.at, now);
}

void core::state::handle(const origin_id& from, const want_chunks& what, instant now) {
  std::size_t budget_bytes = how_.reply_bytes_max;
  for (const std::uint32_t index : what.indexes) {
    if (budget_bytes < how_.message_bytes_max) {
      return;
    }
    budget_bytes -= how_.message_bytes_max;
    std::optional<chunk> found = frozen_.chunk_of(what.origin, what.at, index, now);
    if (!found) {
      // It was let go here, or the asker was told something odd. A new beginning serves it either way.
      const origin_record* const origin = table_.find(what.origin.node);
      if (origin != nullptr && origin->id == what.origin && origin->complete) {
        send(from, frozen_.first_chunk(table_, *origin, what.at, now));
      }
      return;
    }
    send(from, *std::move(found));
  }
}

std::uint8_t core::state::hops_needed() const {
  // Each hop multiplies those who know; some hops more make up for meeting the same ones again.
  std::uint8_t hops = 3;
  for (std::size_t reached = how_.push_fan_out; reached < members_.up_count(); reached *= how_.relay_fan_out) {
    ++hops;
  }
  return hops;
}

void core::state::push_own(ready& out) {
  const std::vector<own_operation> news = std::exchange(own_news_, {});
  if (news.empty() || members_.up_count() == 0) {
    return;
  }
  // By infection others would tell what only the origin is believed.
  const bool tells_all = members_.up_count() <= how_.push_peers_max || how_.taken_from == news_source::origin_only;
  const std::uint8_t hops = tells_all ? 0 : hops_needed();
  const std::vector<origin_id> to =
      members_.pick(tells_all ? members_.up_count() : how_.push_fan_out, random_, self_, self_);
  const std::size_t frame = frame_bytes + encoded_bytes_max(self_);
  for (std::size_t i = 0; i < news.size();) {
    origin_update part;
    part.origin = self_;
    part.base = version{news[i].after.at.value() - 1};
    for (std::size_t filled = frame; i < news.size(); ++i) {
      filled += encoded_bytes_max(news[i].what.what);
      if (filled > how_.message_bytes_max && !part.operations.empty()) {
        break;
      }
      part.operations.push_back(news[i].what);
      part.after = news[i].after;
    }
    out.messages.push_back({to, update{hops, {std::move(part)}}});
  }
}

void core::state::pass_on(ready& out) {
  for (passed_on& one : std::exchange(to_pass_on_, {})) {
    std::vector<origin_id> to = members_.pick(how_.relay_fan_out, random_, one.from, one.part.origin);
    if (!to.empty()) {
      one.part.more = 0;
      out.messages.push_back({std::move(to), update{one.hops, {std::move(one.part)}}});
    }
  }
}

}  // namespace muster::gossip
