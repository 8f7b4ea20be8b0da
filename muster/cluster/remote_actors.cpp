#include "muster/cluster/remote_actors.hpp"

#include <algorithm>
#include <utility>

namespace muster::cluster {
namespace {

/// Sent again in one go; the rest has its turn with the next retry, when most of these are confirmed.
constexpr std::size_t retries_at_once_max = 4096;

actor_key key_of(const actor_address& of) { return {of.path, of.incarnation.value()}; }

dead_letter_reason reason_of(fate why) noexcept {
  switch (why) {
    case fate::stopped: return dead_letter_reason::stopped;
    case fate::full: return dead_letter_reason::mailbox_full;
    case fate::unhandled:
    case fate::undecodable: return dead_letter_reason::unhandled;
  }
  return dead_letter_reason::unhandled;
}

}  // namespace

// --- nodes ---

void remote_actors::handle_node_up(const actor_node& who, instant now) {
  auto with = conversations_.find(who);
  const bool has_begun = with != conversations_.end();
  if (has_begun) {
    with->second.is_reachable = true;
  }
  if (const auto waiting = awaited_.find(who); waiting != awaited_.end()) {
    const auto met = awaited_.extract(waiting);
    with = conversation_with(who);
    for (const auto& one : met.mapped().watchers) {
      add_watch(with, one, now);
    }
  }
  conclude_awaited_before(who);
  // Of earlier lives that were let go nothing can come any more.
  conversations_.erase(conversations_.lower_bound({who.name, node_incarnation{0}}), conversations_.lower_bound(who));
  if (has_begun) {
    retry(with, now);
  }
}

remote_actors::conversations::iterator remote_actors::conversation_with(const actor_node& who) {
  // One that was let go has its conversation still, for when it is met again; until then nothing begins in it.
  const std::optional<bool> is_reachable = reach_(who);
  if (!is_reachable) {
    return conversations_.end();
  }
  const auto [with, has_begun] = conversations_.try_emplace(who, how_);
  if (has_begun) {
    with->second.is_reachable = *is_reachable;
  }
  return with;
}

void remote_actors::handle_node_unreachable(const actor_node& who) {
  if (const auto with = conversations_.find(who); with != conversations_.end()) {
    with->second.is_reachable = false;
    with->second.retry_at = instant_never;
  }
}

void remote_actors::handle_node_removed(const actor_node& who) {
  conclude_awaited_before({who.name, node_incarnation{who.incarnation.value() + 1}});
  const auto with = conversations_.find(who);
  if (with == conversations_.end()) {
    return;
  }
  counted_.doubled += with->second.inbox.counted().doubled;
  counted_.given_up += with->second.inbox.counted().given_up;
  end_watches(who, with->second);
  conversations_.erase(with);
}

void remote_actors::handle_node_let_go(const actor_node& who) {
  if (const auto with = conversations_.find(who); with != conversations_.end()) {
    end_watches(who, with->second);
    with->second.is_reachable = false;
    with->second.retry_at = instant_never;
  }
}

void remote_actors::handle_alone() {
  for (auto& [who, waiting] : std::exchange(awaited_, {})) {
    std::ranges::move(waiting.watchers, std::back_inserter(out_.terminated));
  }
}

void remote_actors::end_watches(const actor_node& who, conversation& with) {
  for (auto& [whom, what] : std::exchange(with.watches, {})) {
    std::ranges::move(what.watchers, std::back_inserter(out_.terminated));
  }
  with.unconfirmed.clear();
  drop_watched_by(who, with);
}

void remote_actors::handle_renamed(actor_node self) {
  self_ = std::move(self);
  for (auto& [who, with] : conversations_) {
    drop_watched_by(who, with);
    with.sent = 0;
    counted_.doubled += with.inbox.counted().doubled;
    counted_.given_up += with.inbox.counted().given_up;
    with.inbox.reset();
    std::erase_if(with.watches, [](const auto& one) { return !one.second.is_wanted; });
    with.unconfirmed.clear();
    for (const auto& [whom, what] : with.watches) {
      with.unconfirmed.insert(whom);
    }
    // Until it has met this incarnation, too, it would not listen.
    with.is_reachable = false;
    with.retry_at = instant_never;
  }
}

// --- from this node's actors ---

bool remote_actors::tell(const actor_address& to, std::string_view name, bytes content) {
  const auto with = conversation_with(to.node);
  if (with == conversations_.end()) {
    out_.lost_letters.push_back({to, dead_letter_reason::unreachable, std::string{name}});
    return false;
  }
  ++counted_.told;
  send(with, cluster::tell{key_of(to), std::string{name}, std::move(content)}, to);
  return true;
}

void remote_actors::watch(const death_watch& who, bool is_known_gone, instant now) {
  const actor_address target = who.target();
  if (is_known_gone) {
    out_.terminated.push_back(who);
    return;
  }
  if (const auto with = conversation_with(target.node); with != conversations_.end()) {
    add_watch(with, who, now);
    return;
  }
  // Its ref may have come sooner than the news of its node.
  const auto waiting = awaited_.try_emplace(target.node, awaited{now + how_.unknown_node_timeout, {}}).first;
  wake_at(waiting->second.until);
  auto& watchers = waiting->second.watchers;
  if (watchers.size() >= how_.watches_per_node_max) {
    out_.over_bound.push_back(target.node);
    out_.terminated.push_back(who);
  } else if (std::ranges::find(watchers, who) == watchers.end()) {
    watchers.push_back(who);
  }
}

void remote_actors::unwatch(const death_watch& who, instant now) {
  const actor_address target = who.target();
  if (const auto waiting = awaited_.find(target.node); waiting != awaited_.end()) {
    std::erase(waiting->second.watchers, who);
  }
  const auto with = conversations_.find(target.node);
  if (with == conversations_.end()) {
    return;
  }
  const actor_key whom = key_of(target);
  const auto known = with->second.watches.find(whom);
  if (known == with->second.watches.end() || std::erase(known->second.watchers, who) == 0) {
    return;
  }
  if (known->second.watchers.empty()) {
    known->second.is_wanted = false;
    negotiate(with, whom, now);
  }
}

void remote_actors::stop(const actor_address& which, stop_when when) {
  if (const auto with = conversation_with(which.node); with != conversations_.end()) {
    send(with, stop_request{key_of(which), when});
  }
}

void remote_actors::handle_local_ended(const actor_key& which, instant now) {
  const auto watched_here = local_.find(which);
  if (watched_here == local_.end()) {
    return;
  }
  const std::set<actor_node> watchers = std::move(watched_here->second);
  local_.erase(watched_here);
  for (const actor_node& who : watchers) {
    const auto with = conversations_.find(who);
    if (with == conversations_.end()) {
      continue;
    }
    const std::uint64_t round = ++with->second.rounds;
    with->second.watched_by[which] = watched_state::ended;
    with->second.unheard[which] = round;
    expect_answer(with->second, now + how_.watch_retry);
    send(with, ended{which, round});
  }
}

void remote_actors::handle_undelivered(const delivery& what, fate why) {
  --counted_.delivered;
  ++counted_.undelivered;
  if (const auto with = conversations_.find(what.from); with != conversations_.end()) {
    send(with, undelivered{what.what.to, what.what.name, why});
  }
}

// --- from others, and time ---

result<void> remote_actors::handle_payload(const actor_node& from, byte_view payload, instant now) {
  auto envelope = decode_actor_envelope(payload);
  if (!envelope) {
    return fail(std::move(envelope).error());
  }
  if (envelope->to != self_.incarnation.value()) {
    ++counted_.misdirected;
    return {};
  }
  const auto with = conversation_with(from);
  if (with == conversations_.end()) {
    ++counted_.misdirected;
    return {};
  }
  std::vector<actor_message> due;
  with->second.inbox.take(envelope->sequence, std::move(envelope->what), payload.size(), now, due);
  wake_at(with->second.inbox.next_deadline());
  for (actor_message& one : due) {
    take(with, one, now);
  }
  return {};
}

void remote_actors::handle_tick(instant now) {
  if (earliest_ > now) {
    return;
  }
  earliest_ = instant_never;
  std::vector<actor_message> due;
  for (auto with = conversations_.begin(); with != conversations_.end(); ++with) {
    with->second.inbox.handle_tick(now, due);
    for (actor_message& one : std::exchange(due, {})) {
      take(with, one, now);
    }
    if (with->second.retry_at <= now) {
      retry(with, now);
    }
    wake_at(std::min(with->second.retry_at, with->second.inbox.next_deadline()));
  }
  std::erase_if(awaited_, [&](auto& one) {
    if (one.second.until > now) {
      wake_at(one.second.until);
      return false;
    }
    std::ranges::move(one.second.watchers, std::back_inserter(out_.terminated));
    return true;
  });
}

remote_actors::counters remote_actors::counted() const {
  counters out = counted_;
  for (const auto& [who, with] : conversations_) {
    out.doubled += with.inbox.counted().doubled;
    out.given_up += with.inbox.counted().given_up;
  }
  return out;
}

std::size_t remote_actors::watch_count() const {
  std::size_t out = 0;
  for (const auto& [who, with] : conversations_) {
    out += with.watches.size();
  }
  return out;
}

std::size_t remote_actors::watched_count() const {
  std::size_t out = 0;
  for (const auto& [who, with] : conversations_) {
    out += with.watched_by.size();
  }
  return out;
}

// --- messages ---

void remote_actors::send(conversations::iterator to, actor_message what, std::optional<actor_address> told) {
  out_.payloads.push_back({to->first,
                           encode(actor_envelope{to->first.incarnation.value(), ++to->second.sent, std::move(what)}),
                           std::move(told)});
}

void remote_actors::take(conversations::iterator from, actor_message& what, instant now) {
  std::visit([&](auto& one) { handle(from, one, now); }, what);
}

void remote_actors::handle(conversations::iterator from, cluster::tell& what, instant) {
  ++counted_.delivered;
  out_.deliveries.push_back({from->first, std::move(what)});
}

void remote_actors::handle(conversations::iterator from, undelivered& what, instant) {
  out_.lost_letters.push_back(
      {actor_address{from->first, std::move(what.to.path), actor_incarnation{what.to.incarnation}}, reason_of(what.why),
       std::move(what.name)});
}

void remote_actors::handle(conversations::iterator from, cluster::watch& what, instant now) {
  conversation& with = from->second;
  if (const auto known = with.watched_by.find(what.whom); known != with.watched_by.end()) {
    if (known->second == watched_state::ended) {
      send(from, ended{what.whom, with.unheard.at(what.whom)});
      expect_answer(with, now + how_.watch_retry);
    } else {
      send(from, watching{what.whom, what.round});
    }
    return;
  }
  if (with.watched_by.size() >= how_.watches_per_node_max) {
    ++counted_.watches_refused;
    out_.over_bound.push_back(from->first);
    send(from, watch_refused{what.whom, what.round});
    return;
  }
  with.watched_by.emplace(what.whom, watched_state::alive);
  auto& watchers = local_[what.whom];
  if (watchers.empty()) {
    out_.watches.push_back({what.whom, true});
  }
  watchers.insert(from->first);
  send(from, watching{what.whom, what.round});
}

remote_actors::watched* remote_actors::find_asked(conversation& with, const actor_key& whom, std::uint64_t round) {
  const auto known = with.watches.find(whom);
  return known != with.watches.end() && known->second.round == round ? &known->second : nullptr;
}

void remote_actors::handle(conversations::iterator from, watching& what, instant) {
  conversation& with = from->second;
  if (const watched* const asked = find_asked(with, what.whom, what.round); asked != nullptr && asked->is_wanted) {
    with.unconfirmed.erase(what.whom);
  }
}

void remote_actors::handle(conversations::iterator from, watch_refused& what, instant) {
  if (find_asked(from->second, what.whom, what.round) == nullptr) {
    return;
  }
  out_.over_bound.push_back(from->first);
  conclude(from->second, what.whom);
}

void remote_actors::handle(conversations::iterator from, cluster::unwatch& what, instant) {
  conversation& with = from->second;
  if (with.watched_by.erase(what.whom) != 0) {
    with.unheard.erase(what.whom);
    release_local(from->first, what.whom);
  }
  send(from, unwatched{what.whom, what.round});
}

void remote_actors::handle(conversations::iterator from, unwatched& what, instant) {
  conversation& with = from->second;
  if (const watched* const asked = find_asked(with, what.whom, what.round); asked != nullptr && !asked->is_wanted) {
    with.watches.erase(what.whom);
    with.unconfirmed.erase(what.whom);
  }
}

void remote_actors::handle(conversations::iterator from, ended& what, instant) {
  conclude(from->second, what.whom);
  send(from, ended_heard{std::move(what.whom), what.round});
}

void remote_actors::handle(conversations::iterator from, ended_heard& what, instant) {
  conversation& with = from->second;
  const auto told = with.unheard.find(what.whom);
  if (told != with.unheard.end() && told->second == what.round) {
    with.unheard.erase(told);
    with.watched_by.erase(what.whom);
  }
}

void remote_actors::handle(conversations::iterator, stop_request& what, instant) {
  out_.stops.push_back({std::move(what.whom), what.when});
}

// --- watches ---

void remote_actors::add_watch(conversations::iterator with, const death_watch& who, instant now) {
  const actor_key whom = key_of(who.target());
  auto& watches = with->second.watches;
  auto known = watches.find(whom);
  if (known == watches.end()) {
    if (watches.size() >= how_.watches_per_node_max) {
      ++counted_.watches_refused;
      out_.over_bound.push_back(with->first);
      out_.terminated.push_back(who);
      return;
    }
    known = watches.emplace(whom, watched{}).first;
  } else if (known->second.is_wanted) {
    auto& watchers = known->second.watchers;
    if (std::ranges::find(watchers, who) == watchers.end()) {
      watchers.push_back(who);
    }
    return;
  }
  known->second.is_wanted = true;
  known->second.watchers.push_back(who);
  negotiate(with, whom, now);
}

void remote_actors::negotiate(conversations::iterator with, const actor_key& whom, instant now) {
  with->second.unconfirmed.insert(whom);
  with->second.watches.at(whom).round = ++with->second.rounds;
  if (!with->second.is_reachable) {
    return;
  }
  expect_answer(with->second, now + how_.watch_retry);
  say(with, whom);
}

void remote_actors::say(conversations::iterator with, const actor_key& whom) {
  const watched& what = with->second.watches.at(whom);
  if (what.is_wanted) {
    send(with, cluster::watch{whom, what.round});
  } else {
    send(with, cluster::unwatch{whom, what.round});
  }
}

void remote_actors::retry(conversations::iterator with, instant now) {
  conversation& one = with->second;
  one.retry_at = one.unconfirmed.empty() && one.unheard.empty() ? instant_never : now + how_.watch_retry;
  wake_at(one.retry_at);
  std::size_t sent = 0;
  for (const auto& [whom, round] : one.unheard) {
    if (++sent > retries_at_once_max) break;
    send(with, ended{whom, round});
  }
  for (const actor_key& whom : one.unconfirmed) {
    if (++sent > retries_at_once_max) break;
    say(with, whom);
  }
}

void remote_actors::conclude_awaited_before(const actor_node& who) {
  const auto first = awaited_.lower_bound({who.name, node_incarnation{0}});
  const auto last = awaited_.lower_bound(who);
  for (auto at = first; at != last; ++at) {
    std::ranges::move(at->second.watchers, std::back_inserter(out_.terminated));
  }
  awaited_.erase(first, last);
}

void remote_actors::conclude(conversation& with, const actor_key& whom) {
  const auto known = with.watches.find(whom);
  if (known == with.watches.end()) {
    return;
  }
  std::ranges::move(known->second.watchers, std::back_inserter(out_.terminated));
  with.unconfirmed.erase(whom);
  with.watches.erase(known);
}

void remote_actors::drop_watched_by(const actor_node& who, conversation& with) {
  for (const auto& [whom, state] : with.watched_by) {
    release_local(who, whom);
  }
  with.watched_by.clear();
  with.unheard.clear();
}

void remote_actors::release_local(const actor_node& watcher, const actor_key& whom) {
  const auto watched_here = local_.find(whom);
  if (watched_here == local_.end()) {
    return;
  }
  watched_here->second.erase(watcher);
  if (watched_here->second.empty()) {
    local_.erase(watched_here);
    out_.watches.push_back({whom, false});
  }
}

}  // namespace muster::cluster
