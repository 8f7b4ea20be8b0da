#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include <lmdb.h>

#include "muster/base/bytes.hpp"
#include "muster/replication/store.hpp"

/// The parts of one step of the store, each inside a write transaction of the caller's. They return LMDB's status;
/// after one that is not 0 the transaction can only be aborted.
namespace muster::os::lmdb {

/// Writes and erases rows of a generation, in their order. Sets the size in pages of each table that it touched.
[[nodiscard]] int write_rows(MDB_txn* txn, std::uint64_t generation, const std::vector<replication::row_write>& rows,
                             std::map<std::uint8_t, std::uint64_t>* tree_pages);

/// Drops the tables of one generation, or of all but one.
enum class generations { only, all_but };
[[nodiscard]] int drop_rows(MDB_txn* txn, generations which, std::uint64_t generation);

[[nodiscard]] int append_log(MDB_txn* txn, const std::vector<replication::log_entry>& entries);
/// Erases the entries numbered below `below`.
[[nodiscard]] int trim_log(MDB_txn* txn, replication::serial below);
/// Erases oldest entries, numbered below `keep_from`, until they make up `bytes_wanted`.
[[nodiscard]] int shorten_log(MDB_txn* txn, std::uint64_t bytes_wanted, replication::serial keep_from);
[[nodiscard]] int clear_log(MDB_txn* txn);

[[nodiscard]] int put_meta(MDB_txn* txn, std::string_view key, byte_view value);

/// A row's bytes in a table, its key and LMDB's own included.
[[nodiscard]] std::uint64_t stored_bytes(std::uint64_t value_bytes) noexcept;
/// Bytes that the rows add, and those that they take away by erasing or overwriting what is there.
struct balance {
  std::uint64_t added = 0;
  std::uint64_t removed = 0;
};
/// In a read transaction.
[[nodiscard]] int weigh(MDB_txn* txn, std::uint64_t generation, const std::vector<replication::row_write>& rows,
                        balance& out);

}  // namespace muster::os::lmdb
