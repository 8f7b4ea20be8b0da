#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "muster/base/bytes.hpp"
#include "muster/base/result.hpp"
#include "muster/replication/position.hpp"
#include "muster/replication/shared_bytes.hpp"

namespace muster::replication {

/// One row of the state's durable form. No value means: the row is erased (erasing what is not there is no error).
struct row_write {
  std::uint8_t table{0};
  std::uint64_t key{0};
  std::optional<bytes> value;

  friend bool operator==(const row_write&, const row_write&) = default;
};

/// A change as it stands in the log.
struct log_entry {
  serial number;
  shared_bytes change;

  friend bool operator==(const log_entry&, const log_entry&) = default;
};

/// One durable step.
///
/// The store holds a *present copy* (rows, log, meta) and, while a snapshot comes in, a *replacement* beside it (rows
/// only). A crash at any instant leaves the present copy as it was before or after a whole step; an unfinished
/// replacement is dropped when the store is opened.
struct commit {
  enum class kind : std::uint8_t {
    /// Writes `rows` in order to the present copy, appends `log_append`, erases log entries numbered below
    /// `log_trim_below`, sets `meta`: all or nothing, and durable on return. Any of them but `meta` may be empty.
    changes,
    /// Adds `rows` to the replacement. Need not be durable; `meta` and the log fields are not used.
    replacement_rows,
    /// Adds `rows` to the replacement and then, in one transaction that is durable on return, makes it the present
    /// copy, with a log of just `log_append` and with `meta`. The former present copy and its log are gone.
    replacement_swap,
  };

  kind what{kind::changes};
  /// With a replacement step: forget what an earlier, unfinished replacement left, and begin an empty one.
  bool replacement_begins{false};
  std::vector<row_write> rows;
  std::vector<log_entry> log_append;
  serial log_trim_below;
  bytes meta;
};

/// Receives what a store holds, in this order: meta, rows (by table, then key), log (by number).
class load_visitor {
 public:
  virtual ~load_visitor() = default;
  /// Not called for a store that has never been written.
  [[nodiscard]] virtual result<void> meta(byte_view content) = 0;
  [[nodiscard]] virtual result<void> row(std::uint8_t table, std::uint64_t key, byte_view value) = 0;
  [[nodiscard]] virtual result<void> log(serial number, byte_view change) = 0;
};

/// The durable half of a replica. Implemented by `os::lmdb_store`, the simulated disk, and the tests; called on the
/// strand.
class store {
 public:
  virtual ~store() = default;

  /// Performs one step. Errors:
  /// - `io_error`: the state of the store is unknown, the process has to end;
  /// - any other, usually `storage_full`: nothing was changed, and later steps may succeed. After a failed replacement
  ///   step the next one begins a new replacement.
  [[nodiscard]] virtual result<void> commit(replication::commit&& step) = 0;

  /// Reads everything. Once, before the first commit. The visitor's errors end it and are handed on.
  [[nodiscard]] virtual result<void> load(load_visitor& visitor) = 0;
};

}  // namespace muster::replication
