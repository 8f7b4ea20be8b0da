#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "muster/base/bytes.hpp"
#include "muster/base/result.hpp"
#include "muster/replication/position.hpp"
#include "muster/replication/store.hpp"

namespace muster::replication {

/// One immutable state, read out in chunks. It shares structure with the live state, so holding it costs little and
/// blocks nothing: no read transaction of the store is open meanwhile.
class snapshot_source {
 public:
  virtual ~snapshot_source() = default;
  /// The next chunk of about `bytes_max` bytes (more only where one record alone is bigger); nothing after the last.
  /// An empty state may give no chunk at all.
  [[nodiscard]] virtual std::optional<bytes> next_chunk(std::size_t bytes_max) = 0;
};

/// A state being built beside the present one from the chunks of a `snapshot_source` of another replica, in order.
class snapshot_sink {
 public:
  virtual ~snapshot_sink() = default;
  /// Takes one chunk and appends the rows that store it to `rows`. An error (`corrupt`) makes the sink useless.
  [[nodiscard]] virtual result<void> add(byte_view chunk, std::vector<row_write>& rows) = 0;
  /// All chunks are there: checks what can only be checked now. `install` follows, unless the commit fails.
  [[nodiscard]] virtual result<void> finish() = 0;
};

/// What the replicated changes mean. Implemented by the registry's catalog and by the tests; called on the strand by
/// `replica` alone, and never re-entrantly.
///
/// There are two states: the *published* one, which readers see, and the *staged* one, which the changes of the batch
/// being committed have made of it. They are equal outside a batch.
class state_machine {
 public:
  virtual ~state_machine() = default;

  /// Validates `change` against the staged state and applies it there; appends the rows that make it durable. On an
  /// error the staged state and `rows` are as before the call. Total: bytes from anywhere give a result, never a crash.
  /// Deterministic: the same change at the same serial on the same state gives the same state and rows everywhere.
  [[nodiscard]] virtual result<void> stage(serial number, byte_view change, std::vector<row_write>& rows) = 0;
  /// The batch is durable: the staged state becomes the published one. Readers see it before the call returns.
  virtual void publish() = 0;
  /// The batch failed: the staged state is the published one again.
  virtual void discard() = 0;

  /// The published state, to be streamed to another replica.
  [[nodiscard]] virtual std::unique_ptr<snapshot_source> capture() const = 0;
  /// An empty state to be filled beside the published one. At most one at a time; dropping it is giving up.
  [[nodiscard]] virtual std::unique_ptr<snapshot_sink> begin_install() = 0;
  /// The sink's rows are durable and have replaced all others: its state becomes the published (and staged) one. Only
  /// after `finish` succeeded, with a sink of this machine.
  virtual void install(std::unique_ptr<snapshot_sink> sink) = 0;
};

}  // namespace muster::replication
