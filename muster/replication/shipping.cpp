#include "muster/replication/shipping.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace muster::replication {

using standing = slave_session::standing;

slave_session* shipping::find(session_id id, peer_id from) {
  const auto found = sessions_.find(id);
  return found != sessions_.end() && found->second.peer == from ? &found->second : nullptr;
}

void shipping::tell_unknown(peer_id from, session_id id) {
  core_.send(from,
             closed{.session = id,
                    .reason = refusal::asked_to_leave,
                    .sentence = fmt::format("replica '{}' does not have this session any more", core_.how.name)},
             core_.how.versions.min);
}

void shipping::handle_appended(peer_id from, const appended& what, instant now) {
  slave_session* slave = find(what.session, from);
  if (slave == nullptr) {
    tell_unknown(from, what.session);
    return;
  }
  if (slave->now == standing::copying || (slave->now == standing::waiting && slave->plan == catch_up_plan::snapshot)) {
    return;
  }
  if (what.last > core_.position().last || what.last < slave->matched) {
    if (what.last > core_.position().last) {
      dismiss(*slave, refusal::cannot_apply,
              fmt::format("it acknowledges change {}, but this master has only {}", what.last, core_.position().last),
              now);
    }
    return;
  }
  slave->matched = what.last;
  if (what.endpoints && *what.endpoints != slave->who.endpoints) {
    slave->who.endpoints = *what.endpoints;
    core_.durable.note_replica(slave->who, now);
    if (slave->now == standing::active) {
      refresh_roster(now);
    }
  }
  slave->roster_known = std::max(slave->roster_known, what.roster_version);
  slave->heartbeat_since.reset();
  if (slave->sent_through && slave->matched >= *slave->sent_through) {
    slave->sent_through.reset();
  }
  forget_what_all_hold();
  if (slave->now == standing::waiting) {
    slave->now = standing::reading;
  }
  if (slave->now != standing::active && may_be_active(*slave, now)) {
    become_active(*slave, now);
  }
  ship(*slave, now);
}

void shipping::handle_snapshot_received(peer_id from, const snapshot_received& what, instant now) {
  slave_session* slave = find(what.session, from);
  if (slave == nullptr) {
    tell_unknown(from, what.session);
    return;
  }
  if (slave->now == standing::waiting && slave->plan == catch_up_plan::snapshot) {
    start_snapshot(*slave, now);
  }
  if (slave->now != standing::copying) {
    return;
  }
  slave->snapshot->handle_received(what.next_index, now);
  if (!slave->snapshot->finished()) {
    send_chunks(*slave, now);
    return;
  }
  slave->matched = slave->snapshot->at();
  slave->snapshot.reset();
  core_.tell(event_kind::snapshot_sent, slave->who.name,
             fmt::format("'{}' has the whole snapshot at {}", slave->who.name, slave->matched));
  if (slave->purpose == open_purpose::copy) {
    sessions_.erase(what.session);
    return;
  }
  slave->now = standing::reading;
  slave->last_sent = now;
  if (may_be_active(*slave, now)) {
    become_active(*slave, now);
  }
  ship(*slave, now);
}

void shipping::start_snapshot(slave_session& slave, instant now) {
  std::vector<log_entry> recent;
  // The log always reaches back to what is acknowledged (journal::begin_changes). All that came since has to go along,
  // however much it is: the queue of proposals bounds it, and the log only refers to the bytes.
  core_.durable.log().copy_after(core_.position().acknowledged, std::numeric_limits<std::size_t>::max(), recent);
  slave.snapshot =
      std::make_unique<snapshot_sender>(core_.machine.capture(), core_.position(), std::move(recent), core_.how);
  slave.snapshot->start(now);
  slave.matched = slave.snapshot->at();
  slave.now = standing::copying;
}

void shipping::send_chunks(slave_session& slave, instant now) {
  std::vector<message> chunks;
  slave.snapshot->poll_chunks(slave.id, now, chunks);
  for (auto& chunk : chunks) {
    core_.send(slave.peer, std::move(chunk), slave.version);
  }
}

bool shipping::handle_closed(peer_id from, const closed& what, instant now) {
  slave_session* slave = find(what.session, from);
  if (slave == nullptr) {
    return false;
  }
  if (what.reason == refusal::storage || what.reason == refusal::cannot_apply) {
    remember_trouble(slave->who.name, now);
  }
  forget(*slave, what.reason, what.sentence, now);
  return true;
}

void shipping::handle_peer_gone(peer_id which, instant now) {
  for (auto at = sessions_.begin(); at != sessions_.end();) {
    slave_session& slave = (at++)->second;
    if (slave.peer == which) {
      forget(slave, std::nullopt, "its connection broke", now);
    }
  }
}

void shipping::handle_tick(instant now) {
  for (auto at = sessions_.begin(); at != sessions_.end();) {
    slave_session& slave = (at++)->second;  // it may be dropped
    if (now >= overdue_at(slave)) {
      handle_overdue(slave, now);
      continue;
    }
    if (now < slave.next_send(core_.how)) {
      continue;
    }
    if (slave.now == standing::copying) {
      send_chunks(slave, now);
    } else if (slave.sent_through) {
      send_again(slave, now);
    } else {
      send_append(slave, {}, now);
    }
  }
}

instant shipping::next_deadline() const {
  instant out = instant_never;
  for (const auto& [id, slave] : sessions_) {
    out = std::min({out, overdue_at(slave), slave.next_send(core_.how)});
  }
  return out;
}

instant shipping::overdue_at(const slave_session& slave) const {
  instant out = slave.overdue_at(core_.how);
  if (slave.now == standing::active) {
    const auto oldest = std::ranges::upper_bound(unheld_, slave.matched, {}, &committed::through);
    if (oldest != unheld_.end()) {
      out = std::min(out, std::max(oldest->at, slave.active_since) + core_.how.acknowledge_timeout);
    }
  }
  return out;
}

void shipping::forget_what_all_hold() {
  const serial held = held_by_all();
  while (!unheld_.empty() && unheld_.front().through <= held) {
    unheld_.pop_front();
  }
}

void shipping::handle_overdue(slave_session& slave, instant now) {
  if (slave.now == standing::joining) {
    // It has held answers up and must not do so again soon; without that it becomes active when it has all.
    slave.now = standing::reading;
    slave.join_from = now + core_.how.join_retry_delay;
    return;
  }
  const bool answers = now < slave.overdue_at(core_.how);
  if (answers) {
    remember_trouble(slave.who.name, now);
  }
  const auto bound = slave.now == standing::active ? core_.how.acknowledge_timeout : core_.how.catch_up_timeout;
  dismiss(slave, refusal::missed_bound,
          fmt::format("it did not {} within {} ms", answers ? "have a change" : "answer",
                      std::chrono::duration_cast<std::chrono::milliseconds>(bound).count()),
          now);
}

void shipping::remember_trouble(const std::string& name, instant now) {
  if (troubled_.size() >= core_.how.sessions_max) {
    troubled_.clear();
  }
  troubled_[name] = now + core_.how.join_retry_delay;
}

void shipping::ship_all(instant now) {
  unheld_.push_back({core_.position().last, now});
  forget_what_all_hold();
  for (auto at = sessions_.begin(); at != sessions_.end();) {
    ship((at++)->second, now);
  }
}

void shipping::ship(slave_session& slave, instant now) {
  const change_log& log = core_.durable.log();
  if (!slave.reads_log() || slave.sent_through || slave.matched >= log.last() || !keeps_up(slave, now)) {
    return;
  }
  std::vector<log_entry> entries;
  log.copy_after(slave.matched, core_.how.message_bytes_max, entries);
  slave.sent_through = entries.back().number;
  slave.sent_first = now;
  if (slave.now == standing::reading && now >= slave.join_from && *slave.sent_through == log.last()) {
    slave.now = standing::joining;
  }
  send_append(slave, std::move(entries), now);
}

void shipping::send_again(slave_session& slave, instant now) {
  if (!keeps_up(slave, now)) {
    return;
  }
  std::vector<log_entry> entries;
  core_.durable.log().copy_after(slave.matched, core_.how.message_bytes_max, entries);
  slave.sent_through = entries.back().number;
  send_append(slave, std::move(entries), now);
}

bool shipping::keeps_up(slave_session& slave, instant now) {
  if (core_.durable.log().reaches_back_to(slave.matched)) {
    return true;
  }
  dismiss(slave, refusal::log_overrun, "it fell behind further than the log is kept, and begins to catch up anew", now);
  return false;
}

void shipping::send_append(slave_session& slave, std::vector<log_entry> entries, instant now) {
  append out;
  out.session = slave.id;
  out.current = core_.position().terms.current();
  out.previous = slave.matched;
  if (entries.empty() && !slave.heartbeat_since) {
    slave.heartbeat_since = now;
  }
  out.entries = std::move(entries);
  out.acknowledged = core_.position().acknowledged;
  out.active = slave.now == standing::active;
  out.roster_version = core_.replicas.version;
  if (slave.roster_known < core_.replicas.version) {
    out.replicas = core_.replicas;
  }
  slave.last_sent = now;
  core_.send(slave.peer, std::move(out), slave.version);
}

bool shipping::may_be_active(const slave_session& slave, instant now) const {
  // One that could not keep up lately must have all there is: with what other slaves still hold up it would at once
  // hold up the same, and a few such slaves in turns would keep callers waiting for ever.
  const serial answered = core_.durable.acknowledged_soon();
  return slave.matched >= (now < slave.join_from ? std::max(answered, core_.position().last) : answered);
}

void shipping::become_active(slave_session& slave, instant now) {
  slave.now = standing::active;
  slave.active_since = now;
  troubled_.erase(slave.who.name);
  core_.tell(event_kind::slave_active, slave.who.name,
             fmt::format("slave '{}' is active with all changes up to {}", slave.who.name, slave.matched));
  refresh_roster(now);
}

void shipping::refresh_roster(instant now) {
  if (core_.doing != phase::serving) {
    return;
  }
  std::vector<replica_info> serving;
  for (const auto& [id, slave] : sessions_) {
    if (slave.now == standing::active) {
      serving.push_back(slave.who);
    }
  }
  std::ranges::sort(serving, {}, &replica_info::name);
  serving.insert(serving.begin(), {core_.how.name, core_.how.endpoints});
  core_.set_replicas(true, std::move(serving));
  for (auto& [id, slave] : sessions_) {
    // Who has a message on its way hears of it with the next one.
    if (slave.reads_log() && !slave.sent_through && slave.roster_known < core_.replicas.version) {
      send_append(slave, {}, now);
    }
  }
}

void shipping::dismiss(slave_session& slave, refusal why, const std::string& sentence, instant now) {
  core_.send(slave.peer, closed{.session = slave.id, .reason = why, .sentence = sentence}, slave.version);
  forget(slave, why, sentence, now);
}

void shipping::forget(slave_session& slave, std::optional<refusal> why, const std::string& sentence, instant now) {
  core_.tell(event_kind::slave_dropped, slave.who.name,
             fmt::format("the session of '{}' ends at change {}: {}", slave.who.name, slave.matched, sentence), why);
  const bool was_active = slave.now == standing::active;
  sessions_.erase(slave.id);
  if (was_active) {
    refresh_roster(now);
  }
}

void shipping::close_all(refusal reason, const std::string& sentence) {
  for (auto& [id, slave] : sessions_) {
    core_.send(slave.peer, closed{.session = id, .reason = reason, .sentence = sentence}, slave.version);
  }
  sessions_.clear();
}

serial shipping::held_by_all() const {
  serial out = core_.position().last;
  for (const auto& [id, slave] : sessions_) {
    if (slave.holds_answers()) {
      out = std::min(out, slave.matched);
    }
  }
  return out;
}

bool shipping::answers_wait_for_slaves() const {
  return std::ranges::any_of(sessions_, [](const auto& one) { return one.second.holds_answers(); });
}

std::size_t shipping::active_count() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(sessions_, [](const auto& one) { return one.second.now == standing::active; }));
}

serial shipping::log_needed_after() const {
  serial out = core_.position().last;
  for (const auto& [id, slave] : sessions_) {
    const bool reads = slave.now != standing::waiting || slave.plan == catch_up_plan::log;
    if (reads && slave.purpose == open_purpose::follow) {
      out = std::min(out, slave.matched);
    }
  }
  return out;
}

bool shipping::is_active(peer_id which) const {
  return std::ranges::any_of(
      sessions_, [&](const auto& one) { return one.second.now == standing::active && one.second.peer == which; });
}

std::optional<peer_id> shipping::peer_of(std::string_view name) const {
  for (const auto& [id, slave] : sessions_) {
    if (slave.now == standing::active && slave.who.name == name) {
      return slave.peer;
    }
  }
  return std::nullopt;
}

std::vector<slave_status> shipping::slaves() const {
  std::vector<slave_status> out;
  for (const auto& [id, slave] : sessions_) {
    if (slave.purpose == open_purpose::follow) {
      out.push_back({.name = slave.who.name,
                     .active = slave.now == standing::active,
                     .by_snapshot = slave.now == standing::copying,
                     .matched = slave.matched});
    }
  }
  std::ranges::sort(out, {}, &slave_status::name);
  return out;
}

}  // namespace muster::replication
