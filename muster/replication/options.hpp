#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "muster/base/bytes.hpp"
#include "muster/base/instant.hpp"
#include "muster/replication/message_codec.hpp"
#include "muster/replication/messages.hpp"

namespace muster::replication {

/// What the operator says about one replica, and the bounds of the protocol.
struct options {
  std::string name;  ///< unique among the replicas; not empty
  replication::role role{role::master};
  bytes endpoints;  ///< the registry's encoding of how others reach this replica
  /// --force: a master starts although others have a higher term or more history. It begins a term above all that it
  /// has heard of.
  bool force{false};
  /// --initdb-from-replica: replace the database by a copy of this replica's before going on.
  std::optional<std::string> initdb_from_replica;
  /// --readonly: a master that takes no changes and gives slaves no sessions; a copy that somebody asks for is given.
  /// Nothing that changes roles is written: no term begins, and a slave's database stays one.
  bool read_only{false};
  /// Changes are taken only while at least so many slaves are active.
  std::size_t active_slaves_min{0};
  version_range versions{supported_versions};

  // Bounds in time.
  duration startup_check_timeout{std::chrono::seconds{2}};  ///< a starting master waits so long for answers
  duration discovery_timeout{std::chrono::seconds{2}};      ///< a searching slave does
  /// Once a suitable master has answered, others get so long to show a higher term.
  duration discovery_grace{std::chrono::milliseconds{200}};
  duration open_timeout{std::chrono::seconds{2}};         ///< a master's answer to `open`
  duration acknowledge_timeout{std::chrono::seconds{2}};  ///< an active slave's, before it is dropped
  duration join_timeout{
      std::chrono::milliseconds{500}};  ///< a slave about to become active holds answers at most so long
  duration join_retry_delay{std::chrono::seconds{30}};  ///< before one that failed to may hold answers again
  duration catch_up_timeout{std::chrono::seconds{30}};  ///< a slave's acknowledgement of one step of its catch-up
  duration heartbeat_interval{std::chrono::milliseconds{500}};
  duration master_silence_timeout{std::chrono::seconds{3}};  ///< a slave gives a silent master up
  duration resend_interval{std::chrono::milliseconds{500}};  ///< an unanswered message is sent again
  duration retry_delay_min{std::chrono::milliseconds{100}};  ///< between searches; doubles, with jitter, up to
  duration retry_delay_max{std::chrono::seconds{5}};
  duration watch_interval{std::chrono::seconds{10}};  ///< a master looks for other masters so often
  duration idle_flush_delay{
      std::chrono::seconds{1}};  ///< what was piggy-backed is persisted, when no commit took it along

  duration batch_wait_max{
      std::chrono::milliseconds{10}};  ///< a batch waits so long for the former one that is with the slaves
  duration gather_time_max{
      std::chrono::milliseconds{5}};  ///< and then at most so long for the next changes of those just answered

  // Bounds in space.
  std::size_t batch_changes_max{1024};                     ///< changes in one commit
  std::size_t message_bytes_max{std::size_t{256} * 1024};  ///< about: changes in one message, and a snapshot's chunk
  std::size_t snapshot_window_chunks{4};                   ///< chunks on their way to one slave
  std::size_t proposals_max{8192};                         ///< waiting or not yet answered; beyond: limit_exceeded
  std::size_t proposal_bytes_max{std::size_t{32} * 1024 * 1024};
  std::size_t log_entries_max{10'000};  ///< kept for slaves that return
  std::size_t log_bytes_max{std::size_t{4} * 1024 * 1024};
  /// While a slave catches up the log may grow to this; beyond, its catch-up starts again.
  std::size_t log_bytes_hard_max{std::size_t{64} * 1024 * 1024};
  std::size_t sessions_max{64};
  std::size_t known_replicas_max{64};
};

}  // namespace muster::replication
