#include "muster/os/database_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "muster/os/database_format.hpp"
#include "muster/os/file.hpp"
#include "muster/os/lmdb_step.hpp"

namespace muster::os {
namespace {

namespace format = database_format;

constexpr std::uint64_t new_database_map_bytes = std::uint64_t{1} << 20U;

std::filesystem::path data_file(const std::filesystem::path& directory) { return directory / "data.mdb"; }

/// Tables that every database of icegridregistry 3.7 has from its first start on.
bool has_stock_tables(const std::vector<std::string>& names) {
  return std::ranges::all_of(std::initializer_list<const char*>{"adapters", "applications", "objects", "serials"},
                             [&names](const char* wanted) { return std::ranges::find(names, wanted) != names.end(); });
}

/// A record of the meta table, valid while the transaction lasts; none when there is none.
result<std::optional<byte_view>> find_meta(MDB_txn* txn, std::string_view name) {
  MDB_dbi table = 0;
  MDB_val key = lmdb::value_of(name);
  MDB_val value{};
  int status = mdb_dbi_open(txn, format::meta_table, 0, &table);
  if (status == 0) {
    status = mdb_get(txn, table, &key, &value);
  }
  if (status == MDB_NOTFOUND) {
    return std::optional<byte_view>{};
  }
  if (status != 0) {
    return lmdb::failure(status, fmt::format("cannot read the database's record '{}'", name));
  }
  return std::optional{lmdb::view_of(value)};
}

result<database_probe> examine(MDB_txn* txn, const std::filesystem::path& directory) {
  std::vector<std::string> names;
  if (const int status = lmdb::environment::list_tables(txn, names); status != 0) {
    return lmdb::failure(status, fmt::format("cannot read the database in '{}'", directory.string()));
  }
  if (has_stock_tables(names)) {
    return database_probe{
        database_kind::stock,
        fmt::format("'{}' holds the database of a stock icegridregistry, which muster does not open and has not "
                    "touched: give muster a directory of its own, and add the applications and objects to it "
                    "(icegridadmin 'application add', 'object add'); adapters come back as their servers register",
                    directory.string())};
  }
  std::uint64_t version = 0;
  if (std::ranges::find(names, format::meta_table) != names.end()) {
    auto record = find_meta(txn, format::format_key);
    if (!record) {
      return fail(std::move(record).error());
    }
    const auto decoded = *record ? format::decode_format(**record) : result<std::uint64_t>{0};
    version = decoded.value_or(0);
  }
  if (version == 0) {
    return database_probe{database_kind::foreign,
                          fmt::format("'{}' holds an LMDB database of another program: give muster a directory of its "
                                      "own",
                                      directory.string())};
  }
  if (version > format::version) {
    return database_probe{database_kind::newer,
                          fmt::format("'{}' holds a database in format {}, made by a later version of muster: this "
                                      "one reads format {} and has not touched it",
                                      directory.string(), version, format::version)};
  }
  return database_probe{database_kind::muster, {}};
}

/// LMDB reads through a map, where a file that ends too early is a signal and not an error.
result<void> check_length(const lmdb::environment& env, const std::filesystem::path& directory) {
  struct stat found {};
  if (::fstat(env.file(), &found) != 0) {
    return storage_failure(errno, fmt::format("cannot read '{}'", data_file(directory).string()));
  }
  const std::uint64_t wanted = env.pages_reached() * env.page_bytes();
  if (static_cast<std::uint64_t>(found.st_size) < wanted) {
    return fail(errc::corrupt, "'{}' has been cut short: it has {} bytes where the database in it needs {}",
                data_file(directory).string(), found.st_size, wanted);
  }
  return {};
}

/// Hands every record of a table keyed by numbers to `take`.
template <typename Take>
result<void> for_each_record(MDB_txn* txn, const std::string& name, Take take) {
  MDB_dbi table = 0;
  lmdb::cursor at;
  int status = mdb_dbi_open(txn, name.c_str(), MDB_INTEGERKEY, &table);
  if (status == 0) {
    status = at.open(txn, table);
  }
  MDB_val key{};
  MDB_val value{};
  if (status == 0) {
    status = at.move(key, value, MDB_FIRST);
  }
  while (status == 0) {
    std::uint64_t number = 0;
    if (key.mv_size != sizeof number) {
      return fail(errc::corrupt, "the database's table '{}' has a key of {} bytes, where {} are right", name,
                  key.mv_size, sizeof number);
    }
    std::memcpy(&number, key.mv_data, sizeof number);
    if (auto taken = take(number, lmdb::view_of(value)); !taken) {
      return taken;
    }
    status = at.move(key, value, MDB_NEXT);
  }
  return status == MDB_NOTFOUND ? result<void>{}
                                : lmdb::failure(status, fmt::format("cannot read the database's table '{}'", name));
}

/// The tables of the present generation, by number.
result<std::map<std::uint8_t, std::string>> present_tables(MDB_txn* txn, std::uint64_t generation) {
  std::vector<std::string> names;
  if (const int status = lmdb::environment::list_tables(txn, names); status != 0) {
    return lmdb::failure(status, "cannot list the database's tables");
  }
  std::map<std::uint8_t, std::string> out;
  for (std::string& name : names) {
    const auto rows = format::parse_rows_table(name);
    if (rows && rows->generation == generation) {
      out.emplace(rows->table, std::move(name));
    }
  }
  return out;
}

result<lmdb::transaction> begin_read(lmdb::environment& env, const std::filesystem::path& directory) {
  lmdb::transaction txn;
  if (const int status = env.begin_read(txn); status != 0) {
    return lmdb::failure(status, fmt::format("cannot read the database in '{}'", directory.string()));
  }
  return txn;
}

result<std::uint64_t> generation_in(MDB_txn* txn, const std::filesystem::path& directory) {
  auto record = find_meta(txn, format::generation_key);
  if (!record) {
    return fail(std::move(record).error());
  }
  if (!*record) {
    return fail(errc::corrupt, "the database in '{}' has no generation record", directory.string());
  }
  return format::decode_generation(**record);
}

/// Everything of a new database but its name.
int write_new_database(lmdb::environment& env) {
  lmdb::transaction txn;
  int status = env.begin_write(txn);
  if (status == 0) {
    status = lmdb::put_meta(txn.get(), format::format_key, format::encode_format());
  }
  if (status == 0) {
    status = lmdb::put_meta(txn.get(), format::generation_key, format::encode_generation(1));
  }
  if (status == 0) {
    status = lmdb::clear_log(txn.get());
  }
  return status == 0 ? txn.commit() : status;
}

}  // namespace

result<database_probe> probe_database(const std::filesystem::path& directory) {
  struct stat found {};
  if (::stat(data_file(directory).c_str(), &found) != 0) {
    if (errno == ENOENT) {
      return database_probe{};
    }
    if (errno == EACCES) {
      return fail(errc::invalid_argument, "cannot look into the database directory '{}': {}", directory.string(),
                  system_message(errno));
    }
    return storage_failure(errno, fmt::format("cannot look at '{}'", data_file(directory).string()));
  }
  if (found.st_size == 0) {
    return database_probe{};
  }
  auto env = lmdb::environment::open(directory, {.read_only = true, .without_lock_file = true});
  if (!env) {
    if (env.error().code == errc::corrupt || env.error().code == errc::incompatible) {
      return database_probe{database_kind::foreign,
                            fmt::format("'{}' is no LMDB database that this version reads: give muster a directory of "
                                        "its own",
                                        data_file(directory).string())};
    }
    return fail(std::move(env).error());
  }
  if (auto whole = check_length(*env, directory); !whole) {
    return fail(std::move(whole).error());
  }
  auto txn = begin_read(*env, directory);
  return txn ? examine(txn->get(), directory) : fail(std::move(txn).error());
}

result<void> make_database_where_none_is(const std::filesystem::path& directory) {
  const std::filesystem::path final_name = data_file(directory);
  struct stat found {};
  if (::stat(final_name.c_str(), &found) == 0 && found.st_size > 0) {
    return {};
  }
  std::filesystem::path name = final_name;
  name += ".new";
  std::filesystem::path lock = name;
  lock += "-lock";
  ::unlink(name.c_str());
  ::unlink(lock.c_str());
  auto made = [&]() -> result<void> {
    auto env = lmdb::environment::open(
        name, {.map_bytes = new_database_map_bytes, .single_file = true, .tables_max = database_format::tables_max});
    if (!env) {
      return fail(std::move(env).error());
    }
    if (const int status = write_new_database(*env); status != 0) {
      return lmdb::failure(status, fmt::format("cannot make a database in '{}'", directory.string()));
    }
    return {};
  }();
  ::unlink(lock.c_str());
  if (!made) {
    ::unlink(name.c_str());
    return made;
  }
  if (auto synced = sync_file(name); !synced) {
    return synced;
  }
  if (::rename(name.c_str(), final_name.c_str()) != 0) {
    return storage_failure(errno, fmt::format("cannot make '{}'", final_name.string()));
  }
  return sync_directory(directory);
}

result<std::uint64_t> read_generation(lmdb::environment& env, const std::filesystem::path& directory) {
  if (auto whole = check_length(env, directory); !whole) {
    return fail(std::move(whole).error());
  }
  auto txn = begin_read(env, directory);
  if (!txn) {
    return fail(std::move(txn).error());
  }
  auto probe = examine(txn->get(), directory);
  if (!probe) {
    return fail(std::move(probe).error());
  }
  if (probe->kind != database_kind::muster) {
    return fail(errc::incompatible, "{}", probe->sentence);
  }
  return generation_in(txn->get(), directory);
}

result<void> read_database(lmdb::environment& env, const std::filesystem::path& directory,
                           replication::load_visitor& visitor) {
  auto txn = begin_read(env, directory);
  if (!txn) {
    return fail(std::move(txn).error());
  }
  auto state = find_meta(txn->get(), format::state_key);
  if (!state) {
    return fail(std::move(state).error());
  }
  if (*state) {
    if (auto taken = visitor.meta(**state); !taken) {
      return taken;
    }
  }
  auto generation = generation_in(txn->get(), directory);
  if (!generation) {
    return fail(std::move(generation).error());
  }
  auto tables = present_tables(txn->get(), *generation);
  if (!tables) {
    return fail(std::move(tables).error());
  }
  for (const auto& [table, name] : *tables) {
    const auto take = [&visitor, number = table](std::uint64_t key, byte_view value) {
      return visitor.row(number, key, value);
    };
    if (auto read = for_each_record(txn->get(), name, take); !read) {
      return read;
    }
  }
  return for_each_record(txn->get(), format::log_table, [&visitor](std::uint64_t number, byte_view change) {
    return visitor.log(replication::serial{number}, change);
  });
}

}  // namespace muster::os
