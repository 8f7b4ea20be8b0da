// The part of `shipping` that decides who gets a session.
#include <utility>

#include <fmt/format.h>

#include "muster/replication/shipping.hpp"

namespace muster::replication {

namespace {

bool same_follower(const slave_session& one, const open& what) {
  return what.purpose == open_purpose::follow && one.purpose == open_purpose::follow && one.who.name == what.from.name;
}

}  // namespace

std::optional<shipping::objection> shipping::object_to(const open& what, const follow_verdict& histories) const {
  const self_description self = core_.describe_self();
  if (!common_version(core_.how.versions, what.from.versions)) {
    return objection{refusal::no_common_version, no_common_version_sentence(self, what.from)};
  }
  const bool settled = core_.doing == phase::serving || core_.doing == phase::stepped_down || self.role == role::slave;
  if (what.purpose == open_purpose::copy) {
    if (!self.history.has_copy() || !settled) {
      return objection{refusal::not_ready, fmt::format("replica '{}' has no database to copy yet", self.name)};
    }
  } else {
    if (self.role != role::master) {
      return objection{refusal::not_master, fmt::format("replica '{}' is a slave, not a master", self.name)};
    }
    if (core_.doing == phase::stepped_down) {
      return objection{refusal::stepped_down,
                       fmt::format("master '{}' takes no changes any more: {}", self.name, core_.trouble)};
    }
    if (core_.doing != phase::serving) {
      return objection{refusal::not_ready, fmt::format("master '{}' is starting", self.name)};
    }
    // The operator looks at what this one has before anybody else takes it: as in the stock registry.
    if (core_.how.read_only) {
      return objection{refusal::asked_to_leave,
                       fmt::format("master '{}' was started with --readonly: no slave synchronizes with it before it "
                                   "is started without",
                                   self.name)};
    }
    bool name_taken = what.from.name == self.name;
    for (const auto& [id, one] : sessions_) {
      name_taken = name_taken || (same_follower(one, what) && one.incarnation != what.from.incarnation);
    }
    if (name_taken) {
      return objection{refusal::duplicate_name, duplicate_name_sentence(what.from.name)};
    }
    if (histories.refused) {
      return objection{*histories.refused, histories.sentence};
    }
  }
  if (sessions_.size() >= core_.how.sessions_max) {
    return objection{refusal::not_ready, fmt::format("replica '{}' serves {} replicas already, which is its bound",
                                                     self.name, sessions_.size())};
  }
  return std::nullopt;
}

void shipping::refuse(peer_id from, const open& what, objection why) {
  const bool asker_is_fine = why.reason == refusal::not_master || why.reason == refusal::not_ready;
  if (!asker_is_fine) {
    constexpr std::size_t remembered_max = 64;
    if (told_refusals_.size() >= remembered_max && !told_refusals_.contains(what.from.name)) {
      told_refusals_.clear();
    }
    if (auto& told = told_refusals_[what.from.name]; told != why.sentence) {
      told = why.sentence;
      core_.tell(event_kind::slave_refused, what.from.name, why.sentence);
    }
  }
  core_.send(from, refused{.attempt = what.attempt,
                           .reason = why.reason,
                           .sentence = std::move(why.sentence),
                           .from = core_.describe_self()});
}

void shipping::handle_open(peer_id from, const open& what, instant now) {
  if (what.from.incarnation == core_.incarnation) {
    return;
  }
  // One asker has one session: a newer attempt replaces it, an older one is a late copy, and the same one again means
  // that the answer was lost.
  for (auto& [id, one] : sessions_) {
    if (one.incarnation != what.from.incarnation || one.purpose != what.purpose) {
      continue;
    }
    if (what.attempt < one.attempt) {
      return;
    }
    if (what.attempt == one.attempt) {
      if (one.now == slave_session::standing::waiting) {
        answer_open(one);
      }
      return;
    }
    forget(one, refusal::asked_to_leave, "it opens a new session", now);
    break;
  }
  const follow_verdict histories = judge_following(what.from, core_.describe_self());
  if (auto why = object_to(what, histories)) {
    refuse(from, what, *std::move(why));
    return;
  }
  admit(from, what, histories, now);
}

void shipping::admit(peer_id from, const open& what, const follow_verdict& histories, instant now) {
  told_refusals_.erase(what.from.name);
  slave_session slave;
  do {
    slave.id = session_id{core_.random()};
  } while (sessions_.contains(slave.id));
  slave.peer = from;
  slave.version = *common_version(core_.how.versions, what.from.versions);
  slave.attempt = what.attempt;
  slave.purpose = what.purpose;
  slave.who = {what.from.name, what.from.endpoints};
  slave.incarnation = what.from.incarnation;
  slave.last_sent = now;
  if (const auto trouble = troubled_.find(slave.who.name); trouble != troubled_.end()) {
    slave.join_from = trouble->second;
  }
  slave.matched = histories.fork;
  const bool by_log = what.purpose == open_purpose::follow && what.from.history.has_copy() && !what.wants_snapshot &&
                      !histories.has_tail && core_.durable.log().reaches_back_to(histories.fork);
  slave.plan = by_log ? catch_up_plan::log : catch_up_plan::snapshot;

  std::string how = by_log ? fmt::format("by the log from {} to {}", histories.fork, core_.position().last)
                           : fmt::format("by a snapshot at {} or later", core_.position().last);
  if (what.purpose == open_purpose::copy) {
    core_.tell(event_kind::slave_opened, slave.who.name,
               fmt::format("replica '{}' copies this database", slave.who.name));
  } else {
    core_.tell(event_kind::slave_opened, slave.who.name,
               fmt::format("slave '{}' catches up {}{}", slave.who.name, how,
                           histories.has_tail
                               ? "; it saves and drops changes of its own that no other replica holds as acknowledged"
                               : ""));
    core_.durable.note_replica(slave.who, now);
  }
  answer_open(sessions_.emplace(slave.id, std::move(slave)).first->second);
}

void shipping::answer_open(slave_session& slave) {
  core_.send(slave.peer,
             opened{.attempt = slave.attempt,
                    .session = slave.id,
                    .version = slave.version,
                    .plan = slave.plan,
                    .from = core_.describe_self(),
                    .replicas = core_.replicas},
             slave.version);
}

}  // namespace muster::replication
