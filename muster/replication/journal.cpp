#include "muster/replication/journal.hpp"

#include <algorithm>
#include <utility>

#include "muster/base/invariant.hpp"

namespace muster::replication {

journal::journal(durable_meta meta, change_log log, const options& how)
    : how_{how}, meta_{std::move(meta)}, log_{std::move(log)} {}

void journal::mark_dirty(instant flush_at) { flush_at_ = flush_at_ ? std::min(*flush_at_, flush_at) : flush_at; }

void journal::note_acknowledged(serial upto, instant now) {
  MUSTER_INVARIANT(upto <= meta_.history.last, "nobody is told of a change before it is durable");
  if (upto > meta_.history.acknowledged) {
    meta_.history.acknowledged = upto;
    mark_dirty(now + how_.idle_flush_delay);
  }
}

void journal::note_replicated(serial upto, instant now) {
  MUSTER_INVARIANT(upto <= meta_.history.last, "nobody else holds a change before it is durable here");
  if (upto > meta_.history.replicated) {
    meta_.history.replicated = upto;
    mark_dirty(now + how_.idle_flush_delay);
  }
}

void journal::note_replica(const replica_info& who, instant now) {
  auto& known = meta_.known_replicas;
  if (std::ranges::find(known, who) != known.end()) {
    return;
  }
  std::erase_if(known, [&](const replica_info& one) { return one.name == who.name; });
  known.push_back(who);
  if (known.size() > how_.known_replicas_max) {
    known.erase(known.begin());
  }
  mark_dirty(now);
}

instant journal::flush_due() const noexcept {
  if (!flush_at_ || busy() || !meta_.history.has_copy()) {
    return instant_never;
  }
  return *flush_at_;
}

commit journal::begin(commit out, durable_meta after, std::vector<log_entry> entries) {
  MUSTER_INVARIANT(!busy(), "one step at a time goes to the store");
  MUSTER_INVARIANT(after.history.acknowledged <= after.history.last, "only what is durable can be acknowledged");
  step begun;
  begun.what = out.what;
  if (out.what != commit::kind::replacement_rows) {
    out.meta = encode(after);
    out.log_append = entries;
    begun.was_dirty = flush_at_.has_value();
    flush_at_.reset();
  }
  begun.trim_below = out.log_trim_below;
  begun.after = std::move(after);
  begun.entries = std::move(entries);
  pending_ = std::move(begun);
  return out;
}

commit journal::begin_changes(std::vector<log_entry> entries, std::vector<row_write> rows, durable_meta after,
                              serial log_kept_after) {
  commit out;
  out.what = commit::kind::changes;
  out.rows = std::move(rows);
  out.log_trim_below = log_.trim_point({.entries_max = how_.log_entries_max,
                                        .bytes_max = how_.log_bytes_max,
                                        .bytes_hard_max = how_.log_bytes_hard_max,
                                        .keep_after = log_kept_after,
                                        .never_beyond = after.history.acknowledged},
                                       entries);
  return begin(std::move(out), std::move(after), std::move(entries));
}

commit journal::begin_meta(durable_meta after) {
  commit out;
  out.what = commit::kind::changes;
  out.log_trim_below = log_.first();
  return begin(std::move(out), std::move(after), {});
}

commit journal::begin_replacement_rows(bool first, std::vector<row_write> rows) {
  commit out;
  out.what = commit::kind::replacement_rows;
  out.replacement_begins = first;
  out.rows = std::move(rows);
  return begin(std::move(out), meta_, {});
}

commit journal::begin_replacement_swap(bool first, durable_meta after, std::vector<log_entry> recent) {
  commit out;
  out.what = commit::kind::replacement_swap;
  out.replacement_begins = first;
  return begin(std::move(out), std::move(after), std::move(recent));
}

void journal::succeed() {
  MUSTER_INVARIANT(busy(), "an outcome belongs to a step");
  step done = *std::exchange(pending_, std::nullopt);
  switch (done.what) {
    case commit::kind::changes: {
      // What was noted while the step was under way is newer than what the step carried.
      const serial acknowledged = std::max(meta_.history.acknowledged, done.after.history.acknowledged);
      const serial replicated = std::max(meta_.history.replicated, done.after.history.replicated);
      meta_.history = std::move(done.after.history);
      meta_.history.acknowledged = acknowledged;
      meta_.history.replicated = replicated;
      meta_.last_role = done.after.last_role;
      for (auto& entry : done.entries) {
        log_.append(std::move(entry));
      }
      log_.trim_below(done.trim_below);
      break;
    }
    case commit::kind::replacement_rows: break;
    case commit::kind::replacement_swap: {
      meta_.history = std::move(done.after.history);
      meta_.last_role = done.after.last_role;
      log_ = change_log{serial{meta_.history.last.value() - done.entries.size()}};
      for (auto& entry : done.entries) {
        log_.append(std::move(entry));
      }
      break;
    }
  }
}

void journal::fail(instant now) {
  MUSTER_INVARIANT(busy(), "an outcome belongs to a step");
  const step failed = *std::exchange(pending_, std::nullopt);
  if (failed.was_dirty) {
    flush_at_ = now + how_.idle_flush_delay;  // not at once again: the store has just refused
  }
}

}  // namespace muster::replication
