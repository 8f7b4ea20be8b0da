#include "muster/os/crypt_password_file.hpp"

#include <crypt.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "muster/os/file.hpp"

namespace muster::os {
namespace {

/// A hash that no password has, at the cost of crypt's SHA-512: what an unknown user is checked against when the file
/// has nobody in it to borrow from.
constexpr const char* nobodys_hash = "$6$muster$";

std::vector<std::string_view> split_at_blanks(std::string_view line) {
  constexpr std::string_view blanks = " \t\r";
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(blanks); at != std::string_view::npos;
       at = line.find_first_not_of(blanks, at)) {
    const std::size_t end = std::min(line.find_first_of(blanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

/// In a time that does not depend on where they differ.
bool are_equal(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0U : 1U;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    difference |= static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
  }
  return difference == 0;
}

}  // namespace

result<crypt_password_file> crypt_password_file::load(const std::filesystem::path& file) {
  const auto content = read_file(file, file_bytes_max);
  if (!content) {
    return fail(content.error().code, "{}; allowed is a file with a line 'user hash' for each user",
                content.error().message);
  }
  return parse({reinterpret_cast<const char*>(content->data()), content->size()}, file.string());
}

result<crypt_password_file> crypt_password_file::parse(std::string_view text, std::string_view name_in_messages) {
  crypt_password_file out;
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto words = split_at_blanks(line);
    if (words.empty() || words.front().front() == '#') continue;
    if (words.size() != 2) {
      return fail(errc::invalid_argument, "{} line {}: allowed is one user and one hash, separated by a blank",
                  name_in_messages, number);
    }
    if (!out.hashes_.emplace(words[0], words[1]).second) {
      return fail(errc::invalid_argument, "{} line {}: user {} stands in it twice; allowed is one line a user",
                  name_in_messages, number, words[0]);
    }
  }
  return out;
}

bool crypt_password_file::accepts(std::string_view user, std::string_view password) const {
  const auto found = hashes_.find(std::string{user});
  const bool is_known = found != hashes_.end();
  const std::string& hash = is_known ? found->second : hashes_.empty() ? nobodys_hash : hashes_.begin()->second;
  // crypt works on C strings: what stands behind a zero byte would not count.
  if (password.find('\0') != std::string_view::npos) return false;
  const auto scratch = std::make_unique<crypt_data>();
  const char* computed = ::crypt_r(std::string{password}.c_str(), hash.c_str(), scratch.get());
  return computed != nullptr && computed[0] != '*' && are_equal(computed, hash) && is_known;
}

}  // namespace muster::os
