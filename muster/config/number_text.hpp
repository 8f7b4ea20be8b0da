#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace muster::config {

/// A whole number in decimal and nothing else; a leading '+' is allowed as in Ice.
[[nodiscard]] inline std::optional<std::int64_t> parse_integer(std::string_view text) {
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace muster::config
