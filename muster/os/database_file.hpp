#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "muster/base/result.hpp"
#include "muster/os/lmdb_environment.hpp"
#include "muster/replication/store.hpp"

namespace muster::os {

/// What a directory's `data.mdb` is.
enum class database_kind {
  none,     ///< no such file, or an empty one
  muster,   ///< ours, in a format that this version reads
  newer,    ///< ours, in a format of a later version
  stock,    ///< of the stock `icegridregistry`
  foreign,  ///< an LMDB database of something else, or no LMDB database
};

struct database_probe {
  database_kind kind = database_kind::none;
  /// Where we do not open it: one sentence that says why and what to do.
  std::string sentence;
};

/// Looks without changing or making anything. Nobody may be writing to the database meanwhile.
[[nodiscard]] result<database_probe> probe_database(const std::filesystem::path& directory);

/// Makes an empty database unless there is one. The name `data.mdb` appears when all of it is on the disk: whatever
/// happens, the directory holds no database or a whole one.
[[nodiscard]] result<void> make_database_where_none_is(const std::filesystem::path& directory);

/// The generation of the present rows. `incompatible` or `corrupt`, with a sentence, unless the database is one that
/// this version reads and the file is as long as it says.
[[nodiscard]] result<std::uint64_t> read_generation(lmdb::environment& env, const std::filesystem::path& directory);

/// Reads everything, in the order that the visitor expects.
[[nodiscard]] result<void> read_database(lmdb::environment& env, const std::filesystem::path& directory,
                                         replication::load_visitor& visitor);

}  // namespace muster::os
