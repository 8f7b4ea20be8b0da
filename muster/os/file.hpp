#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>

#include <sys/types.h>

#include "muster/base/bytes.hpp"
#include "muster/base/result.hpp"

namespace muster::os {

/// What is made here is for its owner, to be looked at by the group.
inline constexpr mode_t file_mode = 0640;
inline constexpr mode_t directory_mode = 0750;

/// The text of an `errno` value. Any thread.
[[nodiscard]] std::string system_message(int errno_value);

/// `storage_full` where the disk or a quota is full, `io_error` for everything else; the sentence is `what` and the
/// system's message.
[[nodiscard]] tl::unexpected<error> storage_failure(int errno_value, std::string what);

/// An open file, closed once. -1 means none.
class file_descriptor {
 public:
  file_descriptor() noexcept = default;
  explicit file_descriptor(int fd) noexcept : fd_{fd} {}
  file_descriptor(file_descriptor&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}
  file_descriptor& operator=(file_descriptor&& other) noexcept;
  file_descriptor(const file_descriptor&) = delete;
  file_descriptor& operator=(const file_descriptor&) = delete;
  ~file_descriptor();

  [[nodiscard]] int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// Makes the names in a directory durable: a file that was made or renamed survives a power cut only after this.
[[nodiscard]] result<void> sync_directory(const std::filesystem::path& directory);

/// Makes the content and length of a file durable.
[[nodiscard]] result<void> sync_file(const std::filesystem::path& file);

/// Writes a whole file so that after a crash or a power cut at any instant the name shows all of the new content or
/// what was there before: a temporary file beside it is written, synced and renamed, then the directory is synced.
/// On return the file is durable. `storage_full` or `io_error`: the name shows what it showed.
[[nodiscard]] result<void> save_file(const std::filesystem::path& file, byte_view content);

/// The whole content; `not_found`, `limit_exceeded` above `bytes_max`, or `io_error`.
[[nodiscard]] result<bytes> read_file(const std::filesystem::path& file, std::size_t bytes_max);

}  // namespace muster::os
