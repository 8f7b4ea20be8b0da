#include "muster/base/uuid.hpp"

#include <cstddef>
#include <optional>

namespace muster {
namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

// Where the usual form has a dash instead of a digit.
constexpr bool is_dash_place(std::size_t place) { return place == 8 || place == 13 || place == 18 || place == 23; }

std::optional<unsigned> hex_value(char digit) {
  if (digit >= '0' && digit <= '9') return static_cast<unsigned>(digit - '0');
  if (digit >= 'a' && digit <= 'f') return static_cast<unsigned>(digit - 'a') + 10U;
  if (digit >= 'A' && digit <= 'F') return static_cast<unsigned>(digit - 'A') + 10U;
  return std::nullopt;
}

}  // namespace

uuid uuid::random(prng& source) noexcept {
  std::array<std::uint8_t, 16> value{};
  for (std::size_t half = 0; half < 2; ++half) {
    std::uint64_t word = source();
    for (std::size_t octet = 0; octet < 8; ++octet) {
      value[half * 8 + octet] = static_cast<std::uint8_t>(word & 0xffU);
      word >>= 8U;
    }
  }
  value[6] = static_cast<std::uint8_t>((value[6] & 0x0fU) | 0x40U);
  value[8] = static_cast<std::uint8_t>((value[8] & 0x3fU) | 0x80U);
  return uuid{value};
}

result<uuid> uuid::parse(std::string_view text) {
  const auto refuse = [&] {
    return fail(errc::invalid_argument, "'{}' is not a UUID such as 01234567-89ab-4cde-8f01-23456789abcd", text);
  };
  if (text.size() != 36) return refuse();
  std::array<std::uint8_t, 16> value{};
  std::size_t digit_count = 0;
  for (std::size_t place = 0; place < text.size(); ++place) {
    if (is_dash_place(place)) {
      if (text[place] != '-') return refuse();
      continue;
    }
    const auto digit = hex_value(text[place]);
    if (!digit) return refuse();
    auto& octet = value[digit_count / 2];
    octet = static_cast<std::uint8_t>((static_cast<unsigned>(octet) << 4U) | *digit);
    ++digit_count;
  }
  return uuid{value};
}

std::string uuid::str() const {
  std::string text;
  text.reserve(36);
  for (const auto octet : value_) {
    if (is_dash_place(text.size())) text.push_back('-');
    text.push_back(hex_digits[octet >> 4U]);
    text.push_back(hex_digits[octet & 0x0fU]);
  }
  return text;
}

}  // namespace muster
