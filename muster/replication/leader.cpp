#include "muster/replication/leader.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "muster/replication/judgement.hpp"

namespace muster::replication {

void leader::start(instant now) {
  core_.doing = phase::serving;
  core_.trouble.clear();
  batch_changes_max_ = core_.how.batch_changes_max;
  watch_due_ = now + core_.jittered(core_.how.watch_interval);
  core_.tell(event_kind::master_serving, core_.how.name,
             fmt::format("'{}' is the master in term {} with {} changes", core_.how.name,
                         core_.position().terms.current(), core_.position().last));
  slaves_.refresh_roster(now);
  advance(now);
}

void leader::handle_proposal(ticket of, bytes change) {
  if (core_.how.read_only) {
    core_.complete(of, fail(errc::not_master,
                            "this operation is not allowed on a slave or read-only master registry: '{}' was started "
                            "with --readonly",
                            core_.how.name));
    return;
  }
  const std::size_t active = slaves_.active_count();
  if (active < core_.how.active_slaves_min) {
    core_.complete(of, fail(errc::unavailable, "changes are taken while {} slaves are active; now there are {}",
                            core_.how.active_slaves_min, active));
    return;
  }
  proposals_.add(of, std::move(change));
}

void leader::handle_barrier(ticket of, instant now) {
  if (proposals_.size() >= core_.how.proposals_max) {
    core_.complete(of, fail(errc::limit_exceeded, "{} calls are waiting already, which is the bound: try again later",
                            core_.how.proposals_max));
    return;
  }
  proposals_.answer_after(of, core_.position().last, core_.position().last);
  advance(now);
}

instant leader::batch_due() const {
  // A commit costs each replica about the same whatever is in it, and slaves take one batch at a time. Callers that
  // wait for their answers would end up in two halves that take turns, with twice the commits everywhere: so what is
  // proposed while a batch is with the slaves waits for it, and then for what those who are answered propose next.
  if (!slaves_.answers_wait_for_slaves() || proposals_.proposed() >= batch_changes_max_) {
    return instant::min();
  }
  if (proposals_.committed() > 0) {
    // A slave that does not answer is not waited for here: that is for its own bound to judge.
    return shipped_ + core_.how.batch_wait_max;
  }
  return proposals_.proposed() < expected_after_answer_ ? gather_until_ : instant::min();
}

void leader::begin_batch(instant now) {
  if (core_.doing != phase::serving || now < batch_due()) {
    return;
  }
  while (proposals_.anything_proposed() && core_.stepping == step_owner::none) {
    auto batch = proposals_.stage_batch(batch_changes_max_, core_.how.message_bytes_max);
    if (batch.entries.empty()) {
      advance(now);
      continue;
    }
    begun_ = now;
    durable_meta after = core_.durable.meta();
    after.history.last = batch.entries.back().number;
    if (!slaves_.answers_wait_for_slaves() && core_.how.active_slaves_min == 0) {
      // Callers are answered the moment this is durable, so that this must be durable with it.
      after.history.acknowledged = after.history.last;
    }
    core_.begin_step(step_owner::leader, core_.durable.begin_changes(std::move(batch.entries), std::move(batch.rows),
                                                                     std::move(after), slaves_.log_needed_after()));
  }
}

void leader::handle_committed(const result<void>& outcome, instant now) {
  if (!outcome) {
    core_.machine.discard();
    proposals_.batch_failed(outcome.error());
    batch_changes_max_ = 1;
    if (outcome.error().code != errc::io_error && !std::exchange(storage_complained_, true)) {
      core_.tell(event_kind::storage_refused, core_.how.name,
                 fmt::format("changes are refused, everything else goes on: {}", outcome.error().message));
    }
    advance(now);
    return;
  }
  core_.machine.publish();
  storage_complained_ = false;
  batch_changes_max_ = std::min(batch_changes_max_ * 2, core_.how.batch_changes_max);
  proposals_.batch_succeeded();
  if (core_.doing != phase::serving) {
    const error unknown{errc::outcome_unknown, core_.trouble};
    proposals_.fail_all(unknown, unknown);
    return;
  }
  shipped_ = now;
  slaves_.ship_all(now);
  advance(now);
}

void leader::advance(instant now) {
  if (core_.doing != phase::serving) {
    return;
  }
  const serial held = slaves_.held_by_all();
  const std::size_t active = slaves_.active_count();
  if (core_.how.read_only) {
    // Nothing is acknowledged by looking at it: the tail of a slave's database stays one.
    answer(now);
    return;
  }
  if (active >= core_.how.active_slaves_min) {
    core_.durable.note_acknowledged(held, now);
    if (active > 0) {
      core_.durable.note_replicated(held, now);
    }
    answer(now);
    return;
  }
  answer(now);
  proposals_.release_failed(
      held,
      {errc::outcome_unknown,
       fmt::format("the change is stored here, but only {} of the {} slaves that are asked for are active and have "
                   "it",
                   active, core_.how.active_slaves_min)});
}

void leader::answer(instant now) {
  if (const std::size_t answered = proposals_.release(core_.position().acknowledged); answered > 0) {
    // No longer than half of what the batch took: a caller who does not come back costs the others little.
    gather_until_ = now + std::min((now - begun_) / 2, core_.how.gather_time_max);
    expected_after_answer_ = answered + proposals_.proposed();
  }
}

void leader::observe(const self_description& other, instant now) {
  if (core_.doing != phase::serving && core_.doing != phase::stepped_down) {
    return;
  }
  const self_description self = core_.describe_self();
  if (auto why = judge_running(self, other); why && core_.doing == phase::serving) {
    step_down(other, *why, now);
    return;
  }
  const bool stranger = other.role == role::master && other.phase == phase::serving && other.history.has_copy() &&
                        other.history.database != self.history.database;
  if (stranger && other_master_told_ != other.name) {
    other_master_told_ = other.name;
    core_.tell(
        event_kind::other_master_seen, other.name,
        fmt::format("'{}' is master of database {} under the same locator; this master's database is {}. Correct "
                    "Ice.Default.Locator or IceGrid.InstanceName of one of them",
                    other.name, other.history.database, self.history.database));
  }
}

void leader::step_down(const self_description& other, const std::string& why, instant now) {
  core_.trouble = why;
  core_.tell(event_kind::stepped_down, other.name, why);
  stop(phase::stepped_down, refusal::stepped_down, {errc::not_master, why}, now);
}

void leader::stop(phase as, refusal reason, const error& uncommitted, instant now) {
  core_.doing = as;
  const error unknown{
      errc::outcome_unknown,
      fmt::format("the change is stored here, but it is not known whether it will stay: {}", uncommitted.message)};
  slaves_.close_all(reason, uncommitted.message);
  proposals_.fail_all(uncommitted, unknown);
  core_.set_replicas(false, {{core_.how.name, core_.how.endpoints}});
}

void leader::handle_tick(instant now) {
  if (core_.doing == phase::serving && now >= watch_due_) {
    watch_due_ = now + core_.jittered(core_.how.watch_interval);
    watch_.begin(core_, now, core_.how.discovery_timeout);
  }
}

instant leader::next_deadline() const {
  if (core_.doing != phase::serving) {
    return instant_never;
  }
  const bool batch_waits = proposals_.anything_proposed() && core_.stepping == step_owner::none;
  return batch_waits ? std::min(watch_due_, batch_due()) : watch_due_;
}

}  // namespace muster::replication
