#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>

#include "muster/base/result.hpp"

namespace muster::os {

/// Users and the hashes of their passwords, in the format of Ice's crypt password files: a line `user hash` each, the
/// hash as crypt(5) has it (what `icehashpassword` or `mkpasswd` print). Blank lines and lines that start with # are
/// passed over. Immutable once loaded; any thread may check.
class crypt_password_file {
 public:
  static constexpr std::size_t file_bytes_max = 16U << 20U;

  /// `not_found` or `io_error` when the file cannot be read, `invalid_argument` with the line's number when it is not
  /// in this format or names a user twice.
  [[nodiscard]] static result<crypt_password_file> load(const std::filesystem::path& file);
  [[nodiscard]] static result<crypt_password_file> parse(std::string_view text, std::string_view name_in_messages);

  /// Takes as long as the hash is made to take (milliseconds to a second), also for a user who is not there. Never call
  /// it on a thread that others wait for; see `crypt_password_worker`.
  [[nodiscard]] bool accepts(std::string_view user, std::string_view password) const;

  [[nodiscard]] std::size_t user_count() const noexcept { return hashes_.size(); }

 private:
  std::unordered_map<std::string, std::string> hashes_;
};

}  // namespace muster::os
