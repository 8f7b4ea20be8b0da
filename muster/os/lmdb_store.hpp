#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "muster/base/event.hpp"
#include "muster/base/instant.hpp"
#include "muster/base/result.hpp"
#include "muster/os/data_directory.hpp"
#include "muster/os/lmdb_environment.hpp"
#include "muster/os/storage_usage.hpp"
#include "muster/replication/store.hpp"

namespace muster::os {

/// The durable store of a replica, in LMDB (database_format.hpp says what lies where).
///
/// - A commit is one write transaction: data pages are written and synced, then the page that makes them current is
///   written synchronously. A power cut or a kill at any instant leaves the state before or after the commit.
/// - The map grows by itself, from `map_bytes` up to `map_limit_bytes`. A part of the bound, `reserve_bytes`, is kept
///   for steps that put no more than they erase, so that deleting works when the map is full. Such a step, taken on the
///   reserve, also drops old log entries: a slave that needs them gets a snapshot instead.
/// - Disk space is reserved before a commit writes (fallocate), so that a full disk is found out before anything
///   has happened, and what is there beyond the present need lets deletions through on a full disk.
/// - A replacement is built in a transaction of its own that stays open from step to step (in the order of a snapshot,
///   which is not that of the keys, a transaction a step would rewrite the whole tree each time). It is committed, not
///   visible to `load`, when it has become large, or when a step of the other kind comes between.
///
/// One thread at a time, the strand's, except for `measure`. Only one store of a file may be open in a process.
class lmdb_store final : public replication::store {
 public:
  struct options {
    std::uint64_t map_bytes = std::uint64_t{100} << 20U;
    std::uint64_t map_limit_bytes = std::uint64_t{16} << 30U;
    /// 0: one sixteenth of the bound, but 1 MiB at least and 64 MiB at most.
    std::uint64_t reserve_bytes = 0;
    unsigned warn_percent = 80;
    /// Receives warnings; called on the thread that commits.
    std::function<void(const event&)> report{};
  };

  /// Opens the directory's database, or makes an empty one. `corrupt`, `incompatible` (a later version's), `io_error`,
  /// `storage_full` with a sentence; nothing is changed then. `where` outlives the store.
  [[nodiscard]] static result<std::unique_ptr<lmdb_store>> open(const data_directory& where, options settings);
  ~lmdb_store() override;
  lmdb_store(const lmdb_store&) = delete;
  lmdb_store& operator=(const lmdb_store&) = delete;

  [[nodiscard]] result<void> commit(replication::commit&& step) override;
  [[nodiscard]] result<void> load(replication::load_visitor& visitor) override;

  /// As of the last commit. Any thread.
  [[nodiscard]] storage_usage measure() const;

 private:
  /// A replacement in the making. Its transaction is open between steps, or not begun.
  struct replacement {
    std::uint64_t generation = 0;  ///< 0: none has begun
    lmdb::transaction txn;
    std::uint64_t bytes_in_txn = 0;
    /// By table. Their sum bounds what the transaction has taken from the map, however often it rewrote a page.
    std::map<std::uint8_t, std::uint64_t> tree_pages;
    [[nodiscard]] std::uint64_t pages() const noexcept;
  };

  lmdb_store(std::filesystem::path directory, options settings, lmdb::environment env, std::uint64_t generation);

  [[nodiscard]] result<void> commit_changes(const replication::commit& step);
  [[nodiscard]] int try_changes(const replication::commit& step, bool on_reserve);
  [[nodiscard]] result<void> commit_replacement(const replication::commit& step);
  [[nodiscard]] int add_to_replacement(const replication::commit& step);
  [[nodiscard]] int swap_replacement(const replication::commit& step);
  /// Commits the open transaction of the replacement, where one is open.
  [[nodiscard]] int commit_open_replacement();
  [[nodiscard]] int drop_other_generations();

  // Space. Pages are counted from the file's beginning where they are `pages_reached` or "end".
  [[nodiscard]] int admit(const replication::commit& step, std::uint64_t pages_wanted, bool& on_reserve);
  [[nodiscard]] int make_room_on_disk(const replication::commit& step, std::uint64_t pages_wanted);
  [[nodiscard]] int shrinks(const replication::commit& step, bool& out);
  [[nodiscard]] int count_free_pages(std::uint64_t& out);
  [[nodiscard]] bool grow_map(std::uint64_t pages_end);
  [[nodiscard]] int reserve_file(std::uint64_t pages_end);
  /// LMDB reports a short write, which a full disk causes, as EIO: tells the two apart.
  [[nodiscard]] int judge_failed_write(int status, std::uint64_t pages_wanted);
  [[nodiscard]] std::uint64_t disk_free_bytes() const noexcept;
  [[nodiscard]] result<void> refuse(int status);
  [[nodiscard]] result<void> reopen();
  void refresh_usage(std::uint64_t pages_taken);

  const std::filesystem::path directory_;
  const options options_;
  lmdb::environment env_;
  const std::uint64_t page_bytes_;
  const std::uint64_t pages_limit_;
  const std::uint64_t pages_reserved_;
  std::uint64_t file_pages_ = 0;
  std::uint64_t generation_;
  replacement next_;
  bool replacement_lost_ = false;
  bool failed_ = false;

  storage_watch watch_;
  instant next_look_{};
  std::uint64_t pages_since_look_ = 0;  ///< at most so many have been taken
  std::uint64_t free_pages_ = 0;        ///< as of the last look
  mutable std::mutex usage_mutex_;
  storage_usage usage_;
};

}  // namespace muster::os
