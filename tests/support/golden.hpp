#pragma once

#include <gtest/gtest.h>

#include <charconv>
#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "muster/base/bytes.hpp"

namespace muster::tests {

[[nodiscard]] inline std::string as_hex(byte_view content) { return fmt::format("{:02x}", fmt::join(content, " ")); }

/// The file tests/golden/NAME.hex: what messages of one version of a protocol look like, which every later program must
/// go on reading. A line `[name]` begins a message, pairs of hexadecimal digits are its bytes, what follows a # is said
/// to people.
[[nodiscard]] inline std::map<std::string, bytes> golden(const std::string& name) {
  std::map<std::string, bytes> out;
  std::ifstream file{MUSTER_GOLDEN "/" + name + ".hex"};
  EXPECT_TRUE(file) << "tests/golden/" << name << ".hex cannot be read";
  bytes* present = nullptr;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words{line.substr(0, line.find('#'))};
    for (std::string word; words >> word;) {
      if (word.front() == '[') {
        const auto [place, is_new] = out.try_emplace(word.substr(1, word.size() - 2));
        EXPECT_TRUE(is_new) << word << " stands twice in " << name;
        present = &place->second;
        continue;
      }
      std::uint8_t octet = 0;
      const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), octet, 16);
      const bool is_pair = word.size() == 2 && failed == std::errc{} && end == word.data() + word.size();
      EXPECT_TRUE(is_pair && present != nullptr) << name << ": " << word;
      if (is_pair && present != nullptr) present->push_back(octet);
    }
  }
  return out;
}

/// The file holds these messages and no others; each is written so, and read again.
template <typename Message, typename Encode, typename Decode>
void expect_golden(const std::string& name, const std::map<std::string, Message>& all, Encode&& encode,
                   Decode&& decode) {
  const auto file = golden(name);
  EXPECT_EQ(file.size(), all.size()) << "a message of " << name << ".hex is not in the test, or the other way round";
  for (const auto& [kind, what] : all) {
    const auto found = file.find(kind);
    if (found == file.end()) {
      ADD_FAILURE() << name << ".hex has no " << kind << ": " << as_hex(encode(what));
      continue;
    }
    EXPECT_EQ(as_hex(encode(what)), as_hex(found->second)) << kind;
    const auto read = decode(found->second);
    if (read) {
      EXPECT_EQ(*read, what) << kind;
    } else {
      ADD_FAILURE() << kind << ": " << read.error().message;
    }
  }
}

}  // namespace muster::tests
