#include "muster/replication/starter.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace muster::replication {

void starter::start(instant now) {
  after_ = core_.durable.meta();
  if (core_.how.role == role::master) {
    core_.doing = phase::asking;
    now_ = step::asking;
    round_.begin(core_, now, core_.how.startup_check_timeout);
    return;
  }
  core_.doing = phase::beginning;
  // From here on this database is a slave's: should it start as a master again, it must begin a new term. A slave
  // without a copy has nothing that could be anybody's.
  if (after_.history.has_copy()) {
    after_.last_role = role::slave;
  }
  now_ = after_ == core_.durable.meta() ? step::done : step::ready_to_persist;
}

void starter::handle_description(peer_id from, const description& what, instant now) {
  round_.handle_description(from, what, now);
}

void starter::handle_discovery_complete(std::uint64_t round) noexcept { round_.handle_complete(round); }

void starter::handle_tick(instant now) {
  if (now_ == step::asking && round_.over(now)) {
    round_.cancel();
    decide();
  }
}

instant starter::next_deadline() const noexcept { return now_ == step::asking ? round_.deadline() : instant_never; }

void starter::decide() {
  const auto others = round_.described();
  std::vector<std::string> silent;
  for (const auto& known : core_.durable.meta().known_replicas) {
    if (known.name != core_.how.name &&
        std::ranges::find(others, known.name, &self_description::name) == others.end()) {
      silent.push_back(fmt::format("'{}'", known.name));
    }
  }
  if (!silent.empty()) {
    core_.tell(
        event_kind::startup_unanswered, core_.how.name,
        fmt::format("these replicas are known but do not answer, so that it is not known whether one of them has "
                    "newer data: {}",
                    fmt::join(silent, ", ")));
  }

  const self_description self = core_.describe_self();
  const start_verdict verdict = judge_start(self, core_.durable.meta().last_role, others, core_.how.force);
  if (verdict.refused) {
    refuse(*verdict.refused);
    return;
  }
  if (verdict.overridden) {
    core_.tell(event_kind::start_forced, core_.how.name,
               fmt::format("--force overrides what speaks against this start: {}", *verdict.overridden));
  }
  if (core_.how.read_only && verdict.kind != start_kind::fresh) {
    // Whose database it is does not change by looking at it: the next start without the option begins the term.
    core_.doing = phase::beginning;
    now_ = step::done;
    return;
  }
  if (verdict.kind == start_kind::fresh) {
    after_.history = {};
    after_.history.database = uuid::random(core_.random);
  }
  if (verdict.new_term_number) {
    const term begun{.number = *verdict.new_term_number, .id = uuid::random(core_.random)};
    after_.history.terms.begin(begun, next(after_.history.last));
    const char* why = verdict.kind == start_kind::fresh       ? "a new database begins"
                      : verdict.kind == start_kind::promotion ? "a slave's database has started as master"
                                                              : "the start was forced";
    told_when_durable_ = fmt::format("term {} begins after change {}: {}", begun, after_.history.last, why);
  }
  after_.last_role = role::master;
  core_.doing = phase::beginning;
  now_ = after_ == core_.durable.meta() ? step::done : step::ready_to_persist;
}

void starter::begin_steps() {
  if (now_ == step::ready_to_persist && core_.stepping == step_owner::none) {
    now_ = step::persisting;
    core_.begin_step(step_owner::starter, core_.durable.begin_meta(after_));
  }
}

void starter::handle_committed(const result<void>& outcome) {
  if (!outcome && core_.how.role == role::slave && outcome.error().code != errc::io_error) {
    // It can serve what it has; before it follows anyone its role is stored with the master's term (follower).
    core_.tell(event_kind::storage_refused, core_.how.name,
               fmt::format("the start as a slave cannot be stored, and goes on: {}", outcome.error().message));
    now_ = step::done;
    return;
  }
  if (!outcome) {
    refuse(fmt::format("the start cannot be stored: {}", outcome.error().message));
    return;
  }
  now_ = step::done;
  if (!told_when_durable_.empty()) {
    core_.tell(event_kind::term_begun, core_.how.name, told_when_durable_);
  }
}

void starter::refuse(const std::string& sentence) {
  now_ = step::refused;
  core_.doing = phase::start_refused;
  core_.trouble = sentence;
  core_.tell(event_kind::start_refused, core_.how.name, sentence);
}

}  // namespace muster::replication
