#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "muster/base/result.hpp"
#include "muster/base/strong.hpp"
#include "muster/replication/messages.hpp"
#include "muster/replication/position.hpp"
#include "muster/replication/store.hpp"

namespace muster::replication {

/// The caller's name for a proposal; the completion repeats it.
using ticket = strong<struct ticket_tag, std::uint64_t>;

/// A message to send. Encode it with `version`.
struct outgoing {
  peer_id to;
  std::uint8_t version{0};
  message what;
};

/// The answer to one proposal or barrier.
struct completion {
  ticket of;
  /// The change's serial (a barrier's: the serial it waited for), or
  /// - what `state_machine::stage` refused with: nothing changed;
  /// - `not_master`, `unavailable` (too few active slaves), `limit_exceeded`, `storage_full`: nothing changed;
  /// - `outcome_unknown`: committed here, but this master stepped down, or too few slaves have it;
  /// - `io_error`: the storage failed, so it may or may not be there; the process ends.
  result<serial> outcome;
};

/// Ask every replica you can reach who it is: those of the default locator, those that discovery finds, and `recorded`.
struct discover {
  describe question;
  std::vector<replica_info> recorded;
};

/// Changes that are about to be dropped from this replica, to be written to a new file beside the database, durably.
struct save_tail {
  std::string suggested_name;  ///< a plain file name, made of letters, digits, '-' and '.'
  bytes content;               ///< diverged_tail.hpp
};

enum class event_kind : std::uint8_t {
  master_serving,      ///< this replica takes changes; serial = last
  term_begun,          ///< a new term, by promotion, by a new database or by --force
  startup_unanswered,  ///< a known replica did not answer the starting master's question
  start_forced,        ///< --force overrode what the sentence says
  start_refused,       ///< the process has to end; the sentence says why and what to do
  stepped_down,        ///< this master takes no more changes
  other_master_seen,   ///< a master of another database, or of another term, answers
  slave_opened,        ///< on the master: a slave has a session; the sentence says how it catches up
  slave_active,
  slave_dropped,    ///< on the master: the session of a slave has ended; `why` is set unless its connection broke
  snapshot_sent,    ///< a slave, or a replica that copies this one, has all of a snapshot; serial = the snapshot's
  slave_refused,    ///< on the master
  no_master,        ///< on a slave: none answers; it serves its own copy, if it has one
  master_found,     ///< on a slave: a session is open
  slave_caught_up,  ///< on a slave: active
  master_lost,
  refused_by_master,   ///< on a slave: it goes on serving what it has
  refused_master,      ///< on a slave: a master of another database, a lower term, a split brain
  snapshot_installed,  ///< on a slave; serial = the snapshot's
  apply_failed,        ///< on a slave: it resynchronises
  tail_saved,          ///< on a slave; the sentence names the file
  tail_not_saved,      ///< on a slave; it keeps its copy and tries again
  storage_refused,     ///< a commit failed and changed nothing
  storage_failed,      ///< the process has to end
};

[[nodiscard]] std::string_view to_string(event_kind value) noexcept;

/// Something that an operator acts on or must be able to reconstruct.
struct event {
  event_kind kind{};
  std::string replica;   ///< the other replica's name, or empty
  serial at;             ///< a position where one is meant, else 0
  std::string sentence;  ///< complete in itself
  std::optional<refusal> why{};
};

/// What the driver has to do, in this order of members; any order is safe, because nothing in one `ready` depends on
/// another member of the same `ready`: what must follow a commit is only handed out after `handle_committed`.
/// Sending before committing lets slaves work on one batch while the master commits the next.
struct ready {
  std::vector<outgoing> messages;
  std::vector<completion> completions;
  std::vector<event> events;
  /// The replicas that serve now, when that changed. Well-known objects are made of it.
  std::shared_ptr<const roster> replicas;
  /// Call `handle_discovery_complete` when all have answered or failed, to spare the wait for the bound.
  std::optional<discover> ask;
  /// Report by `handle_tail_saved`. No other `tail` comes before.
  std::optional<save_tail> tail;
  /// Perform it and report by `handle_committed`. No other `persist` comes before.
  std::optional<commit> persist;

  [[nodiscard]] bool empty() const noexcept {
    return messages.empty() && completions.empty() && events.empty() && !replicas && !ask && !tail && !persist;
  }
};

}  // namespace muster::replication
