#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "muster/base/instant.hpp"

namespace muster {

/// Reads a duration as HOCON writes it: a number of decimal digits, perhaps with a fraction, then a unit, with or
/// without blanks between them: `500ms`, `1.5 s`, `2 minutes`. A number alone is in milliseconds. Nothing when it is
/// not one, is negative, or is above 106,751 days.
[[nodiscard]] std::optional<duration> parse_duration(std::string_view text);

/// `s`, `seconds` and the like stand for a unit of time.
[[nodiscard]] bool is_duration_unit(std::string_view word) noexcept;

/// In the greatest unit that gives a whole number: `1500ms`, `2s`, `1h`.
[[nodiscard]] std::string to_duration_text(duration value);

}  // namespace muster
