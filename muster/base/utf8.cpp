#include "muster/base/utf8.hpp"

#include <cstdint>

namespace muster {

std::size_t utf8_length(std::string_view text) noexcept {
  const auto at = [&](std::size_t index) -> std::uint8_t {
    return index < text.size() ? static_cast<std::uint8_t>(text[index]) : std::uint8_t{0};
  };
  const auto continues = [&](std::size_t index) { return (at(index) & 0xc0U) == 0x80U; };
  if (text.empty()) return 0;
  const std::uint8_t first = at(0);
  if (first < 0x80) return 1;
  // The second byte's range keeps out what a shorter form could say, surrogates, and what is beyond U+10FFFF.
  if (first >= 0xc2 && first <= 0xdf) return continues(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool fits = first == 0xe0 ? at(1) >= 0xa0 : first == 0xed ? at(1) <= 0x9f : true;
    return fits && continues(1) && continues(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool fits = first == 0xf0 ? at(1) >= 0x90 : first == 0xf4 ? at(1) <= 0x8f : true;
    return fits && continues(1) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

std::size_t utf8_prefix(std::string_view text) noexcept {
  std::size_t good = 0;
  while (const std::size_t size = utf8_length(text.substr(good))) good += size;
  return good;
}

void append_utf8(std::string& to, char32_t character) {
  const auto put = [&](std::uint32_t byte) { to.push_back(static_cast<char>(static_cast<unsigned char>(byte))); };
  const auto value = static_cast<std::uint32_t>(character);
  if (value < 0x80) {
    put(value);
  } else if (value < 0x800) {
    put(0xc0U | (value >> 6U));
    put(0x80U | (value & 0x3fU));
  } else if (value < 0x10000) {
    put(0xe0U | (value >> 12U));
    put(0x80U | ((value >> 6U) & 0x3fU));
    put(0x80U | (value & 0x3fU));
  } else {
    put(0xf0U | (value >> 18U));
    put(0x80U | ((value >> 12U) & 0x3fU));
    put(0x80U | ((value >> 6U) & 0x3fU));
    put(0x80U | (value & 0x3fU));
  }
}

}  // namespace muster
