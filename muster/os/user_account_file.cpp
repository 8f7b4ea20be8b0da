#include "muster/os/user_account_file.hpp"

#include <algorithm>

#include "muster/os/file.hpp"

namespace muster::os {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

}  // namespace

result<user_accounts> load_user_accounts(const std::filesystem::path& file) {
  const auto content = read_file(file, user_account_file_bytes_max);
  if (!content) {
    return fail(content.error().code, "{}; allowed is a file with a line 'account user' for each user",
                content.error().message);
  }
  return parse_user_accounts({reinterpret_cast<const char*>(content->data()), content->size()}, file.string());
}

result<user_accounts> parse_user_accounts(std::string_view text, std::string_view name_in_messages) {
  user_accounts out;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, std::min(end, text.find('#'))));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    const std::size_t gap = line.find_first_of(blanks);
    if (gap == std::string_view::npos) {
      return fail(errc::invalid_argument, "{} line {}: '{}' stands alone; allowed is an account, a blank and a user",
                  name_in_messages, number, line);
    }
    out.insert_or_assign(std::string{trimmed(line.substr(gap))}, std::string{line.substr(0, gap)});
  }
  return out;
}

}  // namespace muster::os
