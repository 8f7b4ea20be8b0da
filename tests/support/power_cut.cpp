// A library to be preloaded (LD_PRELOAD) that makes a disk which can lose its power, be full or fail, for the files of
// one directory and the program that writes them. It needs no privileges. The program sees its files as always; what
// would survive a cut is kept beside, and written down at the cut.
//
// Environment:
//   POWER_CUT_DIR      the directory; files directly in it are watched (required)
//   POWER_CUT_SHADOW   where to write what survives, at the cut or when the program ends (required)
//   POWER_CUT_AT       cut before the n-th write, sync or change of a name; the process gets SIGKILL
//   POWER_CUT_TRIGGER  a path: cut at the next event after it exists
//   POWER_CUT_SEED     not 0: part of what was not synced survives too, by chance
//   POWER_CUT_COUNT    a path: the number of events is written there when the program ends
//   POWER_CUT_SPACE    a path to a file with a number: the watched files may take so many bytes (ENOSPC, short writes)
//   POWER_CUT_NO_FALLOCATE  the file system cannot reserve space
//   POWER_CUT_SPARSE   reserving space reports success and reserves none, as on some file systems
//   POWER_CUT_LIES     syncs do nothing and report success (to show that a test would notice)
//   POWER_CUT_FAIL_AT  the n-th event fails with EIO

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "tests/support/durable_shadow.hpp"

namespace muster::tests {
namespace {

std::string text_of(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? std::string{} : std::string{value};
}

std::uint64_t number_of(const char* variable) {
  const std::string text = text_of(variable);
  return text.empty() ? 0 : std::strtoull(text.c_str(), nullptr, 10);
}

/// A number in a file, by system calls of our own.
std::optional<std::uint64_t> number_in(const std::string& path) {
  const long fd = path.empty() ? -1 : ::syscall(SYS_openat, AT_FDCWD, path.c_str(), O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) {
    return std::nullopt;
  }
  std::array<char, 32> text{};
  ::syscall(SYS_read, fd, text.data(), text.size() - 1);
  ::syscall(SYS_close, fd);
  return std::strtoull(text.data(), nullptr, 10);
}

struct open_file {
  std::shared_ptr<shadow_file> file;  ///< null: the directory itself
  bool durable_writes = false;
  bool appends = false;
};

class disk {
 public:
  disk()
      : names_{text_of("POWER_CUT_DIR")},
        shadow_{text_of("POWER_CUT_SHADOW")},
        trigger_{text_of("POWER_CUT_TRIGGER")},
        count_{text_of("POWER_CUT_COUNT")},
        space_{text_of("POWER_CUT_SPACE")},
        cut_at_{number_of("POWER_CUT_AT")},
        fail_at_{number_of("POWER_CUT_FAIL_AT")},
        seed_{number_of("POWER_CUT_SEED")},
        can_reserve_{std::getenv("POWER_CUT_NO_FALLOCATE") == nullptr},
        sparse_{std::getenv("POWER_CUT_SPARSE") != nullptr},
        lies_{std::getenv("POWER_CUT_LIES") != nullptr} {}
  disk(const disk&) = delete;
  disk& operator=(const disk&) = delete;

  void end() {
    const std::lock_guard lock{mutex};
    if (!is_active()) {
      return;
    }
    names_.write_after_cut(shadow_, seed_);
    if (!count_.empty()) {
      const std::string text = std::to_string(events_);
      const long fd = ::syscall(SYS_openat, AT_FDCWD, count_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
      ::syscall(SYS_write, fd, text.data(), text.size());
      ::syscall(SYS_close, fd);
    }
  }

  [[nodiscard]] bool is_active() const noexcept { return !names_.path().empty() && !shadow_.empty(); }

  /// The name below the watched directory, or nothing.
  [[nodiscard]] std::optional<std::string> name_of(const char* path) const {
    if (!is_active() || path == nullptr) {
      return std::nullopt;
    }
    const std::string text = path;
    const std::size_t slash = text.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : text.substr(0, slash);
    std::array<char, PATH_MAX> resolved{};
    if (::realpath(folder.empty() ? "/" : folder.c_str(), resolved.data()) == nullptr ||
        names_.path() != resolved.data()) {
      return std::nullopt;
    }
    return text.substr(slash == std::string::npos ? 0 : slash + 1);
  }

  [[nodiscard]] bool is_directory_itself(const char* path) const {
    std::array<char, PATH_MAX> resolved{};
    return is_active() && path != nullptr && ::realpath(path, resolved.data()) != nullptr &&
           names_.path() == resolved.data();
  }

  /// Counts an event, and cuts where it is time. True: the event shall fail.
  [[nodiscard]] bool event() {
    if (is_time_to_cut()) {
      names_.write_after_cut(shadow_, seed_);
      ::syscall(SYS_kill, ::syscall(SYS_getpid), SIGKILL);
    }
    if (++events_ == fail_at_) {
      errno = EIO;
      return true;
    }
    return false;
  }

  [[nodiscard]] bool is_time_to_cut() const {
    return events_ + 1 == cut_at_ || (!trigger_.empty() && ::syscall(SYS_access, trigger_.c_str(), F_OK) == 0);
  }

  /// Blocks that may still be taken.
  [[nodiscard]] std::uint64_t free_blocks() const {
    const auto space = number_in(space_);
    const std::uint64_t limit = space ? *space / shadow_file::block_bytes : UINT64_MAX;
    return limit - std::min(limit, names_.blocks());
  }
  [[nodiscard]] bool is_limited() const { return number_in(space_).has_value(); }
  [[nodiscard]] bool can_reserve() const noexcept { return can_reserve_; }
  [[nodiscard]] bool is_sparse() const noexcept { return sparse_; }
  [[nodiscard]] bool lies() const noexcept { return lies_; }

  /// How much of a write fits.
  [[nodiscard]] std::uint64_t room(const shadow_file& file, std::uint64_t offset, std::uint64_t length) const {
    const std::uint64_t blocks = free_blocks();
    std::uint64_t fits = length;
    while (fits > 0 && file.new_blocks(offset, fits) > blocks) {
      fits -= std::min(fits, (offset + fits - 1) % shadow_file::block_bytes + 1);
    }
    return fits;
  }

  shadow_directory& names() noexcept { return names_; }

  std::mutex mutex;
  std::unordered_map<int, open_file> files;

 private:
  shadow_directory names_;
  std::string shadow_;
  std::string trigger_;
  std::string count_;
  std::string space_;
  std::uint64_t cut_at_;
  std::uint64_t fail_at_;
  std::uint64_t seed_;
  bool can_reserve_;
  bool sparse_;
  bool lies_;
  std::uint64_t events_ = 0;
};

/// Never destroyed: files are closed until the very end.
disk& the_disk() {
  static disk& made = *new disk;
  return made;
}

/// Reads the directory as it was before the program did anything.
[[gnu::constructor]] void begin() { the_disk(); }
[[gnu::destructor]] void end() { the_disk().end(); }

open_file* find(disk& on, int fd) {
  const auto place = on.files.find(fd);
  return place == on.files.end() ? nullptr : &place->second;
}

int open_path(int folder, const char* path, int flags, unsigned mode) {
  disk& on = the_disk();
  const std::lock_guard lock{on.mutex};
  const bool from_here = folder == AT_FDCWD || (path != nullptr && path[0] == '/');
  if (from_here && on.is_directory_itself(path)) {
    const auto fd = static_cast<int>(::syscall(SYS_openat, folder, path, flags, mode));
    if (fd >= 0) {
      on.files[fd] = {};
    }
    return fd;
  }
  const auto name = from_here ? on.name_of(path) : std::nullopt;
  if (!name) {
    return static_cast<int>(::syscall(SYS_openat, folder, path, flags, mode));
  }
  auto file = on.names().find(*name);
  const bool makes = !file && (flags & O_CREAT) != 0;
  const bool empties = file && (flags & O_TRUNC) != 0;
  if ((makes || empties) && on.event()) {
    return -1;
  }
  const auto fd = static_cast<int>(::syscall(SYS_openat, folder, path, flags & ~(O_SYNC | O_DSYNC), mode));
  struct stat found {};
  if (fd < 0 || ::fstat(fd, &found) != 0 || !S_ISREG(found.st_mode)) {
    return fd;
  }
  if (!file) {
    file = on.names().create(*name);
  }
  if (empties) {
    file->truncate(0);
  }
  on.files[fd] = {file, (flags & (O_SYNC | O_DSYNC)) != 0, (flags & O_APPEND) != 0};
  return fd;
}

/// A write to a watched file at an offset; nothing when the file is not watched.
std::optional<ssize_t> watched_write(int fd, const void* content, std::size_t length, std::optional<off_t> offset) {
  disk& on = the_disk();
  const std::lock_guard lock{on.mutex};
  open_file* const file = find(on, fd);
  if (file == nullptr || !file->file) {
    return std::nullopt;
  }
  const auto bytes = static_cast<const std::uint8_t*>(content);
  std::uint64_t at = 0;
  if (offset && !file->appends) {
    at = static_cast<std::uint64_t>(*offset);
  } else {
    at = static_cast<std::uint64_t>(::syscall(SYS_lseek, fd, 0, file->appends ? SEEK_END : SEEK_CUR));
  }
  if (on.is_time_to_cut()) {
    // The cut comes in the middle of this write: it is one of those that may have arrived in part.
    file->file->write(at, {bytes, length});
  }
  if (on.event()) {
    return -1;
  }
  const std::uint64_t fits = on.room(*file->file, at, length);
  if (fits == 0 && length != 0) {
    errno = ENOSPC;
    return -1;
  }
  const ssize_t written =
      offset ? ::syscall(SYS_pwrite64, fd, content, fits, *offset) : ::syscall(SYS_write, fd, content, fits);
  if (written > 0) {
    const std::span kept{bytes, static_cast<std::size_t>(written)};
    if (file->durable_writes) {
      file->file->write_durably(at, kept);
    } else {
      file->file->write(at, kept);
    }
  }
  return written;
}

std::optional<ssize_t> watched_vector(int fd, const iovec* parts, int count, std::optional<off_t> offset) {
  {
    disk& on = the_disk();
    const std::lock_guard lock{on.mutex};
    if (const open_file* const file = find(on, fd); file == nullptr || !file->file) {
      return std::nullopt;
    }
  }
  std::string whole;
  for (int i = 0; i < count; ++i) {
    whole.append(static_cast<const char*>(parts[i].iov_base), parts[i].iov_len);
  }
  return watched_write(fd, whole.data(), whole.size(), offset);
}

std::optional<int> watched_sync(int fd) {
  disk& on = the_disk();
  const std::lock_guard lock{on.mutex};
  open_file* const file = find(on, fd);
  if (file == nullptr) {
    return std::nullopt;
  }
  if (on.event()) {
    return -1;
  }
  if (on.lies()) {
    return 0;
  }
  if (file->file) {
    file->file->sync();
  } else {
    on.names().sync();
  }
  return 0;
}

std::optional<int> watched_truncate(int fd, off_t length) {
  disk& on = the_disk();
  const std::lock_guard lock{on.mutex};
  open_file* const file = find(on, fd);
  if (file == nullptr || !file->file) {
    return std::nullopt;
  }
  if (on.event()) {
    return -1;
  }
  const auto done = static_cast<int>(::syscall(SYS_ftruncate, fd, length));
  if (done == 0) {
    file->file->truncate(static_cast<std::uint64_t>(length));
  }
  return done;
}

std::optional<int> watched_allocate(int fd, off_t offset, off_t length) {
  disk& on = the_disk();
  const std::lock_guard lock{on.mutex};
  open_file* const file = find(on, fd);
  if (file == nullptr || !file->file) {
    return std::nullopt;
  }
  if (!on.can_reserve()) {
    errno = EOPNOTSUPP;
    return -1;
  }
  if (on.event()) {
    return -1;
  }
  const auto from = static_cast<std::uint64_t>(offset);
  const auto size = static_cast<std::uint64_t>(length);
  if (!on.is_sparse() && on.room(*file->file, from, size) < size) {
    errno = ENOSPC;
    return -1;
  }
  struct stat found {};
  if (::fstat(fd, &found) == 0 && found.st_size < offset + length &&
      ::syscall(SYS_ftruncate, fd, offset + length) != 0) {
    return -1;
  }
  file->file->allocate(from + size, !on.is_sparse());
  return 0;
}

std::optional<int> watched_rename(const char* from, const char* to) {
  disk& on = the_disk();
  const std::lock_guard lock{on.mutex};
  const auto old_name = on.name_of(from);
  const auto new_name = on.name_of(to);
  if (!old_name || !new_name || !on.names().find(*old_name)) {
    return std::nullopt;
  }
  if (on.event()) {
    return -1;
  }
  const auto done = static_cast<int>(::syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to));
  if (done == 0) {
    on.names().rename(*old_name, *new_name);
  }
  return done;
}

std::optional<int> watched_unlink(const char* path) {
  disk& on = the_disk();
  const std::lock_guard lock{on.mutex};
  const auto name = on.name_of(path);
  if (!name || !on.names().find(*name)) {
    return std::nullopt;
  }
  if (on.event()) {
    return -1;
  }
  const auto done = static_cast<int>(::syscall(SYS_unlinkat, AT_FDCWD, path, 0));
  if (done == 0) {
    on.names().remove(*name);
  }
  return done;
}

template <typename Stat>
void limit_free_space(int fd, Stat* out) {
  disk& on = the_disk();
  const std::lock_guard lock{on.mutex};
  if (find(on, fd) != nullptr && on.is_limited()) {
    const std::uint64_t free = on.free_blocks() * shadow_file::block_bytes / out->f_frsize;
    out->f_bavail = std::min<std::uint64_t>(out->f_bavail, free);
    out->f_bfree = std::min<std::uint64_t>(out->f_bfree, free);
  }
}

/// The mode is an argument only where a file may be made.
unsigned mode_of(int flags, va_list more) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(more, unsigned) : 0U;
}

}  // namespace
}  // namespace muster::tests

// ------------------------------------------------------------------------------------------- the interposed functions

using namespace muster::tests;  // NOLINT(google-build-using-namespace): these are C names of the whole process

extern "C" {

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const unsigned mode = mode_of(flags, more);
  va_end(more);
  return open_path(AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const unsigned mode = mode_of(flags, more);
  va_end(more);
  return open_path(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const unsigned mode = mode_of(flags, more);
  va_end(more);
  return open_path(folder, path, flags, mode);
}

int close(int fd) {
  {
    disk& on = the_disk();
    const std::lock_guard lock{on.mutex};
    on.files.erase(fd);
  }
  return static_cast<int>(::syscall(SYS_close, fd));
}

ssize_t write(int fd, const void* content, size_t length) {
  const auto done = watched_write(fd, content, length, std::nullopt);
  return done ? *done : ::syscall(SYS_write, fd, content, length);
}

ssize_t pwrite(int fd, const void* content, size_t length, off_t offset) {
  const auto done = watched_write(fd, content, length, offset);
  return done ? *done : ::syscall(SYS_pwrite64, fd, content, length, offset);
}

ssize_t pwrite64(int fd, const void* content, size_t length, off64_t offset) {
  return ::pwrite(fd, content, length, offset);
}

ssize_t writev(int fd, const iovec* parts, int count) {
  const auto done = watched_vector(fd, parts, count, std::nullopt);
  return done ? *done : ::syscall(SYS_writev, fd, parts, count);
}

ssize_t pwritev(int fd, const iovec* parts, int count, off_t offset) {
  const auto done = watched_vector(fd, parts, count, offset);
  return done ? *done : ::syscall(SYS_pwritev, fd, parts, count, offset, 0);
}

ssize_t pwritev64(int fd, const iovec* parts, int count, off64_t offset) { return ::pwritev(fd, parts, count, offset); }

int fsync(int fd) {
  const auto done = watched_sync(fd);
  return done ? *done : static_cast<int>(::syscall(SYS_fsync, fd));
}

int fdatasync(int fd) {
  const auto done = watched_sync(fd);
  return done ? *done : static_cast<int>(::syscall(SYS_fdatasync, fd));
}

int ftruncate(int fd, off_t length) noexcept {
  const auto done = watched_truncate(fd, length);
  return done ? *done : static_cast<int>(::syscall(SYS_ftruncate, fd, length));
}

int ftruncate64(int fd, off64_t length) noexcept { return ::ftruncate(fd, length); }

int fallocate(int fd, int mode, off_t offset, off_t length) {
  const auto done = mode == 0 ? watched_allocate(fd, offset, length) : std::nullopt;
  return done ? *done : static_cast<int>(::syscall(SYS_fallocate, fd, mode, offset, length));
}

int fallocate64(int fd, int mode, off64_t offset, off64_t length) { return ::fallocate(fd, mode, offset, length); }

int rename(const char* from, const char* to) noexcept {
  const auto done = watched_rename(from, to);
  return done ? *done : static_cast<int>(::syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to));
}

int unlink(const char* path) noexcept {
  const auto done = watched_unlink(path);
  return done ? *done : static_cast<int>(::syscall(SYS_unlinkat, AT_FDCWD, path, 0));
}

int fstatvfs(int fd, struct statvfs* out) noexcept {
  // glibc makes one from the other as well, and has no system call of that name.
  struct stat found {};
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/self/fd/%d", fd);
  const int done = ::fstat(fd, &found) == 0 ? ::statvfs(path.data(), out) : -1;
  if (done == 0) {
    limit_free_space(fd, out);
  }
  return done;
}

}  // extern "C"
