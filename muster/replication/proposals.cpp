#include "muster/replication/proposals.hpp"

#include <utility>

#include "muster/base/invariant.hpp"

namespace muster::replication {

void proposals::add(ticket of, bytes change) {
  if (size() >= core_.how.proposals_max) {
    core_.complete(of, fail(errc::limit_exceeded, "{} changes are waiting already, which is the bound: try again later",
                            core_.how.proposals_max));
    return;
  }
  if (held_bytes_ + change.size() > core_.how.proposal_bytes_max) {
    core_.complete(of,
                   fail(errc::limit_exceeded,
                        "{} bytes of changes are waiting already and {} more exceed the bound of {}: try again later",
                        held_bytes_, change.size(), core_.how.proposal_bytes_max));
    return;
  }
  held_bytes_ += change.size();
  proposed_.push_back({of, std::move(change)});
}

void proposals::answer_after(ticket of, serial after, result<serial> outcome) {
  waiting_.push_back({.of = of, .after = after, .outcome = std::move(outcome)});
}

proposals::batch proposals::stage_batch(std::size_t changes_max, std::size_t bytes_max) {
  MUSTER_INVARIANT(staged_.empty(), "one batch is committed at a time");
  batch out;
  serial last = core_.position().last;
  std::size_t batch_bytes = 0;
  while (!proposed_.empty() && out.entries.size() < changes_max &&
         (out.entries.empty() || batch_bytes + proposed_.front().change.size() <= bytes_max)) {
    proposal one = std::move(proposed_.front());
    proposed_.pop_front();
    const std::size_t change_bytes = one.change.size();
    if (auto staged = core_.machine.stage(next(last), one.change, out.rows); !staged) {
      staged_.push_back({one.of, last, fail(std::move(staged).error()), change_bytes});
      continue;
    }
    last = next(last);
    batch_bytes += change_bytes;
    staged_.push_back({one.of, last, last, change_bytes});
    out.entries.push_back({last, shared_bytes{std::move(one.change)}});
  }
  if (out.entries.empty()) {
    batch_succeeded();
  }
  return out;
}

void proposals::batch_succeeded() {
  for (auto& one : staged_) {
    waiting_.push_back(std::move(one));
  }
  staged_.clear();
}

void proposals::batch_failed(const error& why) {
  for (auto& one : staged_) {
    // A refusal that rests on nothing of this batch stands as it is.
    if (!one.outcome && one.after == core_.position().last) {
      waiting_.push_back(std::move(one));
    } else {
      finish(one, fail(why));
    }
  }
  staged_.clear();
}

void proposals::finish(answer& done, result<serial> outcome) {
  held_bytes_ -= done.change_bytes;
  core_.complete(done.of, std::move(outcome));
}

std::size_t proposals::release(serial upto) {
  std::size_t answered = 0;
  for (; !waiting_.empty() && waiting_.front().after <= upto; ++answered) {
    finish(waiting_.front(), std::move(waiting_.front().outcome));
    waiting_.pop_front();
  }
  return answered;
}

void proposals::release_failed(serial upto, const error& why) {
  while (!waiting_.empty() && waiting_.front().after <= upto) {
    answer& one = waiting_.front();
    finish(one, one.outcome ? result<serial>{fail(why)} : std::move(one.outcome));
    waiting_.pop_front();
  }
}

void proposals::fail_all(const error& uncommitted, const error& committed) {
  for (auto& one : proposed_) {
    core_.complete(one.of, fail(uncommitted));
  }
  proposed_.clear();
  for (auto& one : staged_) {
    core_.complete(one.of, fail(committed));
  }
  staged_.clear();
  for (auto& one : waiting_) {
    // What the machine refused changed nothing, whatever becomes of the changes before it.
    core_.complete(one.of, one.outcome ? result<serial>{fail(committed)} : std::move(one.outcome));
  }
  waiting_.clear();
  held_bytes_ = 0;
}

}  // namespace muster::replication
