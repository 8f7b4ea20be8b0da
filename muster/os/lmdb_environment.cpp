#include "muster/os/lmdb_environment.hpp"

#include <cerrno>
#include <cstring>

#include "muster/os/file.hpp"

namespace muster::os::lmdb {
namespace {

MDB_envinfo info_of(MDB_env* env) noexcept {
  MDB_envinfo info{};
  mdb_env_info(env, &info);
  return info;
}

}  // namespace

errc code_of(int status) noexcept {
  switch (status) {
    case MDB_MAP_FULL:
    case MDB_TXN_FULL:
    case ENOSPC:
    case EDQUOT:
    case EFBIG: return errc::storage_full;
    case MDB_CORRUPTED:
    case MDB_PAGE_NOTFOUND:
    case MDB_INVALID:
    case MDB_NOTFOUND: return errc::corrupt;
    case MDB_VERSION_MISMATCH:
    case MDB_INCOMPATIBLE: return errc::incompatible;
    case EACCES:
    case EPERM:
    case EROFS: return errc::permission_denied;
    default: return errc::io_error;
  }
}

tl::unexpected<error> failure(int status, std::string_view what) {
  return fail(code_of(status), "{}: {}", what, mdb_strerror(status));
}

MDB_val value_of(byte_view content) noexcept {
  // LMDB does not write through the pointer; its interface only has no const.
  return {content.size(), const_cast<std::uint8_t*>(content.data())};  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

MDB_val value_of(std::string_view text) noexcept {
  return {text.size(), const_cast<char*>(text.data())};  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

byte_view view_of(const MDB_val& value) noexcept {
  return {static_cast<const std::uint8_t*>(value.mv_data), value.mv_size};
}

std::string_view text_of(const MDB_val& value) noexcept {
  return {static_cast<const char*>(value.mv_data), value.mv_size};
}

result<environment> environment::open(const std::filesystem::path& path, const options& how) {
  const auto describe = [&path] { return fmt::format("cannot open the database in '{}'", path.string()); };
  MDB_env* made = nullptr;
  if (const int status = mdb_env_create(&made); status != 0) {
    return failure(status, describe());
  }
  environment out{made};
  if (const int status = mdb_env_set_maxdbs(made, how.tables_max); status != 0) {
    return failure(status, describe());
  }
  if (how.map_bytes != 0) {
    if (const int status = mdb_env_set_mapsize(made, how.map_bytes); status != 0) {
      return failure(status, describe());
    }
  }
  // MDB_NOTLS: a read transaction belongs to its object and not to the thread that began it. Never MDB_WRITEMAP nor
  // MDB_NOSYNC: a commit that returned is on the disk.
  unsigned flags = MDB_NOTLS;
  flags |= how.read_only ? MDB_RDONLY : 0U;
  flags |= how.without_lock_file ? MDB_NOLOCK : 0U;
  flags |= how.single_file ? MDB_NOSUBDIR : 0U;
  if (const int status = mdb_env_open(made, path.c_str(), flags, file_mode); status != 0) {
    return failure(status, describe());
  }
  if (!how.without_lock_file) {
    out.forget_dead_readers();
  }
  return out;
}

int environment::begin_read(transaction& out) noexcept {
  out.abort();
  int status = mdb_txn_begin(env_.get(), nullptr, MDB_RDONLY, &out.txn_);
  if (status == MDB_MAP_RESIZED) {
    // Another process's commit has outgrown our map: take its size.
    status = mdb_env_set_mapsize(env_.get(), 0);
    if (status == 0) {
      status = mdb_txn_begin(env_.get(), nullptr, MDB_RDONLY, &out.txn_);
    }
  }
  return status;
}

int environment::begin_write(transaction& out) noexcept {
  out.abort();
  return mdb_txn_begin(env_.get(), nullptr, 0, &out.txn_);
}

std::uint64_t environment::page_bytes() const noexcept {
  MDB_stat stat{};
  mdb_env_stat(env_.get(), &stat);
  return stat.ms_psize;
}

std::uint64_t environment::map_bytes() const noexcept { return info_of(env_.get()).me_mapsize; }

std::uint64_t environment::pages_reached() const noexcept { return info_of(env_.get()).me_last_pgno + 1; }

std::uint64_t environment::last_transaction() const noexcept { return info_of(env_.get()).me_last_txnid; }

int environment::set_map_bytes(std::uint64_t map_bytes) noexcept { return mdb_env_set_mapsize(env_.get(), map_bytes); }

int environment::file() const noexcept {
  int fd = -1;
  mdb_env_get_fd(env_.get(), &fd);
  return fd;
}

int environment::forget_dead_readers() noexcept {
  int dead = 0;
  mdb_reader_check(env_.get(), &dead);
  return dead;
}

int environment::list_tables(MDB_txn* txn, std::vector<std::string>& out) {
  out.clear();
  MDB_dbi main = 0;
  if (const int status = mdb_dbi_open(txn, nullptr, 0, &main); status != 0) {
    return status;
  }
  cursor at;
  if (const int status = at.open(txn, main); status != 0) {
    return status;
  }
  MDB_val key{};
  MDB_val value{};
  int status = at.move(key, value, MDB_FIRST);
  while (status == 0) {
    out.emplace_back(text_of(key));
    status = at.move(key, value, MDB_NEXT);
  }
  return status == MDB_NOTFOUND ? 0 : status;
}

int environment::count_free_pages(MDB_txn* reading, std::uint64_t& out) {
  out = 0;
  // Table 0 is the list of free pages: a record for each transaction that freed some, their count first.
  cursor at;
  if (const int status = at.open(reading, 0); status != 0) {
    return status;
  }
  MDB_val key{};
  MDB_val value{};
  int status = at.move(key, value, MDB_FIRST);
  while (status == 0) {
    if (value.mv_size < sizeof(std::size_t)) {
      return MDB_CORRUPTED;
    }
    std::size_t count = 0;
    std::memcpy(&count, value.mv_data, sizeof count);
    out += count;
    status = at.move(key, value, MDB_NEXT);
  }
  return status == MDB_NOTFOUND ? 0 : status;
}

}  // namespace muster::os::lmdb
