// The part of `follower` that works within an open session.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "muster/replication/follower.hpp"

namespace muster::replication {

bool follower::in_session(session_id id, peer_id from) const {
  return session_ && session_->id == id && session_->peer == from;
}

void follower::begin_session(instant now) {
  now_ = session_->plan == catch_up_plan::log ? step::adopting : step::receiving;
  begin_steps(now);
}

void follower::begin_steps(instant now) {
  if (core_.stepping != step_owner::none) {
    return;
  }
  if (now_ == step::receiving) {
    if (!receiver_) {
      receiver_.emplace(core_.machine.begin_install());
      acknowledge(now);
    }
    take_next_chunk(now);
  } else if (now_ == step::following && session_->next) {
    apply(*std::exchange(session_->next, std::nullopt), now);
  } else if (now_ == step::adopting) {
    // The master's term must be known here for good before anything is acknowledged in it: after a restart, too, no
    // lower term is followed.
    durable_meta after = core_.durable.meta();
    after.last_role = role::slave;
    after.history.terms = session_->master.history.terms;
    if (after == core_.durable.meta()) {
      now_ = step::following;
      acknowledge(now);
    } else {
      store(stored::terms, core_.durable.begin_meta(std::move(after)));
    }
  }
}

void follower::store(stored what, commit stage) {
  storing_ = what;
  storing_for_ = session_->id;
  core_.begin_step(step_owner::follower, std::move(stage));
}

void follower::acknowledge(instant now) {
  session_->sent = now;
  if (now_ == step::receiving) {
    core_.send(session_->peer, snapshot_received{.session = session_->id, .next_index = receiver_->next_index()},
               session_->version);
  } else {
    appended out{.session = session_->id, .last = core_.position().last, .roster_version = session_->roster_version};
    if (session_->moved && !roster_shows_own_endpoints()) {
      out.endpoints = core_.how.endpoints;
    }
    core_.send(session_->peer, std::move(out), session_->version);
  }
}

bool follower::roster_shows_own_endpoints() const {
  return std::ranges::find(core_.replicas.replicas, replica_info{core_.how.name, core_.how.endpoints}) !=
         core_.replicas.replicas.end();
}

void follower::handle_append(peer_id from, append what, instant now) {
  if (!in_session(what.session, from) || what.current != session_->master.history.terms.current()) {
    return;
  }
  session_->heard = now;
  if (now_ != step::following) {
    return;  // a doubled one from before a snapshot: there is none in flight now
  }
  note_from_master(what, now);
  if (core_.stepping != step_owner::none) {
    // Answered when the present step is done; a master has one message with changes on its way, so that the newest
    // such one says all.
    if (!session_->next || !what.entries.empty()) {
      session_->next = std::move(what);
    }
    return;
  }
  apply(std::move(what), now);
}

void follower::note_from_master(const append& what, instant now) {
  session_->acknowledged = std::max(session_->acknowledged, what.acknowledged);
  if (what.replicas && what.replicas->version > session_->roster_version) {
    session_->roster_version = what.replicas->version;
    for (const auto& one : what.replicas->replicas) {
      if (one.name != core_.how.name) {
        core_.durable.note_replica(one, now);
      }
    }
    core_.set_replicas(what.replicas->master_first, what.replicas->replicas);
    const auto& listed = what.replicas->replicas;
    if (what.replicas->master_first && !listed.empty() && listed.front().name == session_->master.name) {
      session_->master.endpoints = listed.front().endpoints;
    }
  }
  if (what.active && core_.doing != phase::active) {
    core_.doing = phase::active;
    trouble_is_over();
    core_.tell(event_kind::slave_caught_up, session_->master.name,
               fmt::format("'{}' has caught up with master '{}' at {}", core_.how.name, session_->master.name,
                           core_.position().last));
  }
}

void follower::trouble_is_over() {
  failures_ = 0;
  told_.clear();
}

void follower::apply(append what, instant now) {
  const serial last = core_.position().last;
  std::erase_if(what.entries, [&](const log_entry& one) { return one.number <= last; });
  if (what.entries.empty() || what.entries.front().number != next(last)) {
    // Nothing new, or a gap where a message was lost: the acknowledgement tells the master where to go on.
    core_.durable.note_acknowledged(std::min(session_->acknowledged, last), now);
    core_.durable.note_replicated(core_.position().acknowledged, now);
    acknowledge(now);
    return;
  }
  std::vector<row_write> rows;
  for (const auto& one : what.entries) {
    if (auto staged = core_.machine.stage(one.number, one.change.view(), rows); !staged) {
      core_.machine.discard();
      wants_snapshot_ = true;
      cannot_apply(fmt::format("change {} does not apply at '{}' ({}): it resynchronises by a snapshot", one.number,
                               core_.how.name, staged.error().message),
                   now);
      return;
    }
  }
  durable_meta after = core_.durable.meta();
  after.history.last = what.entries.back().number;
  after.history.acknowledged =
      std::max(after.history.acknowledged, std::min(session_->acknowledged, after.history.last));
  after.history.replicated = std::max(after.history.replicated, after.history.acknowledged);
  store(stored::changes, core_.durable.begin_changes(std::move(what.entries), std::move(rows), std::move(after), last));
}

void follower::handle_snapshot_chunk(peer_id from, snapshot_chunk what, instant now) {
  if (!in_session(what.session, from)) {
    return;
  }
  session_->heard = now;
  if (now_ != step::receiving || !receiver_) {
    if (now_ == step::following && session_->plan == catch_up_plan::snapshot) {
      core_.send(from, snapshot_received{.session = what.session, .next_index = what.index + 1}, session_->version);
    }
    return;
  }
  if (!receiver_->offer(std::move(what))) {
    acknowledge(now);
    return;
  }
  begin_steps(now);
}

void follower::take_next_chunk(instant now) {
  auto chunk = receiver_->take_next();
  if (!chunk) {
    return;
  }
  if (chunk->is_last) {
    finish_snapshot(*chunk, now);
    return;
  }
  auto rows = receiver_->rows_of(*chunk);
  if (!rows) {
    cannot_apply(fmt::format("the snapshot of '{}' cannot be read at '{}': {}", session_->master.name, core_.how.name,
                             rows.error().message),
                 now);
    return;
  }
  store(stored::chunk, core_.durable.begin_replacement_rows(chunk->index == 0, *std::move(rows)));
}

void follower::finish_snapshot(const snapshot_chunk& last, instant now) {
  const history& offered = session_->master.history;
  result<void> whole = receiver_->finish(last);
  if (whole &&
      (last.history.database != offered.database || (copy_from_.empty() && last.history.terms != offered.terms))) {
    whole = fail(errc::corrupt, "it is of another database or term than the session");
  }
  if (!whole) {
    cannot_apply(fmt::format("the snapshot of '{}' does not fit together at '{}': {}", session_->master.name,
                             core_.how.name, whole.error().message),
                 now);
    return;
  }
  durable_meta after = core_.durable.meta();
  after.last_role = role::slave;
  after.history = last.history;
  store(stored::snapshot, core_.durable.begin_replacement_swap(last.index == 0, std::move(after), last.recent));
}

void follower::handle_committed(const result<void>& outcome, instant now) {
  const stored what = std::exchange(storing_, stored::nothing);
  const bool still_wanted = session_ && session_->id == storing_for_;
  if (!outcome) {
    if (what == stored::changes) {
      core_.machine.discard();
    }
    receiver_.reset();
    if (still_wanted) {
      const std::string sentence =
          fmt::format("'{}' cannot store what its master sends: {}", core_.how.name, outcome.error().message);
      leave(refusal::storage, sentence);
      if (copy_from_.empty()) {
        become_refused(event_kind::storage_refused, core_.how.name, sentence, now);
        rest(now);
      } else {
        copy_failed(sentence, true, now);
      }
    }
    return;
  }
  if (what == stored::changes) {
    core_.machine.publish();
  } else if (what == stored::snapshot) {
    core_.machine.install(std::move(*receiver_).take_sink());
    core_.tell(event_kind::snapshot_installed, session_ ? session_->master.name : std::string{},
               fmt::format("'{}' serves the copy at {} now", core_.how.name, core_.position().last));
    wants_snapshot_ = false;
    if (!copy_from_.empty()) {
      copied_ = result<void>{};
    }
  }
  if (!still_wanted) {
    receiver_.reset();
    return;
  }
  // The store may have kept this thread busy for longer than the master may be silent.
  session_->heard = now;
  switch (what) {
    case stored::nothing: break;
    case stored::terms:
      now_ = step::following;
      acknowledge(now);
      break;
    case stored::changes:
      trouble_is_over();
      acknowledge(now);
      break;
    case stored::chunk:
      receiver_->stored();
      acknowledge(now);
      break;
    case stored::snapshot:
      receiver_->stored();
      acknowledge(now);
      receiver_.reset();
      trouble_is_over();
      now_ = step::following;
      if (copied_) {
        session_.reset();
        now_ = step::stopped;
      }
      break;
  }
  begin_steps(now);
}

void follower::cannot_apply(const std::string& sentence, instant now) {
  core_.tell(event_kind::apply_failed, session_->master.name, sentence);
  leave(refusal::cannot_apply, sentence);
  if (copy_from_.empty()) {
    rest(now);
  } else {
    copy_failed(sentence, true, now);
  }
}

void follower::leave(std::optional<refusal> reason, const std::string& sentence) {
  if (!session_) {
    return;
  }
  if (reason) {
    core_.send(session_->peer, closed{.session = session_->id, .reason = *reason, .sentence = sentence},
               session_->version);
  }
  session_.reset();
  if (storing_ == stored::nothing) {
    receiver_.reset();
  }
}

void follower::lose_master(const std::string& sentence, instant now) {
  if (!copy_from_.empty()) {
    copy_failed(fmt::format("'{}' did not send its database to the end: {}", copy_from_, sentence), false, now);
  } else {
    core_.tell(event_kind::master_lost, asked_.who.name,
               fmt::format("'{}' has lost master '{}' at {}: {}", core_.how.name, asked_.who.name,
                           core_.position().last, sentence));
    if (core_.replicas.master_first) {
      std::vector<replica_info> left = core_.replicas.replicas;
      std::erase_if(left, [&](const replica_info& one) { return one.name == asked_.who.name; });
      core_.set_replicas(false, std::move(left));
    }
  }
  if (!copied_) {
    rest(now);
  }
}

void follower::handle_closed(peer_id from, const closed& what, instant now) {
  if (!in_session(what.session, from)) {
    return;
  }
  leave(std::nullopt, what.sentence);
  lose_master(what.sentence, now);
}

void follower::handle_peer_gone(peer_id which, instant now) {
  round_.handle_peer_gone(which);
  if (session_ && session_->peer == which) {
    leave(std::nullopt, {});
    lose_master("its connection broke", now);
  } else if (now_ == step::opening && asked_.from == which) {
    rest(now);
  }
}

void follower::handle_tick(instant now) {
  switch (now_) {
    case step::stopped: return;
    case step::resting:
      if (now >= due_) {
        search(now);
      }
      return;
    case step::searching:
      if (round_.over(now)) {
        finish_search(now);
      }
      return;
    case step::opening:
      if (now >= due_) {
        if (copy_from_.empty()) {
          rest(now);
        } else {
          lose_master("it does not answer", now);
        }
      }
      return;
    case step::saving_tail:
    case step::adopting: return;
    case step::following:
    case step::receiving: break;
  }
  if (core_.stepping == step_owner::follower) {
    return;
  }
  if (now >= session_->heard + silence_bound()) {
    leave(refusal::missed_bound, fmt::format("'{}' has not heard of its master for too long", core_.how.name));
    lose_master("it is silent", now);
  } else if (now >= std::max(session_->heard, session_->sent) + 2 * core_.how.resend_interval) {
    acknowledge(now);
  }
}

duration follower::silence_bound() const {
  return now_ == step::receiving ? core_.how.catch_up_timeout : core_.how.master_silence_timeout;
}

instant follower::next_deadline() const {
  switch (now_) {
    case step::resting:
    case step::opening: return due_;
    case step::searching: return round_.deadline();
    case step::following:
    case step::receiving:
      if (core_.stepping == step_owner::follower) {
        return instant_never;
      }
      return std::min(session_->heard + silence_bound(),
                      std::max(session_->heard, session_->sent) + 2 * core_.how.resend_interval);
    case step::stopped:
    case step::saving_tail:
    case step::adopting: break;
  }
  return instant_never;
}

}  // namespace muster::replication
