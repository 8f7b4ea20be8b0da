#pragma once

#include <filesystem>
#include <utility>

#include "muster/base/result.hpp"
#include "muster/os/file.hpp"

namespace muster::os {

/// The directory that holds one replica's database, owned by at most one process.
///
/// What lies in it: `data.mdb` and `lock.mdb` (LMDB's), `muster.lock` (empty but for the owner's process id; the lock
/// itself is the kernel's, flock(2), so that a killed owner leaves nothing to clean up), and saved files such as
/// `diverged-*`.
class data_directory {
 public:
  /// Takes the directory, making it where only its last part is missing. Fails with one sentence:
  /// `invalid_argument` when it cannot be a data directory (missing parent, a file, no permission), `locked` when
  /// another process owns it, `incompatible` when it holds a database of the stock `icegridregistry`. Nothing in it
  /// is changed then.
  [[nodiscard]] static result<data_directory> take(const std::filesystem::path& path);

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] std::filesystem::path database_file() const { return path_ / "data.mdb"; }

 private:
  data_directory(std::filesystem::path path, file_descriptor lock) : path_{std::move(path)}, lock_{std::move(lock)} {}

  std::filesystem::path path_;
  file_descriptor lock_;
};

}  // namespace muster::os
