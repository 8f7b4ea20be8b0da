#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <lmdb.h>

#include "muster/base/bytes.hpp"
#include "muster/base/result.hpp"

/// LMDB's handles, owned. Functions that return `int` return LMDB's own status (0 is success), because the store has to
/// tell MDB_MAP_FULL, which it can cure, from the other reasons for "full".
namespace muster::os::lmdb {

/// What a status means to a caller: `storage_full`, `corrupt` or `io_error`.
[[nodiscard]] errc code_of(int status) noexcept;
[[nodiscard]] tl::unexpected<error> failure(int status, std::string_view what);

[[nodiscard]] MDB_val value_of(byte_view content) noexcept;
[[nodiscard]] MDB_val value_of(std::string_view text) noexcept;
[[nodiscard]] byte_view view_of(const MDB_val& value) noexcept;
[[nodiscard]] std::string_view text_of(const MDB_val& value) noexcept;

/// A transaction that is aborted unless it is committed.
class transaction {
 public:
  transaction() noexcept = default;
  transaction(transaction&& other) noexcept : txn_{std::exchange(other.txn_, nullptr)} {}
  transaction& operator=(transaction&& other) noexcept {
    abort();
    txn_ = std::exchange(other.txn_, nullptr);
    return *this;
  }
  transaction(const transaction&) = delete;
  transaction& operator=(const transaction&) = delete;
  ~transaction() { abort(); }

  [[nodiscard]] MDB_txn* get() const noexcept { return txn_; }
  explicit operator bool() const noexcept { return txn_ != nullptr; }

  [[nodiscard]] int commit() noexcept { return mdb_txn_commit(std::exchange(txn_, nullptr)); }
  void abort() noexcept {
    if (txn_ != nullptr) {
      mdb_txn_abort(std::exchange(txn_, nullptr));
    }
  }

 private:
  friend class environment;
  MDB_txn* txn_ = nullptr;
};

/// A cursor; closed before the transaction that it belongs to ends.
class cursor {
 public:
  cursor() noexcept = default;
  cursor(cursor&& other) noexcept : cursor_{std::exchange(other.cursor_, nullptr)} {}
  cursor& operator=(cursor&&) = delete;
  ~cursor() {
    if (cursor_ != nullptr) {
      mdb_cursor_close(cursor_);
    }
  }
  [[nodiscard]] int open(MDB_txn* txn, MDB_dbi table) noexcept { return mdb_cursor_open(txn, table, &cursor_); }
  [[nodiscard]] int move(MDB_val& key, MDB_val& value, MDB_cursor_op where) noexcept {
    return mdb_cursor_get(cursor_, &key, &value, where);
  }
  [[nodiscard]] MDB_cursor* get() const noexcept { return cursor_; }

 private:
  MDB_cursor* cursor_ = nullptr;
};

/// An open LMDB environment. One thread at a time; LMDB allows a process only one environment of the same file.
class environment {
 public:
  struct options {
    /// 0: as large as the file says.
    std::uint64_t map_bytes = 0;
    bool read_only = false;
    /// For databases of others, in which we make no lock file.
    bool without_lock_file = false;
    /// `path` names the data file itself, and the lock file is beside it.
    bool single_file = false;
    unsigned tables_max = 64;
  };

  [[nodiscard]] static result<environment> open(const std::filesystem::path& path, const options& how);

  /// Frees what LMDB keeps for later transactions too. No transaction may be open; nothing but `open` anew follows.
  void close() noexcept { env_.reset(); }

  [[nodiscard]] int begin_read(transaction& out) noexcept;
  [[nodiscard]] int begin_write(transaction& out) noexcept;

  [[nodiscard]] MDB_env* get() const noexcept { return env_.get(); }
  [[nodiscard]] std::uint64_t page_bytes() const noexcept;
  [[nodiscard]] std::uint64_t map_bytes() const noexcept;
  /// Pages from the file's beginning to the last one that was ever used, by the last commit.
  [[nodiscard]] std::uint64_t pages_reached() const noexcept;
  /// Serial number of the last committed transaction.
  [[nodiscard]] std::uint64_t last_transaction() const noexcept;
  /// No transaction may be open.
  [[nodiscard]] int set_map_bytes(std::uint64_t map_bytes) noexcept;
  /// The file descriptor of the data file.
  [[nodiscard]] int file() const noexcept;
  /// Forgets readers whose process was killed, so that the pages they held can be used again. Their number.
  int forget_dead_readers() noexcept;

  /// Names of all tables.
  [[nodiscard]] static int list_tables(MDB_txn* txn, std::vector<std::string>& out);
  /// Pages that no table uses, by LMDB's list of free pages; needs a read transaction.
  [[nodiscard]] static int count_free_pages(MDB_txn* reading, std::uint64_t& out);

 private:
  struct closer {
    void operator()(MDB_env* env) const noexcept { mdb_env_close(env); }
  };
  explicit environment(MDB_env* env) noexcept : env_{env} {}

  std::unique_ptr<MDB_env, closer> env_;
};

}  // namespace muster::os::lmdb
