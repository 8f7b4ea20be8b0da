// Comparing what two nodes know, asking for what is lacking, and answering.

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <boost/unordered/unordered_flat_map.hpp>

#include "muster/gossip/core_state.hpp"
#include "muster/gossip/message_codec.hpp"

namespace muster::gossip {

namespace {

/// With more origins than this, the hashes of buckets take fewer bytes than digests of all origins.
constexpr std::size_t origins_without_buckets_max = 64;

/// So long a forgotten incarnation stands in digests, for those whose layer above has not heard of the removal yet.
constexpr duration forgotten_told_for{std::chrono::minutes{1}};

constexpr place last_place{~std::uint64_t{0}};

place first_of_bucket(std::size_t bucket) { return place{static_cast<std::uint64_t>(bucket) << 56U}; }

place last_of_bucket(std::size_t bucket) {
  return bucket + 1 == bucket_count ? last_place : place{first_of_bucket(bucket + 1).value() - 1};
}

}  // namespace

void core::state::compare_with(const origin_id& peer) {
  ++counters_.comparisons_begun;
  send(peer, root{table_.root_hash()});
}

void core::state::handle(const origin_id& from, const root& what, instant now) {
  if (what.hash == table_.root_hash()) {
    return;
  }
  ++counters_.comparisons_different;
  if (table_.origin_count() > origins_without_buckets_max) {
    send(from, buckets{table_.bucket_hashes()});
  } else {
    send_digests(from, place{0}, last_place, now);
  }
}

void core::state::handle(const origin_id& from, const buckets& what, instant now) {
  for (std::size_t i = 0; i < bucket_count;) {
    if (what.hashes[i] == table_.bucket_hashes()[i]) {
      ++i;
      continue;
    }
    const std::size_t first = i;
    while (i < bucket_count && what.hashes[i] != table_.bucket_hashes()[i]) {
      ++i;
    }
    send_digests(from, first_of_bucket(first), last_of_bucket(i - 1), now);
  }
}

void core::state::send_digests(const origin_id& to, place first, place last, instant now) {
  std::vector<std::pair<place, digest_line>> lines;
  for (const origin_record* one : table_.between(first, last)) {
    if (one->now.at > version{0}) {
      lines.push_back({one->at_place, {one->id, one->now.at, false}});
    }
  }
  members_.for_each_forgotten(now - forgotten_told_for, [&](const origin_id& who) {
    const place at = place_of(who.node);
    if (first <= at && at <= last && !members_.life_of(who.node)) {
      lines.push_back({at, {who, version{0}, true}});
    }
  });
  std::ranges::sort(lines, {}, [](const auto& line) { return std::tie(line.first, line.second.origin); });

  digest part{first, last, {}};
  std::size_t filled = frame_bytes;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& [at, line] = lines[i];
    filled += encoded_bytes_max(line.origin) + 10;
    // A cut between equal places would make the second half look as if it lacked the first.
    if (filled > how_.message_bytes_max && i > 0 && at != lines[i - 1].first) {
      part.last = place{at.value() - 1};
      send(to, std::exchange(part, digest{at, last, {}}));
      filled = frame_bytes + encoded_bytes_max(line.origin) + 10;
    }
    part.lines.push_back(line);
  }
  send(to, std::move(part));
}

void core::state::handle(const origin_id& from, const digest& what, instant now) {
  if (what.first > what.last) {
    malformed(from, "a digest of no places", now);
    return;
  }
  std::size_t budget_bytes = how_.reply_bytes_max;
  boost::unordered_flat_map<node_id, incarnation, text_hash> mentioned;
  for (const digest_line& line : what.lines) {
    const place at = place_of(line.origin.node);
    if (at < what.first || at > what.last) {
      malformed(from, "a digest line of a node outside the digest's places", now);
      continue;
    }
    const origin_record* const known = table_.find(line.origin.node);
    if (is_self(line.origin.node)) {
      judge_own(from, line.origin, line.at, line.is_forgotten);
    }
    if (line.is_forgotten) {
      mentioned[line.origin.node] = line.origin.life;
      continue;
    }
    if (known != nullptr && line.origin.life < known->id.life) {
      continue;  // not mentioned: it gets all of the later incarnation
    }
    mentioned[line.origin.node] = line.origin.life;
    if (known != nullptr && known->id == line.origin && line.at < known->now.at) {
      offer(from, *known, line.at, budget_bytes, now);
    } else if (!is_self(line.origin.node) && line.at > version_of(line.origin) && admits(from, line.origin, line.at)) {
      follow(from, line.origin, line.at, now);
    }
  }
  for (const origin_record* const one : table_.between(what.first, what.last)) {
    const auto found = mentioned.find(one->id.node);
    if (one->now.at > version{0} && (found == mentioned.end() || found->second < one->id.life)) {
      offer(from, *one, version{0}, budget_bytes, now);
    }
  }
}

void core::state::handle(const origin_id& from, const greeting& what, instant now) {
  const version have = version_of(from);
  if (what.own.at > have && admits(from, from, what.own.at)) {
    ask(from, from, have, now);
  }
  if (what.asks) {
    const origin_record* const own = table_.find(self_.node);
    send(from, greeting{own == nullptr ? mark{} : own->now, false});
  }
}

void core::state::handle(const origin_id& from, const want& what, instant now) {
  std::size_t budget_bytes = how_.reply_bytes_max;
  for (const wanted& line : what.lines) {
    const origin_record* const known = table_.find(line.origin.node);
    if (known != nullptr && known->id == line.origin && known->now.at > line.have) {
      fill(from, *known, line.have, budget_bytes, now);
    }
  }
}

void core::state::handle(const origin_id& from, const forgotten& what, instant) {
  if (is_self(what.origin.node)) {
    judge_own(from, what.origin, version{0}, true);
  }
}

void core::state::ask(const origin_id& from, const origin_id& origin, version have, instant now) {
  if (assemblies_.is_receiving(origin.node)) {
    return;
  }
  const auto [until, is_first] = asked_.try_emplace(origin.node, now + how_.want_timeout);
  if (!is_first && until->second > now) {
    return;
  }
  until->second = now + how_.want_timeout;
  wants_[from].push_back({origin, have});
}

void core::state::follow(const origin_id& from, const origin_id& origin, version at, instant now) {
  const version have = version_of(origin);
  const origin_id& whom = is_believed(from, origin) ? from : origin;
  if (at > have && (whom == from || members_.is_up(whom))) {
    ask(whom, origin, have, now);
  }
}

void core::state::offer(const origin_id& to, const origin_record& origin, version have, std::size_t& budget_bytes,
                        instant now) {
  if (is_believed(self_, origin.id)) {
    fill(to, origin, have, budget_bytes, now);
    return;
  }
  // No operations after that version: a gap to whoever knows fewer, and nothing to all others.
  const std::size_t size = frame_bytes + encoded_bytes_max(origin.id);
  if (size <= budget_bytes) {
    budget_bytes -= size;
    answer(to, {.origin = origin.id, .base = origin.now.at, .operations = {}, .after = origin.now}, size);
  }
}

void core::state::fill(const origin_id& to, const origin_record& origin, version have, std::size_t& budget_bytes,
                       instant now) {
  if (!origin.complete) {
    return;  // others have all of it, the origin at least
  }
  const std::size_t frame = frame_bytes + encoded_bytes_max(origin.id);
  const auto missing = have == version{0} ? std::nullopt : table_.log().since(origin.last_logged, have);
  if (missing && missing->size() <= 2 * std::size_t{origin.held.count} + 64) {
    for (std::size_t i = 0; i < missing->size();) {
      if (budget_bytes < how_.message_bytes_max) {
        return;
      }
      origin_update part;
      part.origin = origin.id;
      part.base = version{(*missing)[i]->after.at.value() - 1};
      std::size_t filled = frame;
      for (; i < missing->size(); ++i) {
        const std::size_t size = encoded_bytes_max((*missing)[i]->what.what);
        if (filled + size > how_.message_bytes_max && !part.operations.empty()) {
          break;
        }
        filled += size;
        part.operations.push_back((*missing)[i]->what);
        part.after = (*missing)[i]->after;
      }
      budget_bytes -= std::min(budget_bytes, filled);
      // Who gets less than there is asks for the rest when this has arrived; that paces the answer.
      part.more = budget_bytes < how_.message_bytes_max ? origin.now.at.value() - part.after.at.value() : 0;
      answer(to, std::move(part), filled);
    }
    return;
  }
  const std::size_t size = bytes_of_whole(table_, origin, how_.message_bytes_max);
  if (std::min(size, how_.message_bytes_max) > budget_bytes) {
    return;
  }
  budget_bytes -= std::min(size, how_.message_bytes_max);
  if (size > how_.message_bytes_max) {
    send(to, frozen_.first_chunk(table_, origin, version{have.value() + 1}, now));
    return;
  }
  origin_update part;
  part.origin = origin.id;
  part.is_whole = true;
  part.after = origin.now;
  table_.registrations().for_each_of(origin.held, [&](const registration_table::slot& slot) {
    part.operations.push_back({{slot.key, slot.what}, false});
  });
  answer(to, std::move(part), size);
}

void core::state::answer(const origin_id& to, origin_update part, std::size_t part_bytes) {
  // Small answers to one peer travel together.
  const bool is_open = open_answer_bytes_ > 0 && !sent_.empty() && sent_.back().to.front() == to;
  if (auto* const last = is_open ? std::get_if<update>(&sent_.back().what) : nullptr;
      last != nullptr && open_answer_bytes_ + part_bytes <= how_.message_bytes_max) {
    last->parts.push_back(std::move(part));
    open_answer_bytes_ += part_bytes;
    return;
  }
  send(to, update{0, {std::move(part)}});
  open_answer_bytes_ = part_bytes;
}

void core::state::heal(instant now) {
  constexpr duration patience{std::chrono::minutes{1}};
  for (auto i = to_heal_.begin(); i != to_heal_.end();) {
    const origin_record* const one = table_.find(i->first);
    if (one == nullptr || one->complete || !one->may_heal) {
      i = to_heal_.erase(i);
      continue;
    }
    instant& not_before = (i++)->second;
    const std::size_t lacking = one->now.count - std::min<std::uint64_t>(one->now.count, one->held.count);
    if (not_before > now || asked_.contains(one->id.node) || one->now.count > how_.registrations_per_origin_max ||
        table_.registrations().size() + lacking > how_.registrations_max ||
        table_.registrations().key_count() + lacking > how_.keys_max) {
      continue;
    }
    // The origin itself, if it can be reached; whoever answers, an origin that goes on saying what is not so costs
    // little.
    const auto others = members_.pick(1, random_, self_, one->id);
    if (members_.is_up(one->id) || (!others.empty() && is_believed(others.front(), one->id))) {
      not_before = now + patience;
      ask(members_.is_up(one->id) ? one->id : others.front(), one->id, version{0}, now);
    }
  }
}

}  // namespace muster::gossip
