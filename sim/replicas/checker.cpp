#include "sim/replicas/checker.hpp"

#include <algorithm>
#include <optional>

#include "muster/catalog/change.hpp"
#include "muster/catalog/row_cursor.hpp"
#include "muster/replication/diverged_tail.hpp"
#include "sim/digest.hpp"
#include "sim/replicas/model.hpp"

namespace muster::sim::replicas {

using replication::history;
using replication::phase;
using replication::serial;

void checker::on_violation(std::string what) {
  if (violation_.empty()) violation_ = std::move(what);
}

void checker::on_proposal(node_index at, ticket of, const wanted_change& change) {
  waiting_[of] = {.at = at, .change = change.encoded, .unique = change.unique, .since = clock_.now()};
}

void checker::on_barrier(node_index at, ticket of) {
  waiting_[of] = {.at = at,
                  .change = {},
                  .is_barrier = true,
                  .last_then = nodes_[at]->core()->history().last.value(),
                  .since = clock_.now()};
}

void checker::on_overwritten(node_index at) {
  const disk_image& image = nodes_[at]->storage().durable();
  const auto meta = replication::decode_meta(image.meta);
  require(meta.has_value(), at, "got meta that cannot be read");
  if (!meta) return;
  views_[at].history = meta->history;
  views_[at].rows_digest = image.rows_digest;
  views_[at].overwritten = true;
}

void checker::on_started(node_index at) {
  views_[at].copy_ordered = nodes_[at]->order().copy_from.has_value();
  views_[at].last_success = 0;
  views_[at].held_up_until = clock_.now();
  views_[at].replicas = {};
  require(nodes_[at]->core()->history() == views_[at].history, at, "starts with another history than its disk's");
  check_deeply(at);
}

void checker::on_ended(node_index at) {
  std::erase_if(waiting_, [at](const auto& one) { return one.second.at == at; });
}

// --- What lies on the disks ---

void checker::on_durable(node_index at, const durable_step& step) {
  if (step.what == replication::commit::kind::replacement_rows) return;
  const disk_image& image = nodes_[at]->storage().durable();
  auto meta = replication::decode_meta(image.meta);
  if (!meta) {
    require(false, at, "has written meta that cannot be read: {}", meta.error().message);
    return;
  }
  view& seen = views_[at];
  const history before = std::exchange(seen.history, meta->history);
  const std::uint64_t rows_before = std::exchange(seen.rows_digest, image.rows_digest);
  const history& now = seen.history;
  require(now.acknowledged <= now.last, at, "takes {} for acknowledged and holds only {}", now.acknowledged, now.last);
  if (step.what == replication::commit::kind::changes) {
    check_extension(at, before, now, step);
  } else {
    check_replacement(at, before, now, step);
  }
  if (!violation_.empty()) return;
  check_position(at);
  if (++seen.steps % 8 == 0 && !step.appended.empty()) check_log_bound(at, step);
  const phase doing = step.begun_in;
  if (doing == phase::refused || doing == phase::start_refused || doing == phase::stepped_down) {
    require(before.last == now.last && rows_before == seen.rows_digest, at, "changes its copy while it is {}",
            to_string(doing));
  }
}

void checker::check_extension(node_index at, const history& before, const history& now, const durable_step& step) {
  if (before.has_copy()) {
    require(before.database == now.database, at, "takes another database id without a replacement");
    require(fork_point(before, now) == before.last, at, "rewrites its history from {} on without a replacement",
            next(fork_point(before, now)));
    require(before.replicated <= now.replicated, at, "forgets that changes up to {} are acknowledged",
            before.replicated);
  }
  std::uint64_t expected = before.last.value();
  for (const auto& entry : step.appended) {
    require(entry.number.value() == ++expected, at, "appends change {} where {} is due", entry.number, expected);
    if (!violation_.empty()) return;
    const auto* known = ledger_.find(ledger::at(now, expected));
    if (known != nullptr) {
      require(known->change == entry.change, at, "holds another change {} of term {} than was first written", expected,
              now.terms.term_of(entry.number));
      continue;
    }
    require(nodes_[at]->order().role == replication::role::master, at, "is a slave and writes a change {} of its own",
            expected);
    const std::string wrong = ledger_.enter(at, now, expected, entry.change, clock_.now());
    require(wrong.empty(), at, "{}", wrong);
    require(!refused_changes_.contains(digest_of(entry.change.view())), at,
            "writes change {}, of which the caller was told that nothing changed", expected);
  }
  require(now.last.value() == expected, at, "says that its last change is {} after writing up to {}", now.last,
          expected);
}

void checker::check_replacement(node_index at, const history& before, const history& now, const durable_step& step) {
  require(now.has_copy(), at, "replaces its copy by none");
  std::uint64_t number = now.last.value() - step.appended.size();
  for (const auto& entry : step.appended) {
    const auto* known = ledger_.find(ledger::at(now, ++number));
    require(entry.number.value() == number && known != nullptr && known->change == entry.change, at,
            "begins the log of its copy with a change {} that is not the one of its history", number);
  }
  if (!before.has_copy() || views_[at].copy_ordered) {
    views_[at].copy_ordered = false;
    views_[at].overwritten = true;
    return;
  }
  require(before.database == now.database, at, "overwrites its database by another one's copy");
  if (!violation_.empty()) return;
  const std::uint64_t fork = fork_point(before, now).value();
  if (fork == before.last.value()) return;
  require(before.replicated.value() <= fork, at,
          "drops changes from {} on, and knows that up to {} they are acknowledged", fork + 1, before.replicated);
  check_saved_tail(at, before, fork);
}

void checker::check_saved_tail(node_index at, const history& before, std::uint64_t fork) {
  for (const auto& [name, content] : nodes_[at]->files()) {
    const auto tail = replication::decode_tail(content);
    if (!tail) {
      require(false, at, "saved a tail that cannot be read: {}", tail.error().message);
      return;
    }
    if (tail->dropped.last != before.last || tail->dropped.terms != before.terms || tail->entries.empty() ||
        tail->entries.front().number.value() != fork + 1) {
      continue;
    }
    std::uint64_t number = fork;
    for (const auto& entry : tail->entries) {
      const auto* known = ledger_.find(ledger::at(before, ++number));
      require(entry.number.value() == number && known != nullptr && known->change == entry.change, at,
              "saved another change {} in the tail {} than it held", number, name);
    }
    require(number == before.last.value(), at, "saved the tail only up to {} and drops up to {}", number, before.last);
    return;
  }
  require(false, at, "drops the changes {} to {} and no saved tail holds them", fork + 1, before.last);
}

void checker::check_position(node_index at) {
  const view& seen = views_[at];
  const std::uint64_t last = seen.history.last.value();
  if (last == 0) {
    require(seen.rows_digest == 0, at, "holds rows before the first change");
    return;
  }
  auto* known = ledger_.find(ledger::at(seen.history, last));
  if (known == nullptr) {
    require(false, at, "holds change {} of a history that nobody wrote", last);
    return;
  }
  if (!known->rows_known) {
    known->rows_known = true;
    known->rows_digest = seen.rows_digest;
  }
  require(known->rows_digest == seen.rows_digest, at, "has other rows at change {} of term {} than others had there",
          last, seen.history.terms.term_of(seen.history.last));
}

void checker::check_deeply(node_index at) {
  if (!violation_.empty() || nodes_[at]->core() == nullptr) return;
  const catalog::state& published = nodes_[at]->published();
  const view& seen = views_[at];
  std::uint64_t sum = 0;
  catalog::row_cursor rows{published};
  for (auto row = rows.next(); row; row = rows.next()) sum += digest_of_row(row->table, row->key, *row->value);
  require(sum == nodes_[at]->storage().durable().rows_digest, at, "publishes a state that is not the one on its disk");
  const std::uint64_t last = seen.history.last.value();
  if (last == 0) return;
  const auto* known = ledger_.find(ledger::at(seen.history, last));
  require(known != nullptr && known->state == published, at,
          "publishes a state at change {} that its history does not lead to", last);
}

// --- What callers are told ---

bool checker::covers(const history& holder, const history& held, std::uint64_t number) {
  return number == 0 || (holder.database == held.database && holder.last.value() >= number &&
                         holder.terms.term_of(serial{number}) == held.terms.term_of(serial{number}));
}

void checker::on_effects(node_index at, const replication::ready& what) {
  if (what.replicas) views_[at].replicas = *what.replicas;
  // An answer may have been right when it was given, and a slave have been let go later in the same turn.
  views_[at].slaves_just_left =
      std::ranges::any_of(what.events,
                          [](const auto& one) { return one.kind == replication::event_kind::slave_dropped; }) ||
      std::ranges::any_of(what.messages,
                          [](const auto& one) { return std::holds_alternative<replication::closed>(one.what); });
}

void checker::on_completion(node_index at, ticket of, const result<serial>& outcome) {
  const auto found = waiting_.find(of);
  require(found != waiting_.end(), at, "answers call {} twice, or one that nobody made", of);
  if (!violation_.empty()) return;
  const call asked = std::move(found->second);
  waiting_.erase(found);
  require(asked.at == at, at, "answers a call that was made elsewhere");
  if (!outcome) {
    const errc code = outcome.error().code;
    const bool may_have_happened = code == errc::outcome_unknown || code == errc::io_error;
    if (asked.unique && !may_have_happened) {
      require(!ledger_.holds_change(asked.change), at, "says that nothing changed ({}), and the change was written",
              outcome.error().message);
      refused_changes_.insert(digest_of(asked.change));
    }
    return;
  }
  if (asked.is_barrier) {
    require(outcome->value() >= asked.last_then, at, "passes a barrier at {} that had to wait for {}", *outcome,
            asked.last_then);
    static_cast<void>(check_active_slaves_hold(at, nodes_[at]->core()->history(), outcome->value()));
  } else {
    check_success(at, asked, *outcome);
  }
}

void checker::check_success(node_index at, const call& asked, serial number) {
  const history& held = nodes_[at]->core()->history();
  require(nodes_[at]->order().role == replication::role::master, at, "is a slave and takes a change");
  require(covers(views_[at].history, held, number.value()), at, "says that change {} is done before its disk holds it",
          number);
  auto* known = ledger_.find(ledger::at(held, number.value()));
  require(known != nullptr && std::ranges::equal(known->change.view(), asked.change), at,
          "says that a change became {}, and that is another one", number);
  if (!violation_.empty()) return;
  require(!known->answered, at, "gives the serial {} to two calls", number);
  known->answered = true;
  require(number.value() > views_[at].last_success, at, "answers change {} after change {}", number,
          views_[at].last_success);
  views_[at].last_success = number.value();
  // A slave holds a change up for its bound at most; while that runs, another one may become active and begin its own.
  const duration bound = 2 * how_.core.acknowledge_timeout + how_.core.join_timeout + std::chrono::milliseconds{500} +
                         3 * nodes_[at]->commit_time_max();
  const instant since = std::max(known->since, views_[at].held_up_until);
  require(clock_.now() - since <= bound, at, "answers change {} only {} ms after it was durable", number,
          std::chrono::duration_cast<std::chrono::milliseconds>(clock_.now() - since).count());
  require(held.acknowledged >= number, at, "answers change {} and takes only {} for acknowledged", number,
          held.acknowledged);
  const std::size_t holders = check_active_slaves_hold(at, held, number.value());
  require(holders >= how_.core.active_slaves_min || views_[at].slaves_just_left, at,
          "says that change {} is done with {} active slaves, where {} are the least", number, holders,
          how_.core.active_slaves_min);
  answered_.push_back(ledger::at(held, number.value()));
}

std::size_t checker::check_active_slaves_hold(node_index at, const history& held, std::uint64_t number) {
  std::size_t holders = 0;
  for (const auto& slave : nodes_[at]->core()->status().slaves) {
    if (!slave.active) continue;
    ++holders;
    const auto who = std::ranges::find_if(nodes_, [&](const auto& one) { return one->name() == slave.name; });
    const node_index index = (*who)->index();
    if (views_[index].overwritten) continue;  // The master has yet to notice that it is gone.
    require(covers(views_[index].history, held, number), at,
            "says that change {} is done, and the disk of the active slave {} does not hold it", number, slave.name);
    // A slave that has just died or restarted, unnoticed so far, publishes nothing or has yet to come to its phase.
    if (const auto* core = (*who)->core(); core != nullptr && core->current_phase() == phase::active) {
      require(covers(core->history(), held, number), at,
              "says that change {} is done, and the active slave {} does not show it", number, slave.name);
    }
  }
  return holders;
}

void checker::on_turn(node_index at) {
  view& seen = views_[at];
  const auto* core = nodes_[at]->core();
  if (core == nullptr || !violation_.empty()) return;
  if (core->takes_changes()) {
    const auto term = core->history().terms.current();
    require(ledger_.claim_term(term.id, at), at, "serves term {}, which another machine serves or served", term);
  }
  if (core->current_phase() == phase::active) seen.overwritten = false;
  ++seen.turns;
  if (seen.turns % 16 == 0) {
    const std::size_t waiting = core->status().waiting_proposals;
    require(waiting <= how_.core.proposals_max, at, "lets {} proposals wait", waiting);
  }
  if (seen.turns % 64 == 0 && !nodes_[at]->storage().unsettled()) check_deeply(at);
}

void checker::check_log_bound(node_index at, const durable_step& step) {
  // What is not known to be acknowledged is kept whatever its size, for it may have to be saved as a tail; the queue of
  // proposals bounds it. What has just come, one message at most, is trimmed by the next step.
  const std::uint64_t end = std::min(views_[at].history.acknowledged.value() + 1, step.appended.front().number.value());
  std::size_t kept_bytes = 0;
  for (const auto& [number, change] : nodes_[at]->storage().durable().log) {
    if (number >= end) break;
    kept_bytes += change.size_bytes();
  }
  // One change may be bigger than all bounds together.
  constexpr std::size_t one_change_bytes = 4096;
  require(kept_bytes <= std::max(how_.core.log_bytes_hard_max, how_.core.log_bytes_max) + one_change_bytes, at,
          "keeps {} bytes of acknowledged changes in its log", kept_bytes);
}

// --- The end ---

bool checker::holds_all_answered(node_index at) const {
  const history& held = views_[at].history;
  return std::ranges::all_of(answered_, [&](const ledger::position& one) {
    return held.last.value() >= one.number && held.terms.term_of(serial{one.number}).id == one.term;
  });
}

bool checker::may_be_refused(node_index slave, node_index master) const {
  const history& mine = views_[slave].history;
  const history& its = views_[master].history;
  if (!mine.has_copy() || !its.has_copy()) return false;
  if (mine.database != its.database) return true;
  const serial fork = fork_point(mine, its);
  if (mine.replicated > fork) return true;
  // What it has committed alone, and its log no longer holds all of, cannot be saved as a tail: an operator has to
  // decide.
  const auto* core = nodes_[slave]->core();
  if (mine.last > fork && core != nullptr && core->status().log_first > next(fork)) return true;
  const auto my_term = mine.terms.current();
  const auto its_term = its.terms.current();
  return my_term.number >= its_term.number && my_term.id != its_term.id;
}

void checker::check_finally(node_index at, bool nothing_answered_may_be_lost) {
  const history& held = views_[at].history;
  if (nothing_answered_may_be_lost) {
    for (const auto& one : answered_) {
      require(held.last.value() >= one.number && held.terms.term_of(serial{one.number}).id == one.term, at,
              "has lost change {}, which a caller was told is done", one.number);
    }
  }
  model replayed;
  for (std::uint64_t number = 1; number <= held.last.value() && violation_.empty(); ++number) {
    const auto* known = ledger_.find(ledger::at(held, number));
    require(known != nullptr, at, "holds change {} that nobody wrote", number);
    if (known == nullptr) return;
    if (const auto change = catalog::decode(known->change.view()); change) replayed.apply(*change);
  }
  const std::string differs = replayed.compare(nodes_[at]->published());
  require(differs.empty(), at, "at the end: {}", differs);
  for (const auto& [of, asked] : waiting_) {
    require(clock_.now() - asked.since < std::chrono::seconds{20}, asked.at, "has not answered call {} for {} s", of,
            std::chrono::duration_cast<std::chrono::seconds>(clock_.now() - asked.since).count());
  }
}

}  // namespace muster::sim::replicas
