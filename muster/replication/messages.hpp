#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "muster/base/bytes.hpp"
#include "muster/base/strong.hpp"
#include "muster/base/uuid.hpp"
#include "muster/replication/position.hpp"
#include "muster/replication/shared_bytes.hpp"
#include "muster/replication/store.hpp"

/// What replicas say to each other. Messages are datagrams to the core: they may be lost, doubled and overtaken.
/// Bytes and versions: message_codec.hpp; cutting into frames for a transport: framing.hpp.
namespace muster::replication {

/// A way to another replica process, as the driver numbers them: one connection, or one simulated link. Never used
/// again for another process.
using peer_id = strong<struct peer_id_tag, std::uint64_t>;
/// One slave's stay with a master, or one copy being made; random, never used again.
using session_id = strong<struct session_id_tag, std::uint64_t>;

enum class role : std::uint8_t { master, slave };

/// What a replica is doing. The comment says which role knows the phase.
enum class phase : std::uint8_t {
  asking,         ///< master: asks the replicas it knows whether it may serve
  copying,        ///< either, with initdb_from_replica: copies a replica's database before anything else
  beginning,      ///< either: persists its role, and as a master its database id and term
  serving,        ///< master: takes changes
  stepped_down,   ///< master: met another master; reads only until an operator decides
  searching,      ///< slave: looks for the master of the highest term
  opening,        ///< slave: asked a master for a session
  catching_up,    ///< slave: receives what it missed, as changes or as a snapshot
  active,         ///< slave: holds all that the master has answered for
  refused,        ///< slave: refused (by the master or by itself); says why and tries again now and then
  start_refused,  ///< either: must not go on; the process ends with the sentence of the event
  failed,         ///< either: the storage failed; the process ends
};

[[nodiscard]] std::string_view to_string(role value) noexcept;
[[nodiscard]] std::string_view to_string(phase value) noexcept;

/// The versions of the session messages that a replica can speak, both ends included.
struct version_range {
  std::uint8_t min{1};
  std::uint8_t max{1};

  friend bool operator==(const version_range&, const version_range&) = default;
};

/// The highest version in both; nothing when there is none.
[[nodiscard]] std::optional<std::uint8_t> common_version(version_range left, version_range right) noexcept;

/// A replica as others need to know it. `endpoints` is the registry's own encoding, opaque here.
struct replica_info {
  std::string name;
  bytes endpoints;

  friend bool operator==(const replica_info&, const replica_info&) = default;
};

/// The replicas that serve now: the master first, if there is one, then slaves by name. On a master the slaves are the
/// active ones; on a slave the list is its master's, and without a master those that answer, itself included. The
/// version rises with each change within one process.
struct roster {
  std::uint64_t version{0};
  bool master_first{false};  ///< the first one is the master
  std::vector<replica_info> replicas;

  friend bool operator==(const roster&, const roster&) = default;
};

/// Who a replica is and what it holds.
struct self_description {
  version_range versions;
  std::string name;
  uuid incarnation;  ///< random at each start of a process: tells a restarted replica from a second one of its name
  replication::role role{role::slave};
  replication::phase phase{phase::searching};
  replication::history history;
  bytes endpoints;

  friend bool operator==(const self_description&, const self_description&) = default;
};

// --- Handshake: its layout is the same in all versions, so that any two replicas can at least refuse each other. ---

/// Asks a replica who it is, and says who asks.
struct describe {
  std::uint64_t round{0};
  self_description from;
  friend bool operator==(const describe&, const describe&) = default;
};

/// The answer to `describe`.
struct description {
  std::uint64_t round{0};
  self_description from;
  friend bool operator==(const description&, const description&) = default;
};

enum class open_purpose : std::uint8_t {
  follow,  ///< be a slave of this master
  copy,    ///< take one snapshot (--initdb-from-replica); any replica that has a copy gives it
};

/// Asks for a session.
struct open {
  std::uint64_t attempt{0};  ///< the asker's number for this attempt; the answer repeats it
  open_purpose purpose{open_purpose::follow};
  bool wants_snapshot{false};  ///< could not apply a change of the log
  self_description from;
  friend bool operator==(const open&, const open&) = default;
};

enum class refusal : std::uint8_t {
  not_master,         ///< ask another one; no fault of the asker
  not_ready,          ///< no copy yet, or too many sessions: try again
  no_common_version,  ///< one of the two must be upgraded
  other_database,
  lost_acknowledged,  ///< histories part before what one of the two knows to be acknowledged
  lower_term,         ///< the asked one's term is lower than the asker's
  split_brain,        ///< equal term numbers, other ids
  duplicate_name,     ///< a replica of this name is alive
  missed_bound,       ///< did not acknowledge within its bound; open again
  log_overrun,        ///< catching up took longer than the log is kept; open again
  stepped_down,
  asked_to_leave,  ///< the other side ended the session in good order
  storage,         ///< the sender's storage refused; the sentence says what
  cannot_apply,    ///< a change or snapshot does not apply at the sender
};

[[nodiscard]] std::string_view to_string(refusal value) noexcept;

/// The negative answer to `open`.
struct refused {
  std::uint64_t attempt{0};
  refusal reason{};
  std::string sentence;  ///< for people: what, and what to do
  self_description from;
  friend bool operator==(const refused&, const refused&) = default;
};

// --- Session messages: version negotiated. From the one who opened: appended, snapshot_received, closed. ---

enum class catch_up_plan : std::uint8_t { log, snapshot };

/// The positive answer to `open`. The opener checks it, persists what it must, and then sends the first
/// acknowledgement; nothing else flows before.
struct opened {
  std::uint64_t attempt{0};
  session_id session;
  std::uint8_t version{1};
  catch_up_plan plan{catch_up_plan::log};
  self_description from;
  roster replicas;
  friend bool operator==(const opened&, const opened&) = default;
};

/// Changes in order, or none (a heartbeat). `appended` answers it.
struct append {
  session_id session;
  term current;                    ///< the master's term
  serial previous;                 ///< the serial before the first entry
  std::vector<log_entry> entries;  ///< numbered from next(previous) on without a gap
  serial acknowledged;             ///< the master's; may lie beyond what this slave has
  bool active{false};              ///< the master counts this slave as active
  std::optional<roster> replicas;  ///< when the slave may not have this version yet
  std::uint64_t roster_version{0};
  friend bool operator==(const append&, const append&) = default;
};

/// All up to `last` is durable and published here.
struct appended {
  session_id session;
  serial last;
  std::uint64_t roster_version{0};
  /// When they are not those of `open` and the roster does not show the new ones yet.
  std::optional<bytes> endpoints{};
  friend bool operator==(const appended&, const appended&) = default;
};

/// A piece of one snapshot. The last one has no content, and completes the whole.
struct snapshot_chunk {
  session_id session;
  std::uint64_t index{0};  ///< from 0 on
  bool is_last{false};
  shared_bytes content;
  /// Of the snapshot: its database, terms, serial and what was acknowledged then; the same in all chunks.
  replication::history history;
  /// In the last chunk: the changes after `history.acknowledged`, which are in the snapshot but not yet certain to
  /// stay. They begin the log of the copy, so that it can save them as a tail if they must go.
  std::vector<log_entry> recent;
  friend bool operator==(const snapshot_chunk&, const snapshot_chunk&) = default;
};

/// All chunks below `next_index` are stored; after the last chunk: the snapshot is durable and published.
struct snapshot_received {
  session_id session;
  std::uint64_t next_index{0};
  friend bool operator==(const snapshot_received&, const snapshot_received&) = default;
};

/// Either side ends the session.
struct closed {
  session_id session;
  refusal reason{};
  std::string sentence;
  friend bool operator==(const closed&, const closed&) = default;
};

using message = std::variant<describe, description, open, refused, opened, append, appended, snapshot_chunk,
                             snapshot_received, closed>;

}  // namespace muster::replication
