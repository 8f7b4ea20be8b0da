#include "muster/membership/core.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace muster::membership {

namespace {

/// More than version, kind, header and body of any message that carries news, except for the sender's name.
constexpr std::size_t overhead_bytes = 2 + 2 + 16 + 10 + 2 + name_bytes_max + 8 + 3;

}  // namespace

participant::core::core(options how, prng& random, instant now)
    : how_{std::move(how)},
      random_{random},
      self_{how_.pool != nullptr ? how_.pool->share(how_.name, how_.incarnation, how_.address, how_.meta)
                                 : make_member(how_.name, how_.incarnation, how_.address, how_.meta)},
      gone_{how_.removed_max},
      awareness_{how_.awareness_max},
      seen_{now},
      now_{now},
      // Not from 1 on: an answer to this incarnation's predecessor shall not fit.
      sequence_{random_.below(std::uint64_t{1} << 14U)},
      join_delay_{how_.join_retry_min} {
  table_.add(self_, standing::alive, 0, random_);
  for (auto& address : how_.seeds) {
    const bool known = std::ranges::any_of(seeds_, [&](const seed& one) { return one.address == address; });
    if (!known) {
      seeds_.push_back({.address = address, .is_self = address == how_.address});
    }
  }
  next_sync_ = now_ + jittered(how_.sync_interval);
  next_heal_ = now_ + jittered(how_.heal_interval);
  join_seeds();
}

// --- time ---

void participant::core::advance(instant now) {
  if (now <= seen_) {
    return;  // a clock that jumps back stands still until it is caught up with
  }
  // A deadline that was overslept by far: this process was stopped, and what others sent meanwhile still waits to be
  // read. The pause is taken out of the time, with a moment more, so that answers are heard before anybody is blamed.
  const instant due = next_internal();
  if (due != instant_never && now - stopped_ > due + how_.pause_threshold) {
    const duration late = (now - stopped_) - due;
    stopped_ += std::min(late + how_.probe_timeout, now - seen_);
    ++counters_.pauses;
    constexpr std::size_t doubt = 2;
    awareness_.worse(doubt);
    if (late >= how_.removed_horizon) {
      // Others may have forgotten that they removed this incarnation, so it must not speak for itself any more.
      come_back(self_->incarnation, {}, "this process was stopped for longer than removed members are remembered");
    }
  }
  seen_ = now;
  now_ = now - stopped_;
}

instant participant::core::next_internal() const {
  if (phase_ == phase::ended) {
    return instant_never;
  }
  instant due = std::min({next_probe_, next_gossip_, next_challenge_, next_sync_, next_heal_, next_join_, next_leave_,
                          leave_deadline_, majority_at_, gone_.next_to_forget()});
  if (!timers_.empty()) {
    due = std::min(due, timers_.top().at);
  }
  return due;
}

instant participant::core::next_deadline() const {
  const instant due = next_internal();
  return due == instant_never ? instant_never : due + stopped_;
}

void participant::core::at(instant when, timer_kind kind, std::uint64_t id) {
  timers_.push({.at = when, .kind = kind, .id = id});
}

duration participant::core::jittered(duration about) {
  const auto span = static_cast<std::uint64_t>(about.count());
  return duration{static_cast<duration::rep>(span / 2 + random_.below(span + 1))};
}

void participant::core::run_timers() {
  while (phase_ != phase::ended && next_internal() <= now_) {
    if (!timers_.empty() && timers_.top().at <= now_) {
      const timer due = timers_.top();
      timers_.pop();
      fire(due);
      continue;
    }
    gone_.forget_until(now_);
    if (majority_at_ <= now_) decide_majority();
    if (phase_ == phase::ended) return;
    if (leave_deadline_ <= now_ || next_leave_ <= now_) continue_leave();
    if (phase_ == phase::ended) return;
    if (next_probe_ <= now_) probe_next();
    if (next_challenge_ <= now_) ask_challenged();
    if (next_join_ <= now_) join_seeds();
    if (next_sync_ <= now_) compare_with_somebody();
    if (next_heal_ <= now_) try_to_heal();
    // Last, so that what the others found out goes with it.
    if (next_gossip_ <= now_) gossip_now();
  }
}

void participant::core::fire(const timer& due) {
  const auto which = static_cast<slot>(due.id);
  switch (due.kind) {
    case timer_kind::ask_others: ask_others(due.id); break;
    case timer_kind::probe_ends: probe_failed(due.id); break;
    case timer_kind::relay_ends: end_favour(due.id, false); break;
    case timer_kind::suspicion_ends:
      if (const auto found = suspicions_.find(which); found != suspicions_.end() && found->second.deadline() <= now_) {
        set_unreachable(which, table_.at(which).counter);
      }
      break;
    case timer_kind::removal:
      if (const auto found = removals_.find(which); found != removals_.end() && found->second <= now_) {
        if (majority_at_ != instant_never) {
          decide_majority();  // while all who were there before the split can still be counted
        }
        if (phase_ != phase::ended) {
          remove(which, standing::removed);
        }
      }
      break;
  }
}

// --- inputs ---

void participant::core::handle_message(byte_view content, std::string_view authenticated_name, instant now) {
  advance(now);
  if (phase_ == phase::ended) {
    return;
  }
  ++counters_.messages_received;
  const auto read = decode(content);
  if (!read) {
    ++counters_.malformed;
  } else if (!authenticated_name.empty() && authenticated_name != read->from.name) {
    ++counters_.impersonated;
  } else {
    receive(*read);
  }
  run_timers();
}

void participant::core::handle_tick(instant now) {
  advance(now);
  run_timers();
}

ready participant::core::poll_ready(instant now) {
  advance(now);
  run_timers();
  if (shown_version_ != version_) {
    shown_version_ = version_;
    out_.members_changed = true;
  }
  return std::exchange(out_, {});
}

// --- effects ---

header participant::core::header_to(incarnation to) const noexcept {
  return {.name = self_->name, .incarnation = self_->incarnation, .to = to};
}

introduction participant::core::introduce() const noexcept {
  return {.cluster = how_.cluster,
          .versions = supported_versions,
          .address = self_->address,
          .meta = self_->meta,
          .counter = table_.at(member_table::self).counter};
}

void participant::core::post(member_ptr to, std::string address, traffic kind, bytes content) {
  ++counters_.messages_sent;
  counters_.bytes_sent += content.size();
  out_.messages.push_back(
      {.to = std::move(to), .address = std::move(address), .kind = kind, .content = std::move(content)});
}

void participant::core::send(const member_ptr& to, body what, traffic kind, const std::optional<claim>& first) {
  message out{.from = header_to(to->incarnation), .what = std::move(what), .news = {}};
  std::size_t space = how_.message_bytes_max - overhead_bytes - self_->name.size();
  const auto put_first = [&](const std::optional<claim>& one) {
    if (one && encoded_bytes(*one) <= space) {
      space -= encoded_bytes(*one);
      out.news.push_back(*one);
    }
  };
  put_first(first);
  if (const slot which = table_.find(*to); which != none) {
    put_first(held_against(which));  // so that it can refute (Lifeguard, section IV-C: the buddy system)
  }
  news_.take(out.news, space);
  bytes content = encode(out);
  news_.told(how_.retransmit_factor *
             static_cast<std::size_t>(std::ceil(std::log10(static_cast<double>(table_.size() + 1)))));
  post(to, {}, kind, std::move(content));
}

void participant::core::send_handshake(const member_ptr& to, std::string_view address, incarnation to_incarnation,
                                       body what, traffic kind) {
  const message out{.from = header_to(to_incarnation), .what = std::move(what), .news = {}};
  post(to, to ? std::string{} : std::string{address}, kind, encode(out));
}

void participant::core::tell(news_queue::item news) {
  if (table_.size() <= 1) {
    return;  // nobody to tell; a newcomer gets the whole table
  }
  news_.put(std::move(news));
  if (next_gossip_ == instant_never) {
    // News after a quiet time is told at once: a single change takes no interval at any of its hops.
    next_gossip_ = last_gossip_ == instant::min() ? now_ : std::max(now_, last_gossip_ + how_.gossip_interval);
  }
}

void participant::core::gossip_now() {
  next_gossip_ = instant_never;
  last_gossip_ = now_;
  std::vector<slot> chosen;
  const auto fits = [&](slot which) {
    return table_.at(which).standing != standing::unreachable && std::ranges::find(chosen, which) == chosen.end();
  };
  while (chosen.size() < how_.gossip_fanout && !news_.empty()) {
    const slot which = table_.pick(random_, fits);
    if (which == none) {
      break;
    }
    chosen.push_back(which);
    send(table_.at(which).who, gossip{}, traffic::gossip);
  }
  if (chosen.empty()) {
    news_.clear();
  } else if (!news_.empty()) {
    next_gossip_ = now_ + how_.gossip_interval;
  }
}

// --- views ---

std::shared_ptr<const member_list> participant::core::members() const {
  if (!list_ || list_->version != version_) {
    auto made = std::make_shared<member_list>();
    made->version = version_;
    made->members.reserve(table_.size());
    table_.each([&](slot which) {
      const auto& one = table_.at(which);
      made->members.push_back(
          {.who = one.who,
           .state = one.standing == standing::unreachable ? member_state::unreachable : member_state::up});
    });
    std::ranges::sort(made->members, {}, [](const member_status& one) -> const std::string& { return one.who->name; });
    list_ = std::move(made);
  }
  return list_;
}

membership::status participant::core::status() const {
  return {.phase = phase_,
          .up = table_.reachable(),
          .suspected = table_.suspected(),
          .unreachable = table_.unreachable(),
          .remembered = gone_.size(),
          .pending_news = news_.size(),
          .awareness = awareness_.score(),
          .counters = counters_};
}

}  // namespace muster::membership
