#pragma once

#include <string>

#include <tl/expected.hpp>

#include "muster/config/text_cursor.hpp"

namespace muster::config {

/// Why a text was refused, and where.
struct text_refusal {
  text_place where;
  std::string sentence;
};

/// Reads a text in double quotes, with the escapes of JSON, and appends it; the cursor stands before the first quote,
/// and behind the last one afterwards.
[[nodiscard]] tl::expected<void, text_refusal> read_hocon_string(text_cursor& at, std::string& into);

}  // namespace muster::config
