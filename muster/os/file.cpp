#include "muster/os/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace muster::os {
namespace {

result<void> write_all(int fd, byte_view content, const std::filesystem::path& file) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0) {
      if (errno == EINTR) {
        continue;
      }
      return storage_failure(errno, fmt::format("cannot write '{}'", file.string()));
    }
    content = content.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

/// Syncs what `path` names; `flags` as for open(2).
result<void> sync_path(const std::filesystem::path& path, int flags) {
  const file_descriptor opened{::open(path.c_str(), flags | O_RDONLY | O_CLOEXEC)};
  if (!opened) {
    return storage_failure(errno, fmt::format("cannot open '{}' to sync it", path.string()));
  }
  if (::fsync(opened.get()) != 0) {
    return storage_failure(errno, fmt::format("cannot sync '{}'", path.string()));
  }
  return {};
}

}  // namespace

std::string system_message(int errno_value) { return std::system_category().message(errno_value); }

tl::unexpected<error> storage_failure(int errno_value, std::string what) {
  const bool full = errno_value == ENOSPC || errno_value == EDQUOT;
  return fail(full ? errc::storage_full : errc::io_error, "{}: {}", what, system_message(errno_value));
}

file_descriptor& file_descriptor::operator=(file_descriptor&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0) {
      ::close(fd_);
    }
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

file_descriptor::~file_descriptor() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

result<void> sync_directory(const std::filesystem::path& directory) { return sync_path(directory, O_DIRECTORY); }

result<void> sync_file(const std::filesystem::path& file) { return sync_path(file, 0); }

result<void> save_file(const std::filesystem::path& file, byte_view content) {
  std::filesystem::path temporary = file;
  temporary += ".new";
  const auto give_up = [&temporary](error cause) {
    ::unlink(temporary.c_str());
    return fail(std::move(cause));
  };

  {
    const file_descriptor out{::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, file_mode)};
    if (!out) {
      return storage_failure(errno, fmt::format("cannot make '{}'", temporary.string()));
    }
    if (auto written = write_all(out.get(), content, temporary); !written) {
      return give_up(std::move(written).error());
    }
    if (::fsync(out.get()) != 0) {
      return give_up(storage_failure(errno, fmt::format("cannot sync '{}'", temporary.string())).value());
    }
  }
  if (::rename(temporary.c_str(), file.c_str()) != 0) {
    return give_up(storage_failure(errno, fmt::format("cannot rename a file to '{}'", file.string())).value());
  }
  return sync_directory(file.has_parent_path() ? file.parent_path() : std::filesystem::path{"."});
}

result<bytes> read_file(const std::filesystem::path& file, std::size_t bytes_max) {
  const file_descriptor in{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!in) {
    return fail(errno == ENOENT ? errc::not_found : errc::io_error, "cannot read '{}': {}", file.string(),
                system_message(errno));
  }
  bytes out;
  std::array<std::uint8_t, 65536> part{};
  while (true) {
    const ssize_t got = ::read(in.get(), part.data(), part.size());
    if (got < 0) {
      if (errno == EINTR) {
        continue;
      }
      return fail(errc::io_error, "cannot read '{}': {}", file.string(), system_message(errno));
    }
    if (got == 0) {
      return out;
    }
    if (out.size() + static_cast<std::size_t>(got) > bytes_max) {
      return fail(errc::limit_exceeded, "'{}' is larger than {} bytes", file.string(), bytes_max);
    }
    out.insert(out.end(), part.begin(), part.begin() + got);
  }
}

}  // namespace muster::os
