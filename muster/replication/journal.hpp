#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "muster/base/instant.hpp"
#include "muster/base/result.hpp"
#include "muster/replication/change_log.hpp"
#include "muster/replication/durable_meta.hpp"
#include "muster/replication/options.hpp"
#include "muster/replication/position.hpp"
#include "muster/replication/store.hpp"

namespace muster::replication {

/// What is durable here, and the one step towards the store that may be under way.
///
/// Position and log are what the store holds. What is only piggy-backed (the acknowledged serial, the replicas met)
/// may be newer here than in the store: it goes with the next step, or by a step of its own when `flush_due` comes.
class journal {
 public:
  journal(durable_meta meta, change_log log, const options& how);

  [[nodiscard]] const durable_meta& meta() const noexcept { return meta_; }
  [[nodiscard]] const history& position() const noexcept { return meta_.history; }
  [[nodiscard]] const change_log& log() const noexcept { return log_; }
  /// Callers have been told of changes up to here, or will be the moment the step under way is durable.
  [[nodiscard]] serial acknowledged_soon() const noexcept {
    const serial now = meta_.history.acknowledged;
    return pending_ ? std::max(now, pending_->after.history.acknowledged) : now;
  }
  /// A step is under way; another one may not begin.
  [[nodiscard]] bool busy() const noexcept { return pending_.has_value(); }

  /// Callers may have been told of changes up to here. Never lowers what was noted before.
  void note_acknowledged(serial upto, instant now);
  /// Another replica holds everything up to here, too.
  void note_replicated(serial upto, instant now);
  /// A replica was met, or met at other endpoints: it becomes the latest of those known. This is rare, and what the
  /// next start asks for, so a step is due at once.
  void note_replica(const replica_info& who, instant now);
  /// When a step is to be made for what was only noted; `instant_never` if nothing was.
  [[nodiscard]] instant flush_due() const noexcept;

  /// The steps. `after` is the meta once the step is durable: take `meta()` and change it.
  /// `log_kept_after`: somebody still reads the log from there on.
  [[nodiscard]] commit begin_changes(std::vector<log_entry> entries, std::vector<row_write> rows, durable_meta after,
                                     serial log_kept_after);
  [[nodiscard]] commit begin_meta(durable_meta after);
  [[nodiscard]] commit begin_replacement_rows(bool first, std::vector<row_write> rows);
  [[nodiscard]] commit begin_replacement_swap(bool first, durable_meta after, std::vector<log_entry> recent);

  /// The outcome of the step that was begun last.
  void succeed();
  void fail(instant now);

 private:
  struct step {
    commit::kind what{commit::kind::changes};
    durable_meta after;
    std::vector<log_entry> entries;
    serial trim_below;
    bool was_dirty{false};
  };

  /// A step is due at this instant, or earlier if one was due then.
  void mark_dirty(instant flush_at);
  commit begin(commit out, durable_meta after, std::vector<log_entry> entries);

  const options& how_;
  durable_meta meta_;
  change_log log_;
  std::optional<step> pending_;
  std::optional<instant> flush_at_;  ///< something is newer here than in the store
};

}  // namespace muster::replication
