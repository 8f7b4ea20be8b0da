#include "muster/base/duration_text.hpp"

#include <array>
#include <cstdint>

#include <fmt/format.h>

namespace muster {
namespace {

struct unit {
  std::string_view short_name;
  std::array<std::string_view, 4> names;  ///< the long ones; empty: none
  std::int64_t nanoseconds;
};

// The names are those of HOCON's "duration format".
constexpr auto units = std::to_array<unit>({
    {"d", {"day", "days"}, 86'400'000'000'000},
    {"h", {"hour", "hours"}, 3'600'000'000'000},
    {"m", {"minute", "minutes"}, 60'000'000'000},
    {"s", {"second", "seconds"}, 1'000'000'000},
    {"ms", {"milli", "millis", "millisecond", "milliseconds"}, 1'000'000},
    {"us", {"micro", "micros", "microsecond", "microseconds"}, 1'000},
    {"ns", {"nano", "nanos", "nanosecond", "nanoseconds"}, 1},
});

const unit* find_unit(std::string_view word) noexcept {
  if (word.empty()) return nullptr;
  for (const auto& one : units) {
    if (word == one.short_name) return &one;
    for (const auto name : one.names) {
      if (word == name) return &one;
    }
  }
  return nullptr;
}

bool is_digit(char character) noexcept { return character >= '0' && character <= '9'; }

}  // namespace

bool is_duration_unit(std::string_view word) noexcept { return find_unit(word) != nullptr; }

std::optional<duration> parse_duration(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && is_digit(text[at])) ++at;
  const std::string_view whole = text.substr(0, at);
  std::string_view fraction;
  if (at < text.size() && text[at] == '.') {
    const std::size_t begin = ++at;
    while (at < text.size() && is_digit(text[at])) ++at;
    fraction = text.substr(begin, at - begin);
    if (fraction.empty()) return std::nullopt;
  }
  if (whole.empty()) return std::nullopt;
  std::string_view name = text.substr(at);
  while (name.starts_with(' ') || name.starts_with('\t')) name.remove_prefix(1);
  const unit* in = find_unit(text.substr(at).empty() ? "ms" : name);
  if (in == nullptr) return std::nullopt;

  std::int64_t sum = 0;
  for (const char digit : whole) {
    if (__builtin_mul_overflow(sum, 10, &sum) || __builtin_add_overflow(sum, digit - '0', &sum)) return std::nullopt;
  }
  if (__builtin_mul_overflow(sum, in->nanoseconds, &sum)) return std::nullopt;
  // What is finer than a nanosecond is left out.
  std::int64_t place = in->nanoseconds;
  for (const char digit : fraction) {
    place /= 10;
    if (__builtin_add_overflow(sum, place * (digit - '0'), &sum)) return std::nullopt;
  }
  return duration{sum};
}

std::string to_duration_text(duration value) {
  for (const auto& one : units) {
    if (value.count() != 0 && value.count() % one.nanoseconds == 0) {
      return fmt::format("{}{}", value.count() / one.nanoseconds, one.short_name);
    }
  }
  return "0s";
}

}  // namespace muster
