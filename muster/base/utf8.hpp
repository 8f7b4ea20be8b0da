#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace muster {

/// How many bytes the first character of `text` takes: 1 to 4. 0 where it is not one (RFC 3629: no overlong form, no
/// surrogate, nothing above U+10FFFF) or where there is none.
[[nodiscard]] std::size_t utf8_length(std::string_view text) noexcept;

/// How many bytes from the beginning are whole characters: all of them where the text is UTF-8.
[[nodiscard]] std::size_t utf8_prefix(std::string_view text) noexcept;

/// Appends the character of this number, which must be one.
void append_utf8(std::string& to, char32_t character);

}  // namespace muster
