#include "muster/os/data_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include "muster/os/database_file.hpp"

namespace muster::os {
namespace {

constexpr mode_t lock_mode = 0640;
constexpr const char* lock_name = "muster.lock";

/// The owner's process id as it stands in the lock file; "another process" before it has written it.
std::string owner_in(int fd) {
  std::array<char, 32> text{};
  const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
  std::string_view line{text.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
  line = line.substr(0, line.find('\n'));
  const bool is_number = !line.empty() && line.find_first_not_of("0123456789") == std::string_view::npos;
  return is_number ? fmt::format("process {}", line) : "another process";
}

/// What the operator can put right is his input; the rest is the storage's failure.
tl::unexpected<error> failure_to(const std::string& what, int errno_value) {
  switch (errno_value) {
    case EACCES:
    case EPERM:
    case EROFS:
    case ENOTDIR:
    case ENOENT:
    case ENAMETOOLONG:
    case ELOOP: return fail(errc::invalid_argument, "cannot {}: {}", what, system_message(errno_value));
    default: return storage_failure(errno_value, "cannot " + what);
  }
}

result<file_descriptor> lock(const std::filesystem::path& directory) {
  const std::filesystem::path name = directory / lock_name;
  file_descriptor fd{::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, lock_mode)};
  if (!fd) {
    return failure_to(fmt::format("write in the database directory '{}'", directory.string()), errno);
  }
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      return fail(errc::locked, "the database directory '{}' is in use by {}: one directory serves one replica",
                  directory.string(), owner_in(fd.get()));
    }
    return fail(errc::io_error, "cannot lock '{}': {}", name.string(), system_message(errno));
  }
  // For people only; the lock is the kernel's.
  const std::string owner = fmt::format("{}\n", ::getpid());
  if (::ftruncate(fd.get(), 0) != 0 || ::pwrite(fd.get(), owner.data(), owner.size(), 0) < 0) {
    return storage_failure(errno, fmt::format("cannot write '{}'", name.string()));
  }
  return fd;
}

/// Makes the directory where only its last part is missing. Says whether it was there before.
result<bool> make_directory(const std::filesystem::path& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0) {
    if (!S_ISDIR(found.st_mode)) {
      return fail(errc::invalid_argument, "'{}' is a file, where the database directory is to be", path.string());
    }
    return true;
  }
  if (errno != ENOENT) {
    return failure_to(fmt::format("look at the database directory '{}'", path.string()), errno);
  }
  const std::filesystem::path parent = path.has_parent_path() ? path.parent_path() : std::filesystem::path{"."};
  if (::mkdir(path.c_str(), directory_mode) != 0) {
    if (errno == ENOENT) {
      return fail(errc::invalid_argument,
                  "cannot make the database directory '{}': its parent '{}' does not exist, make that first",
                  path.string(), parent.string());
    }
    return failure_to(fmt::format("make the database directory '{}'", path.string()), errno);
  }
  if (auto synced = sync_directory(parent); !synced) {
    return fail(std::move(synced).error());
  }
  return false;
}

result<void> refuse_what_is_not_ours(const std::filesystem::path& path) {
  auto probe = probe_database(path);
  if (!probe) {
    return fail(std::move(probe).error());
  }
  if (probe->kind != database_kind::none && probe->kind != database_kind::muster) {
    return fail(errc::incompatible, "{}", probe->sentence);
  }
  return {};
}

}  // namespace

result<data_directory> data_directory::take(const std::filesystem::path& given) {
  // "db/" is "db".
  const std::filesystem::path path = given.has_filename() ? given : given.parent_path();
  if (path.empty()) {
    return fail(errc::invalid_argument, "the database directory has no name");
  }
  auto was_there = make_directory(path);
  if (!was_there) {
    return fail(std::move(was_there).error());
  }
  // In a directory that is not ours no lock file is made; in one that is, nobody looks at the database while its owner
  // writes to it.
  const bool is_ours = *was_there && ::access((path / lock_name).c_str(), F_OK) == 0;
  if (*was_there && !is_ours) {
    if (auto fit = refuse_what_is_not_ours(path); !fit) {
      return fail(std::move(fit).error());
    }
  }
  auto locked = lock(path);
  if (!locked) {
    return fail(std::move(locked).error());
  }
  if (is_ours) {
    if (auto fit = refuse_what_is_not_ours(path); !fit) {
      return fail(std::move(fit).error());
    }
  }
  return data_directory{path, std::move(*locked)};
}

}  // namespace muster::os
