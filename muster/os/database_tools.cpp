#include "muster/os/database_tools.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "muster/os/data_directory.hpp"
#include "muster/os/database_file.hpp"
#include "muster/os/database_format.hpp"
#include "muster/os/file.hpp"
#include "muster/os/lmdb_environment.hpp"
#include "muster/os/run_apart.hpp"

namespace muster::os {
namespace {

/// The two pages at the file's beginning of which one makes a commit current.
constexpr std::uint64_t meta_pages = 2;
/// A copy is begun again when the database's owner has outgrown the map that we know.
constexpr int copy_attempts = 10;

/// The environment of a database that is ours and whole.
result<lmdb::environment> open_for_reading(const std::filesystem::path& directory) {
  std::error_code ignored;
  if (!std::filesystem::exists(directory / "data.mdb", ignored)) {
    return fail(errc::not_found, "there is no database in '{}'", directory.string());
  }
  // Every owner makes LMDB's lock file and leaves it. Where there is none nobody writes, and we make none either: it
  // might be one that the owner to come may not open.
  const bool has_lock = std::filesystem::exists(directory / "lock.mdb", ignored);
  auto env = lmdb::environment::open(
      directory, {.read_only = true, .without_lock_file = !has_lock, .tables_max = database_format::tables_max});
  if (!env) {
    return fail(std::move(env).error());
  }
  if (auto fit = read_generation(*env, directory); !fit) {
    return fail(std::move(fit).error());
  }
  return env;
}

/// Passes everything on, and sees to what holds for every log.
class checking_visitor final : public replication::load_visitor {
 public:
  explicit checking_visitor(replication::load_visitor& next) : next_{next} {}

  result<void> meta(byte_view content) override { return next_.meta(content); }
  result<void> row(std::uint8_t table, std::uint64_t key, byte_view value) override {
    return next_.row(table, key, value);
  }
  result<void> log(replication::serial number, byte_view change) override {
    if (last_ && number.value() != *last_ + 1) {
      return fail(errc::corrupt, "the log goes from change {} to {}: what is between is missing", *last_, number);
    }
    last_ = number.value();
    return next_.log(number, change);
  }

 private:
  replication::load_visitor& next_;
  std::optional<std::uint64_t> last_;
};

std::uint64_t pages_of(const MDB_stat& stat) noexcept {
  return stat.ms_branch_pages + stat.ms_leaf_pages + stat.ms_overflow_pages;
}

std::uint64_t number_at(lmdb::cursor& at, MDB_cursor_op end) noexcept {
  MDB_val key{};
  MDB_val value{};
  std::uint64_t number = 0;
  if (at.move(key, value, end) == 0 && key.mv_size == sizeof number) {
    std::memcpy(&number, key.mv_data, sizeof number);
  }
  return number;
}

/// Figures of all tables and of the list of free pages; LMDB's status.
int count_pages(MDB_txn* txn, database_report& out) {
  std::vector<std::string> names;
  if (const int status = lmdb::environment::list_tables(txn, names); status != 0) {
    return status;
  }
  std::uint64_t used = meta_pages;
  // Tables 0 and 1 are LMDB's own: the free pages and the list of tables.
  for (const MDB_dbi table : {0U, 1U}) {
    MDB_stat stat{};
    if (const int status = mdb_stat(txn, table, &stat); status != 0) {
      return status;
    }
    used += pages_of(stat);
  }
  for (const std::string& name : names) {
    MDB_dbi table = 0;
    MDB_stat stat{};
    int status = mdb_dbi_open(txn, name.c_str(), 0, &table);
    if (status == 0) {
      status = mdb_stat(txn, table, &stat);
    }
    if (status != 0) {
      return status;
    }
    used += pages_of(stat);
    out.tables.push_back({name, stat.ms_entries, pages_of(stat)});
    if (name == database_format::log_table) {
      lmdb::cursor at;
      if (status = at.open(txn, table); status != 0) {
        return status;
      }
      out.log_first = number_at(at, MDB_FIRST);
      out.log_last = number_at(at, MDB_LAST);
    }
  }
  out.pages_used = used;
  return lmdb::environment::count_free_pages(txn, out.pages_free);
}

/// Keeps the meta record, passes over the rest.
class state_reader final : public replication::load_visitor {
 public:
  result<void> meta(byte_view content) override {
    state.assign(content.begin(), content.end());
    return fail(errc::already_exists, "read");
  }
  result<void> row(std::uint8_t, std::uint64_t, byte_view) override { return fail(errc::already_exists, "read"); }
  result<void> log(replication::serial, byte_view) override { return fail(errc::already_exists, "read"); }

  bytes state;
};

/// What may lie in a directory that takes a copy: lock files, whose owners are gone.
bool is_lock_file(const std::filesystem::path& name) { return name == "muster.lock" || name == "lock.mdb"; }

result<void> expect_empty(const std::filesystem::path& directory, std::string_view purpose) {
  std::error_code problem;
  if (!std::filesystem::exists(directory, problem)) {
    return {};
  }
  for (const auto& entry : std::filesystem::directory_iterator{directory, problem}) {
    if (!is_lock_file(entry.path().filename())) {
      return fail(errc::already_exists, "'{}' is not empty: {} goes into a new or an empty directory",
                  directory.string(), purpose);
    }
  }
  if (problem) {
    return fail(errc::invalid_argument, "cannot look into '{}': {}", directory.string(), problem.message());
  }
  return {};
}

result<void> make_target_directory(const std::filesystem::path& directory) {
  if (::mkdir(directory.c_str(), directory_mode) == 0) {
    return sync_directory(directory.has_parent_path() ? directory.parent_path() : std::filesystem::path{"."});
  }
  if (errno == EEXIST) {
    return {};
  }
  return fail(errc::invalid_argument, "cannot make the directory '{}': {}", directory.string(), system_message(errno));
}

/// Copies by LMDB into an open file, from its beginning.
int copy_to(lmdb::environment& env, int fd, unsigned flags) {
  int status = 0;
  for (int attempt = 0; attempt < copy_attempts; ++attempt) {
    if (::ftruncate(fd, 0) != 0 || ::lseek(fd, 0, SEEK_SET) != 0) {
      return errno;
    }
    status = mdb_env_copyfd2(env.get(), fd, flags);
    if (status != MDB_MAP_RESIZED) {
      break;
    }
    if (status = env.set_map_bytes(0); status != 0) {
      break;
    }
  }
  return status;
}

/// Copies into a directory that is there and holds no database. The database appears under its name when it is whole
/// and durable.
result<std::uint64_t> copy_database(lmdb::environment& env, const std::filesystem::path& to) {
  const std::filesystem::path final_name = to / "data.mdb";
  const std::filesystem::path name = to / "data.mdb.new";
  const auto describe = [&name] { return fmt::format("cannot write the copy '{}'", name.string()); };
  const file_descriptor out{::open(name.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, file_mode)};
  if (!out) {
    return storage_failure(errno, describe());
  }
  int status = copy_to(env, out.get(), MDB_CP_COMPACT);
  if (status == MDB_INCOMPATIBLE) {
    // LMDB does not compact a database that has lost pages; a copy page by page takes it as it is.
    status = copy_to(env, out.get(), 0);
  }
  struct stat found {};
  if (status == 0 &&
      (::fsync(out.get()) != 0 || ::fstat(out.get(), &found) != 0 || ::rename(name.c_str(), final_name.c_str()) != 0)) {
    status = errno;
  }
  if (status != 0) {
    ::unlink(name.c_str());
    return lmdb::failure(status, describe());
  }
  if (auto synced = sync_directory(to); !synced) {
    return fail(std::move(synced).error());
  }
  return static_cast<std::uint64_t>(found.st_size);
}

}  // namespace

result<database_report> measure_database(const std::filesystem::path& directory) {
  auto env = open_for_reading(directory);
  if (!env) {
    return fail(std::move(env).error());
  }
  database_report out;
  lmdb::transaction txn;
  int status = env->begin_read(txn);
  const std::uint64_t reached = env->pages_reached();
  if (status == 0) {
    status = count_pages(txn.get(), out);
  }
  txn.abort();
  if (status != 0) {
    return lmdb::failure(status, fmt::format("cannot read the database in '{}'", directory.string()));
  }
  struct stat found {};
  out.file_bytes = ::fstat(env->file(), &found) == 0 ? static_cast<std::uint64_t>(found.st_size) : 0;
  out.format = database_format::version;
  out.commits = env->last_transaction();
  out.page_bytes = env->page_bytes();
  out.map_bytes = env->map_bytes();
  out.pages_lost = reached - std::min(reached, out.pages_used + out.pages_free);
  state_reader state;
  if (auto read = read_database(*env, directory, state); !read && read.error().code != errc::already_exists) {
    return fail(std::move(read).error());
  }
  out.state = std::move(state.state);
  return out;
}

result<database_report> check_database(const std::filesystem::path& directory, replication::load_visitor& visitor) {
  auto checked = run_apart(fmt::format("reading the database in '{}'", directory.string()), [&]() -> result<void> {
    auto env = open_for_reading(directory);
    if (!env) {
      return fail(std::move(env).error());
    }
    checking_visitor all{visitor};
    return read_database(*env, directory, all);
  });
  if (!checked) {
    return fail(std::move(checked).error());
  }
  return measure_database(directory);
}

result<std::uint64_t> backup_database(const std::filesystem::path& database, const std::filesystem::path& folder) {
  auto env = open_for_reading(database);
  if (!env) {
    return fail(std::move(env).error());
  }
  auto ready = expect_empty(folder, "a backup");
  if (ready) {
    ready = make_target_directory(folder);
  }
  return ready ? copy_database(*env, folder) : fail(std::move(ready).error());
}

result<std::uint64_t> restore_database(const std::filesystem::path& folder, const std::filesystem::path& database) {
  auto env = open_for_reading(folder);
  if (!env) {
    return fail(std::move(env).error());
  }
  if (auto ready = expect_empty(database, "a restored database"); !ready) {
    return fail(std::move(ready).error());
  }
  auto owned = data_directory::take(database);
  return owned ? copy_database(*env, owned->path()) : fail(std::move(owned).error());
}

}  // namespace muster::os
