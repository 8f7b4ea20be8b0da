#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "muster/base/result.hpp"

namespace muster::os {

/// The accounts of users, by user.
using user_accounts = std::map<std::string, std::string, std::less<>>;

inline constexpr std::size_t user_account_file_bytes_max = 16U << 20U;

/// Reads a file in the format of Ice's `IceGrid.Registry.UserAccounts`: a line `account user` each. The user is the
/// rest of the line, blanks and quotes within it included, as the distinguished name of a certificate needs; of two
/// lines for one user the later counts. What follows a # is passed over.
///
/// `not_found` or `io_error` when the file cannot be read, `invalid_argument` with the line's number when it is not in
/// this format.
[[nodiscard]] result<user_accounts> load_user_accounts(const std::filesystem::path& file);
[[nodiscard]] result<user_accounts> parse_user_accounts(std::string_view text, std::string_view name_in_messages);

}  // namespace muster::os
