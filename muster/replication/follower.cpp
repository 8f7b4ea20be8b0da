#include "muster/replication/follower.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "muster/replication/diverged_tail.hpp"

namespace muster::replication {

namespace {

bool is_serving_master(const self_description& who) { return who.role == role::master && who.phase == phase::serving; }

}  // namespace

void follower::set_doing(phase what) {
  const bool still_refused = core_.doing == phase::refused && (what == phase::searching || what == phase::opening);
  if (!still_refused) {
    core_.doing = copy_from_.empty() ? what : phase::copying;
  }
}

void follower::start(instant now) { search(now); }

void follower::stop() {
  leave(refusal::asked_to_leave, fmt::format("replica '{}' is shutting down", core_.how.name));
  now_ = step::stopped;
}

void follower::rest(instant now) {
  now_ = step::resting;
  const unsigned doublings = std::min(failures_++, 16U);
  due_ = now + core_.jittered(std::min(core_.how.retry_delay_min * (1U << doublings), core_.how.retry_delay_max));
  set_doing(phase::searching);
}

void follower::search(instant now) {
  now_ = step::searching;
  set_doing(phase::searching);
  round_.begin(core_, now, core_.how.discovery_timeout);
}

void follower::handle_description(peer_id from, const description& what, instant now) {
  if (now_ != step::searching) {
    return;
  }
  round_.handle_description(from, what, now);
  if (!copy_from_.empty()) {
    if (what.from.name == copy_from_) {
      round_.end_by(now);
    }
    return;
  }
  const history& own = core_.position();
  const bool suits = is_serving_master(what.from) && (!own.has_copy() || what.from.history.database == own.database) &&
                     what.from.history.terms.current().number >= own.terms.current().number;
  if (suits) {
    round_.end_by(now + core_.how.discovery_grace);
  }
}

void follower::handle_discovery_complete(std::uint64_t round, instant now) { round_.handle_complete(round); }

void follower::finish_search(instant now) {
  round_.cancel();
  if (auto found = copy_from_.empty() ? choose(now) : choose_source(now)) {
    open_session(*found, now);
  } else if (!copied_) {
    rest(now);
  }
}

std::optional<discovery::answer> follower::choose(instant now) {
  const self_description self = core_.describe_self();
  std::vector<discovery::answer> masters;
  std::ranges::copy_if(round_.answers(), std::back_inserter(masters),
                       [](const discovery::answer& one) { return is_serving_master(one.who); });
  if (masters.empty()) {
    show_who_answers();
    const std::string sentence =
        self.history.has_copy()
            ? fmt::format("no master answers; '{}' serves its own copy with {} changes", self.name, self.history.last)
            : fmt::format("no master answers, and '{}' has no copy of its own yet: it cannot serve before it has one",
                          self.name);
    if (core_.doing != phase::refused && std::exchange(told_, sentence) != sentence) {
      core_.tell(event_kind::no_master, "", sentence);
    }
    return std::nullopt;
  }

  // The highest term of our own database wins, and it alone is judged: with it alive, no lower one is followed.
  const auto rank = [&](const discovery::answer& one) {
    const bool ours = !self.history.has_copy() || one.who.history.database == self.history.database;
    return ours ? one.who.history.terms.current().number : 0;
  };
  std::ranges::stable_sort(masters, std::greater{}, rank);
  const discovery::answer* best = &masters.front();
  for (const auto& other : masters) {
    const term theirs = other.who.history.terms.current();
    if (rank(other) == 0 || rank(other) != rank(*best) || theirs == best->who.history.terms.current()) {
      continue;
    }
    if (theirs == self.history.terms.current()) {
      best = &other;  // two of one number: the one that this replica follows already
    } else if (best->who.history.terms.current() != self.history.terms.current()) {
      become_refused(event_kind::refused_master, other.who.name,
                     fmt::format("'{}' is master in term {} and '{}' in term {}: '{}' cannot know which one to follow. "
                                 "Stop one of them and restart the other with --force",
                                 best->who.name, best->who.history.terms.current(), other.who.name, theirs, self.name),
                     now);
      return std::nullopt;
    }
  }
  // It is asked even when this replica already knows that they do not fit: it will refuse, so that both logs say why.
  return *best;
}

std::optional<discovery::answer> follower::choose_source(instant now) {
  std::vector<std::string> names;
  for (const auto& one : round_.answers()) {
    if (one.who.name == copy_from_) {
      return one;
    }
    names.push_back(fmt::format("'{}'", one.who.name));
  }
  copy_failed(
      fmt::format("no replica named '{}' answers ({}). Nothing was changed", copy_from_,
                  names.empty() ? std::string{"none does"} : fmt::format("there are {}", fmt::join(names, ", "))),
      false, now);
  return std::nullopt;
}

void follower::show_who_answers() {
  std::vector<replica_info> serving{{core_.how.name, core_.how.endpoints}};
  for (const auto& one : round_.answers()) {
    if (one.who.history.has_copy() && one.who.history.database == core_.position().database) {
      serving.push_back({one.who.name, one.who.endpoints});
    }
  }
  std::ranges::sort(serving, {}, &replica_info::name);
  core_.set_replicas(false, std::move(serving));
}

void follower::open_session(const discovery::answer& with, instant now) {
  asked_ = with;
  now_ = step::opening;
  due_ = now + core_.how.open_timeout;
  set_doing(phase::opening);
  core_.send(with.from, open{.attempt = ++attempts_,
                             .purpose = copy_from_.empty() ? open_purpose::follow : open_purpose::copy,
                             .wants_snapshot = wants_snapshot_,
                             .from = core_.describe_self()});
}

void follower::handle_refused(peer_id from, const refused& what, instant now) {
  if (now_ != step::opening || what.attempt != attempts_ || from != asked_.from) {
    return;
  }
  const bool passing = what.reason == refusal::not_master || what.reason == refusal::not_ready;
  if (!copy_from_.empty()) {
    copy_failed(what.sentence, !passing, now);
    if (!copied_) {
      rest(now);
    }
  } else if (passing) {
    rest(now);
  } else {
    become_refused(event_kind::refused_by_master, what.from.name, what.sentence, now);
    rest(now);
  }
}

void follower::handle_opened(peer_id from, const opened& what, instant now) {
  const bool awaited = now_ == step::opening && what.attempt == attempts_ && from == asked_.from;
  if (!awaited) {
    if (!session_ || session_->id != what.session) {
      core_.send(from,
                 closed{.session = what.session,
                        .reason = refusal::asked_to_leave,
                        .sentence = fmt::format("'{}' has given this attempt up", core_.how.name)},
                 core_.how.versions.min);
    }
    return;
  }
  session_ = session{.id = what.session,
                     .peer = from,
                     .version = what.version,
                     .master = what.from,
                     .plan = what.plan,
                     .roster_version = what.replicas.version,
                     .heard = now,
                     .sent = now};
  follow_verdict histories;
  if (!accept(what, histories, now)) {
    return;
  }
  if (copy_from_.empty()) {
    for (const auto& one : what.replicas.replicas) {
      if (one.name != core_.how.name) {
        core_.durable.note_replica(one, now);
      }
    }
    last_master_ = what.from.name;
    core_.set_replicas(what.replicas.master_first, what.replicas.replicas);
    core_.tell(event_kind::master_found, what.from.name,
               fmt::format("'{}' follows master '{}' in term {}, and catches up from {} {}", core_.how.name,
                           what.from.name, what.from.history.terms.current(), histories.fork,
                           what.plan == catch_up_plan::log ? "by its log" : "by a snapshot"));
  }
  core_.doing = copy_from_.empty() ? phase::catching_up : phase::copying;
  core_.trouble.clear();
  if (histories.has_tail) {
    save_tail_after(histories.fork, what.from);
  } else {
    begin_session(now);
  }
}

bool follower::accept(const opened& what, follow_verdict& histories, instant now) {
  const self_description self = core_.describe_self();
  histories = judge_following(self, what.from);
  refusal reason = refusal::cannot_apply;
  std::string sentence;
  if (!common_version(self.versions, {what.version, what.version})) {
    reason = refusal::no_common_version;
    sentence = no_common_version_sentence(self, what.from);
  } else if (!copy_from_.empty()) {
    if (what.plan == catch_up_plan::snapshot && what.from.history.has_copy()) {
      // The operator gives up what is here; a tail of the same database is saved as far as the log has it.
      histories.has_tail = self.history.has_copy() && self.history.database == what.from.history.database &&
                           self.history.last > fork_point(self.history, what.from.history);
      histories.fork = fork_point(self.history, what.from.history);
      return true;
    }
    sentence = fmt::format("replica '{}' offers no snapshot", what.from.name);
  } else if (histories.refused) {
    reason = *histories.refused;
    sentence = histories.sentence;
  } else if (what.plan == catch_up_plan::log && (!self.history.has_copy() || histories.fork != self.history.last)) {
    sentence = fmt::format("master '{}' would go on after {}, but '{}' ends at {}", what.from.name, histories.fork,
                           self.name, self.history.last);
  } else if (histories.has_tail && !core_.durable.log().reaches_back_to(histories.fork)) {
    sentence = fmt::format(
        "'{}' holds changes after {} that master '{}' lacks, and its log no longer has them all to save them. To give "
        "them up, start '{}' once with --initdb-from-replica {}",
        self.name, histories.fork, what.from.name, self.name, what.from.name);
  } else {
    return true;
  }
  leave(reason, sentence);
  if (copy_from_.empty()) {
    become_refused(event_kind::refused_master, what.from.name, sentence, now);
    rest(now);
  } else {
    copy_failed(sentence, true, now);
  }
  return false;
}

void follower::save_tail_after(serial fork, const self_description& master) {
  now_ = step::saving_tail;
  if (tail_being_saved_) {
    return;  // by an earlier session; its outcome serves this one as well
  }
  const change_log& log = core_.durable.log();
  diverged_tail tail;
  tail.replica = core_.how.name;
  tail.dropped = core_.position();
  tail.in_favour_of = master.history.terms.current();
  // All of it, however much: what is cut off here would be lost.
  log.copy_after(std::max(fork, serial{log.first().value() - 1}), std::numeric_limits<std::size_t>::max(),
                 tail.entries);
  tail_story_ = fmt::format("changes {} to {}, which '{}' does not have, leave this replica", next(fork),
                            core_.position().last, master.name);
  core_.out.tail = replication::save_tail{.suggested_name = tail_file_name(tail), .content = encode(tail)};
  tail_being_saved_ = true;
}

void follower::handle_tail_saved(const result<std::string>& outcome, instant now) {
  tail_being_saved_ = false;
  if (outcome) {
    core_.tell(event_kind::tail_saved, core_.how.name,
               fmt::format("{}; they are in {} (muster db diverged shows and re-applies them)", tail_story_, *outcome));
  }
  if (now_ != step::saving_tail) {
    return;
  }
  if (outcome) {
    begin_session(now);
    return;
  }
  const std::string sentence =
      fmt::format("changes that must leave this replica cannot be saved: {}", outcome.error().message);
  leave(refusal::storage, sentence);
  if (copy_from_.empty()) {
    become_refused(event_kind::tail_not_saved, core_.how.name, sentence, now);
    rest(now);
  } else {
    copy_failed(sentence, true, now);
  }
}

void follower::become_refused(event_kind kind, const std::string& who, const std::string& sentence, instant now) {
  core_.doing = phase::refused;
  core_.trouble = sentence;
  if (std::exchange(told_, sentence) != sentence) {
    core_.tell(kind, who, sentence);
  }
}

void follower::copy_failed(std::string sentence, bool for_good, instant now) {
  constexpr unsigned attempts_max = 3;
  if (for_good || ++copy_failures_ >= attempts_max) {
    now_ = step::stopped;
    copied_ = fail(errc::unavailable, "{}", sentence);
  }
}

void follower::observe(const self_description& other, instant now) {
  if (!copy_from_.empty() || !is_serving_master(other)) {
    return;
  }
  if (!session_) {
    if (now_ == step::resting) {
      due_ = std::min(due_, now + core_.how.retry_delay_min);
    }
    return;
  }
  const history& followed = session_->master.history;
  if (other.history.database == followed.database &&
      other.history.terms.current().number > followed.terms.current().number) {
    const std::string sentence =
        fmt::format("'{}' is master in the higher term {}", other.name, other.history.terms.current());
    leave(refusal::lower_term, sentence);
    lose_master(sentence, now);
  }
}

void follower::announce_endpoints(instant now) {
  if (!copy_from_.empty()) {
    return;
  }
  if (now_ == step::opening) {
    search(now);  // the attempt under way told the master the former endpoints
  } else if (session_) {
    session_->moved = true;
    if (now_ == step::following && core_.stepping == step_owner::none) {
      acknowledge(now);
    }
  }
}

std::optional<replica_info> follower::current_master() const {
  if (!session_ || !copy_from_.empty()) {
    return std::nullopt;
  }
  return replica_info{session_->master.name, session_->master.endpoints};
}

}  // namespace muster::replication
