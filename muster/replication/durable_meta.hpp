#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "muster/base/bytes.hpp"
#include "muster/base/result.hpp"
#include "muster/replication/messages.hpp"
#include "muster/replication/position.hpp"

namespace muster::replication {

/// What is persisted with every commit beside rows and log: `commit::meta` decoded.
struct durable_meta {
  replication::history history;
  /// The role under which this database was last written; nothing before the first start. A master that finds
  /// anything but `master` here begins a new term.
  std::optional<role> last_role;
  /// Replicas of this database that were met, the latest met last; a starting master asks them.
  std::vector<replica_info> known_replicas;

  friend bool operator==(const durable_meta&, const durable_meta&) = default;
};

[[nodiscard]] bytes encode(const durable_meta& what);
/// `corrupt`, or `incompatible` when a later version of the program wrote it.
[[nodiscard]] result<durable_meta> decode_meta(byte_view input);

/// The meta for a database that was restored from a backup: changes after the backup may exist elsewhere under the
/// same serials, so its next master must begin a new term. For `muster db restore`.
[[nodiscard]] result<bytes> mark_restored(byte_view meta);

}  // namespace muster::replication
