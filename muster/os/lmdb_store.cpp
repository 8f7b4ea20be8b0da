#include "muster/os/lmdb_store.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <string>
#include <utility>

#include "muster/os/clock.hpp"
#include "muster/os/database_file.hpp"
#include "muster/os/database_format.hpp"
#include "muster/os/lmdb_step.hpp"

namespace muster::os {
namespace {

namespace format = database_format;
using step_kind = replication::commit::kind;

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20U;

/// The map grows to the double of what it is, but by no more than this at a time.
constexpr std::uint64_t map_step_max_bytes = 1024 * mebibyte;
/// The file is lengthened by an eighth of what it is, within these bounds: a growing database asks seldom, and a small
/// one does not take a disk that others use.
constexpr std::uint64_t file_step_min_bytes = mebibyte;
constexpr std::uint64_t file_step_max_bytes = 64 * mebibyte;
/// Beyond what a step needs the file is this much longer, so that deletes find their pages on a full disk.
constexpr std::uint64_t file_slack_bytes = mebibyte;
/// A replacement's transaction that has taken in so much is committed: its pages lie in anonymous memory until then.
/// The next one then rewrites most of these pages, so the bound is high: a million small records stay below it.
constexpr std::uint64_t replacement_transaction_bytes = 192 * mebibyte;
/// After a transaction of this size the environment is opened anew, because LMDB keeps the memory of its pages.
constexpr std::uint64_t large_transaction_bytes = 16 * mebibyte;
/// What every commit touches besides its rows: meta, the list of tables, the list of free pages.
constexpr std::uint64_t pages_of_any_step = 32;
/// Of a tree path a row's write touches, on average, no more than this for itself; the upper pages are shared.
constexpr std::uint64_t pages_of_a_row = 3;
constexpr std::chrono::seconds look_interval{1};
/// And so often, at least, while the whole map is filled.
constexpr std::uint64_t looks_in_a_map = 32;

/// Makes a file longer, with the disk's space for it: 0 or an errno value.
int lengthen_file(int fd, std::uint64_t from, std::uint64_t to) noexcept {
  int status = 0;
  do {
    status = ::fallocate(fd, 0, static_cast<off_t>(from), static_cast<off_t>(to - from)) == 0 ? 0 : errno;
  } while (status == EINTR);
  if (status != EOPNOTSUPP && status != ENOSYS) {
    return status;
  }
  // A file system that cannot reserve has to be given something to keep.
  static constexpr std::array<std::uint8_t, 65536> zeros{};
  while (from < to) {
    const ssize_t written =
        ::pwrite(fd, zeros.data(), std::min<std::uint64_t>(zeros.size(), to - from), static_cast<off_t>(from));
    if (written < 0 && errno != EINTR) {
      return errno;
    }
    from += written > 0 ? static_cast<std::uint64_t>(written) : 0;
  }
  return 0;
}

bool is_disk_full(int status) noexcept { return status == ENOSPC || status == EDQUOT || status == EFBIG; }

std::uint64_t default_reserve(std::uint64_t limit_bytes) noexcept {
  return std::min(std::clamp(limit_bytes / 16, mebibyte, 64 * mebibyte), limit_bytes / 2);
}

/// Pages that a step may take at most, but for rare splits: a guess on the high side, used to ask for room before
/// anything is written. A commit that needs more is still refused cleanly by LMDB itself.
std::uint64_t pages_wanted_by(const replication::commit& step, std::uint64_t page_bytes) noexcept {
  std::uint64_t pages = pages_of_any_step + step.meta.size() / page_bytes;
  for (const auto& row : step.rows) {
    pages += pages_of_a_row + (row.value ? row.value->size() / page_bytes : 0);
  }
  std::uint64_t log_bytes = 0;
  for (const auto& entry : step.log_append) {
    log_bytes += lmdb::stored_bytes(entry.change.size_bytes());
    pages += entry.change.size_bytes() / page_bytes;
  }
  return pages + 2 * log_bytes / page_bytes;
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------- opening

std::uint64_t lmdb_store::replacement::pages() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& [table, count] : tree_pages) {
    sum += count;
  }
  return sum;
}

result<std::unique_ptr<lmdb_store>> lmdb_store::open(const data_directory& where, options settings) {
  if (auto made = make_database_where_none_is(where.path()); !made) {
    return fail(std::move(made).error());
  }
  settings.map_bytes = std::min(settings.map_bytes, settings.map_limit_bytes);
  auto env = lmdb::environment::open(where.path(),
                                     {.map_bytes = settings.map_bytes, .tables_max = database_format::tables_max});
  if (!env) {
    return fail(std::move(env).error());
  }
  auto generation = read_generation(*env, where.path());
  if (!generation) {
    return fail(std::move(generation).error());
  }
  std::unique_ptr<lmdb_store> out{new lmdb_store{where.path(), std::move(settings), std::move(*env), *generation}};

  // What an unfinished replacement left. On a full disk it stays until the next replacement begins.
  if (const int status = out->drop_other_generations(); status != 0 && lmdb::code_of(status) != errc::storage_full) {
    return lmdb::failure(status, fmt::format("cannot write the database in '{}'", where.path().string()));
  }
  out->refresh_usage(0);
  return out;
}

lmdb_store::lmdb_store(std::filesystem::path directory, options settings, lmdb::environment env,
                       std::uint64_t generation)
    : directory_{std::move(directory)},
      options_{std::move(settings)},
      env_{std::move(env)},
      page_bytes_{env_.page_bytes()},
      pages_limit_{options_.map_limit_bytes / page_bytes_},
      pages_reserved_{
          (options_.reserve_bytes != 0 ? options_.reserve_bytes : default_reserve(options_.map_limit_bytes)) /
          page_bytes_},
      generation_{generation},
      watch_{directory_.string(), options_.warn_percent, options_.report} {}

lmdb_store::~lmdb_store() = default;

result<void> lmdb_store::reopen() {
  env_.close();
  ::malloc_trim(0);
  auto env = lmdb::environment::open(directory_, {.map_bytes = std::max(options_.map_bytes, usage_.map_bytes),
                                                  .tables_max = database_format::tables_max});
  if (!env) {
    failed_ = true;
    return fail(errc::io_error, "{}", env.error().message);
  }
  env_ = std::move(*env);
  return {};
}

// ----------------------------------------------------------------------------------------------------------- commit

result<void> lmdb_store::commit(replication::commit&& step) {
  if (failed_) {
    return fail(errc::io_error, "the database in '{}' has failed before", directory_.string());
  }
  const std::uint64_t pages_wanted = pages_wanted_by(step, page_bytes_);
  auto done = step.what == step_kind::changes ? commit_changes(step) : commit_replacement(step);
  if (done) {
    {
      const std::lock_guard lock{usage_mutex_};
      ++usage_.commits;
    }
    refresh_usage(pages_wanted);
  }
  return done;
}

result<void> lmdb_store::commit_changes(const replication::commit& step) {
  if (next_.txn) {
    // Only one write transaction may be open. The rows so far are kept, invisible, for the steps to come.
    if (const int status = commit_open_replacement(); status != 0) {
      replacement_lost_ = true;
      if (auto refused = refuse(judge_failed_write(status, next_.pages())); refused.error().code == errc::io_error) {
        return refused;
      }
    }
  }
  const std::uint64_t pages_wanted = pages_wanted_by(step, page_bytes_);
  bool on_reserve = false;
  if (const int status = admit(step, pages_wanted, on_reserve); status != 0) {
    return refuse(status);
  }
  if (const int status = make_room_on_disk(step, pages_wanted); status != 0) {
    return refuse(status);
  }
  while (true) {
    const int status = try_changes(step, on_reserve);
    if (status == 0) {
      return {};
    }
    if (status != MDB_MAP_FULL || !grow_map(0)) {
      return refuse(judge_failed_write(status, pages_wanted));
    }
  }
}

int lmdb_store::try_changes(const replication::commit& step, bool on_reserve) {
  lmdb::transaction txn;
  int status = env_.begin_write(txn);
  if (status == 0) {
    status = lmdb::write_rows(txn.get(), generation_, step.rows, nullptr);
  }
  if (status == 0) {
    status = lmdb::append_log(txn.get(), step.log_append);
  }
  if (status == 0) {
    status = lmdb::trim_log(txn.get(), step.log_trim_below);
  }
  if (status == 0 && on_reserve && !step.log_append.empty()) {
    std::uint64_t appended = 0;
    for (const auto& entry : step.log_append) {
      appended += lmdb::stored_bytes(entry.change.size_bytes());
    }
    status = lmdb::shorten_log(txn.get(), 2 * appended, step.log_append.front().number);
  }
  if (status == 0) {
    status = lmdb::put_meta(txn.get(), format::state_key, step.meta);
  }
  return status == 0 ? txn.commit() : status;
}

// ------------------------------------------------------------------------------------------------------ replacement

result<void> lmdb_store::commit_replacement(const replication::commit& step) {
  if (!step.replacement_begins && (replacement_lost_ || next_.generation == 0)) {
    return fail(errc::conflict, "there is no replacement to which rows could be added: it has to begin anew");
  }
  int status = add_to_replacement(step);
  if (status == 0 && step.what == step_kind::replacement_swap) {
    status = swap_replacement(step);
  }
  if (status != 0) {
    next_ = {};
    replacement_lost_ = true;
    auto refused = refuse(judge_failed_write(status, pages_wanted_by(step, page_bytes_)));
    if (refused.error().code == errc::storage_full) {
      // What it has written so far would be in the way of changes. Where not even this fits, it stays until there is
      // more room and the next replacement begins.
      static_cast<void>(drop_other_generations());
    }
    return refused;
  }
  return {};
}

int lmdb_store::drop_other_generations() {
  lmdb::transaction txn;
  int status = env_.begin_write(txn);
  if (status == 0) {
    status = lmdb::drop_rows(txn.get(), lmdb::generations::all_but, generation_);
  }
  return status == 0 ? txn.commit() : status;
}

int lmdb_store::add_to_replacement(const replication::commit& step) {
  if (step.replacement_begins) {
    next_ = {};
    next_.generation = generation_ + 1;
    replacement_lost_ = false;
    // Address space for the first transaction, which for most replacements is the only one.
    static_cast<void>(grow_map(env_.pages_reached() + 2 * replacement_transaction_bytes / page_bytes_));
    if (const int status = env_.begin_write(next_.txn); status != 0) {
      return status;
    }
    if (const int status = lmdb::drop_rows(next_.txn.get(), lmdb::generations::all_but, generation_); status != 0) {
      return status;
    }
  }
  // The map cannot grow under an open transaction, and one that has met its end is lost: so look ahead.
  const std::uint64_t pages_wanted = next_.pages() + pages_wanted_by(step, page_bytes_) + pages_of_any_step;
  if (env_.pages_reached() + pages_wanted > env_.map_bytes() / page_bytes_) {
    if (const int status = commit_open_replacement(); status != 0) {
      return status;
    }
    // The new transaction may rewrite all that the former one has written, and the old pages stay until it ends.
    static_cast<void>(grow_map(env_.pages_reached() + pages_wanted));
  }
  if (!next_.txn) {
    if (const int status = env_.begin_write(next_.txn); status != 0) {
      return status;
    }
  }
  for (const auto& row : step.rows) {
    next_.bytes_in_txn += lmdb::stored_bytes(row.value ? row.value->size() : 0);
  }
  if (const int status = lmdb::write_rows(next_.txn.get(), next_.generation, step.rows, &next_.tree_pages);
      status != 0) {
    return status;
  }
  return next_.bytes_in_txn < replacement_transaction_bytes ? 0 : commit_open_replacement();
}

int lmdb_store::commit_open_replacement() {
  if (!next_.txn) {
    return 0;
  }
  int status = reserve_file(env_.pages_reached() + next_.pages() + pages_of_any_step);
  if (status == 0) {
    status = next_.txn.commit();
  }
  next_.txn.abort();
  const bool large = std::exchange(next_.bytes_in_txn, 0) >= large_transaction_bytes;
  if (status == 0 && large && !reopen()) {
    return EIO;
  }
  return status;
}

int lmdb_store::swap_replacement(const replication::commit& step) {
  // To drop the former tables takes no pages but those that list the freed ones, 8 bytes each.
  const std::uint64_t pages_of_list = 2 * (env_.pages_reached() * sizeof(std::uint64_t) / page_bytes_) + 1;
  const std::uint64_t pages_end =
      env_.pages_reached() + next_.pages() + pages_of_list + pages_wanted_by(step, page_bytes_);
  if (!next_.txn || pages_end > env_.map_bytes() / page_bytes_) {
    if (const int status = commit_open_replacement(); status != 0) {
      return status;
    }
    static_cast<void>(grow_map(pages_end + pages_of_list));
    if (const int status = env_.begin_write(next_.txn); status != 0) {
      return status;
    }
  }
  MDB_txn* const txn = next_.txn.get();
  int status = lmdb::drop_rows(txn, lmdb::generations::all_but, next_.generation);
  if (status == 0) {
    status = lmdb::clear_log(txn);
  }
  if (status == 0) {
    status = lmdb::append_log(txn, step.log_append);
  }
  if (status == 0) {
    status = lmdb::put_meta(txn, format::generation_key, format::encode_generation(next_.generation));
  }
  if (status == 0) {
    status = lmdb::put_meta(txn, format::state_key, step.meta);
  }
  if (status == 0) {
    status = reserve_file(pages_end + pages_of_list);
  }
  if (status == 0) {
    status = next_.txn.commit();
  }
  if (status != 0) {
    return status;
  }
  generation_ = next_.generation;
  const bool large = next_.bytes_in_txn >= large_transaction_bytes || pages_of_list > 64;
  next_ = {};
  return large && !reopen() ? EIO : 0;
}

// ------------------------------------------------------------------------------------------------------------ space

int lmdb_store::admit(const replication::commit& step, std::uint64_t pages_wanted, bool& on_reserve) {
  const std::uint64_t reached = env_.pages_reached();
  if (reached + pages_wanted + pages_reserved_ <= pages_limit_) {
    return 0;
  }
  env_.forget_dead_readers();
  std::uint64_t available = 0;
  if (const int status = count_free_pages(available); status != 0) {
    return status;
  }
  available += pages_limit_ - std::min(pages_limit_, reached);
  if (available >= pages_wanted + pages_reserved_) {
    return 0;
  }
  const int status = shrinks(step, on_reserve);
  return status == 0 && !on_reserve ? MDB_MAP_FULL : status;
}

int lmdb_store::make_room_on_disk(const replication::commit& step, std::uint64_t pages_wanted) {
  const int status = reserve_file(env_.pages_reached() + pages_wanted + file_slack_bytes / page_bytes_);
  if (!is_disk_full(status)) {
    return status;
  }
  // Nothing more from the disk. What the file holds may do: for a step that takes nothing in the end, always; for
  // others, when there are enough free pages inside.
  bool shrinking = false;
  if (const int weighed = shrinks(step, shrinking); weighed != 0) {
    return weighed;
  }
  std::uint64_t inside = 0;
  if (const int counted = count_free_pages(inside); counted != 0) {
    return counted;
  }
  return shrinking || inside >= pages_wanted + file_slack_bytes / page_bytes_ ? 0 : status;
}

int lmdb_store::shrinks(const replication::commit& step, bool& out) {
  lmdb::transaction txn;
  lmdb::balance weight;
  int status = env_.begin_read(txn);
  if (status == 0) {
    status = lmdb::weigh(txn.get(), generation_, step.rows, weight);
  }
  out = weight.added <= weight.removed;
  return status;
}

int lmdb_store::count_free_pages(std::uint64_t& out) {
  lmdb::transaction txn;
  const int status = env_.begin_read(txn);
  return status == 0 ? lmdb::environment::count_free_pages(txn.get(), out) : status;
}

bool lmdb_store::grow_map(std::uint64_t pages_end) {
  if (env_.forget_dead_readers() > 0 && pages_end == 0) {
    return true;
  }
  const std::uint64_t now = env_.map_bytes();
  if (pages_end != 0 && pages_end * page_bytes_ <= now) {
    return true;
  }
  const std::uint64_t stepped = now + std::min(now, map_step_max_bytes);
  const std::uint64_t wanted = std::max(stepped, pages_end * page_bytes_);
  const std::uint64_t next = std::min(wanted, pages_limit_ * page_bytes_);
  return next > now && env_.set_map_bytes(next) == 0;
}

int lmdb_store::reserve_file(std::uint64_t pages_end) {
  if (pages_end <= file_pages_) {
    return 0;
  }
  struct stat found {};
  if (::fstat(env_.file(), &found) != 0) {
    return errno;
  }
  const auto length = static_cast<std::uint64_t>(found.st_size);
  file_pages_ = length / page_bytes_;
  if (pages_end <= file_pages_) {
    return 0;
  }
  const std::uint64_t step = std::clamp(length / 8, file_step_min_bytes, file_step_max_bytes) / page_bytes_;
  int status = 0;
  for (const std::uint64_t target : {pages_end + step, pages_end}) {
    status = lengthen_file(env_.file(), length, target * page_bytes_);
    if (status == 0) {
      file_pages_ = target;
      return 0;
    }
    // What a failed attempt took goes back to the disk's other users.
    static_cast<void>(::ftruncate(env_.file(), found.st_size));
  }
  return status;
}

int lmdb_store::judge_failed_write(int status, std::uint64_t pages_wanted) {
  if (status != EIO && !is_disk_full(status)) {
    return status;
  }
  // Before the page that makes a commit current is written, a failure leaves everything as it was. If that page itself
  // failed, LMDB takes no further transaction.
  lmdb::transaction probe;
  if (failed_ || env_.begin_write(probe) != 0) {
    return EIO;
  }
  if (status == EIO && disk_free_bytes() < pages_wanted * page_bytes_) {
    return ENOSPC;
  }
  return status;
}

std::uint64_t lmdb_store::disk_free_bytes() const noexcept {
  struct statvfs disk {};
  if (::fstatvfs(env_.file(), &disk) != 0) {
    return 0;
  }
  return std::uint64_t{disk.f_bavail} * disk.f_frsize;
}

result<void> lmdb_store::refuse(int status) {
  if (lmdb::code_of(status) != errc::storage_full) {
    failed_ = true;
    return fail(errc::io_error, "the database in '{}' has failed: {}", directory_.string(), mdb_strerror(status));
  }
  {
    const std::lock_guard lock{usage_mutex_};
    ++usage_.refused_full;
  }
  if (is_disk_full(status)) {
    return fail(errc::storage_full, "the disk with the database in '{}' is full: {}", directory_.string(),
                mdb_strerror(status));
  }
  return fail(errc::storage_full, "the database in '{}' is full: its map has reached its bound of {} MiB",
              directory_.string(), pages_limit_ * page_bytes_ / mebibyte);
}

void lmdb_store::refresh_usage(std::uint64_t pages_taken) {
  // A map that fills within one interval is to be warned of as well.
  pages_since_look_ += pages_taken;
  const bool look = os::now() >= next_look_ || pages_since_look_ > pages_limit_ / looks_in_a_map;
  if (next_.txn) {
    return;  // The next step that leaves no transaction open tells all.
  }
  std::uint64_t disk_free = 0;
  if (look) {
    next_look_ = os::now() + look_interval;
    pages_since_look_ = 0;
    disk_free = disk_free_bytes();
    static_cast<void>(count_free_pages(free_pages_));
  }
  const std::uint64_t reached = env_.pages_reached();
  struct stat found {};
  storage_usage seen;
  {
    const std::lock_guard lock{usage_mutex_};
    usage_.map_bytes = env_.map_bytes();
    usage_.map_limit_bytes = pages_limit_ * page_bytes_;
    usage_.reserved_bytes = std::min(pages_limit_, pages_reserved_ + pages_of_any_step) * page_bytes_;
    usage_.used_bytes = (reached - std::min(reached, free_pages_)) * page_bytes_;
    if (look) {
      usage_.disk_free_bytes = disk_free;
      usage_.file_bytes = ::fstat(env_.file(), &found) == 0 ? static_cast<std::uint64_t>(found.st_size) : 0;
    }
    seen = usage_;
  }
  if (look) {
    watch_.look(seen);
  }
}

storage_usage lmdb_store::measure() const {
  const std::lock_guard lock{usage_mutex_};
  return usage_;
}

// ------------------------------------------------------------------------------------------------------------- load

result<void> lmdb_store::load(replication::load_visitor& visitor) {
  // LMDB's table handles are not to be looked up in two transactions at a time.
  if (const int status = commit_open_replacement(); status != 0) {
    replacement_lost_ = true;
    return refuse(judge_failed_write(status, next_.pages()));
  }
  if (auto read = read_database(env_, directory_, visitor); !read) {
    return read;
  }
  // What was read is elsewhere now; the mapped pages need not count as ours.
  return env_.pages_reached() * page_bytes_ < large_transaction_bytes ? result<void>{} : reopen();
}

}  // namespace muster::os
