#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "muster/base/result.hpp"
#include "muster/replication/store.hpp"

/// What `muster db …` does. All of these work from a process of their own, beside the one that may own the database:
/// readers of LMDB neither wait for its writer nor stop it. (While one reads, no page freed meanwhile is used again, so
/// the database may grow.) None changes the database that it reads.
namespace muster::os {

struct table_figures {
  std::string name;
  std::uint64_t records = 0;
  std::uint64_t pages = 0;
};

struct database_report {
  std::uint64_t format = 0;
  std::uint64_t commits = 0;  ///< since the database was made
  std::uint64_t page_bytes = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t map_bytes = 0;
  std::uint64_t pages_used = 0;
  std::uint64_t pages_free = 0;  ///< of those that the file has reached
  std::uint64_t pages_lost = 0;  ///< neither used nor free; a compacting backup leaves them behind
  std::uint64_t log_first = 0;   ///< serials in the log; 0 when it is empty
  std::uint64_t log_last = 0;
  std::vector<table_figures> tables;
  bytes state;  ///< the replication core's record; empty when nothing was ever committed
};

/// Figures of the database in a directory. `not_found`, `incompatible`, `corrupt`, `permission_denied`, `io_error`.
[[nodiscard]] result<database_report> measure_database(const std::filesystem::path& directory);

/// Reads every record and hands it to `visitor`, which checks what only it understands; checks the length of the file
/// and that no serial is missing in the log. The reading happens in a copy of this process, so damage that would end a
/// process is reported as `corrupt`; the visitor is not seen to change.
[[nodiscard]] result<database_report> check_database(const std::filesystem::path& directory,
                                                     replication::load_visitor& visitor);

/// Copies the database as it is at one instant into a directory that is new (below an existing parent) or empty,
/// without the free space. On return the copy is durable. Gives its size in bytes. `already_exists` when something is
/// in the way; nothing is left behind after an error.
[[nodiscard]] result<std::uint64_t> backup_database(const std::filesystem::path& database,
                                                    const std::filesystem::path& folder);

/// Makes a replica's database of a backup, in a directory that is new or holds no database; it is owned meanwhile, as
/// by a running replica. Otherwise as `backup_database`.
[[nodiscard]] result<std::uint64_t> restore_database(const std::filesystem::path& folder,
                                                     const std::filesystem::path& database);

}  // namespace muster::os
