#include "muster/config/hocon_string.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "muster/base/utf8.hpp"

namespace muster::config {
namespace {

constexpr std::string_view escapes = R"(\" \\ \/ \b \f \n \r \t and \u with four hexadecimal digits)";

/// Four hexadecimal digits.
std::optional<std::uint32_t> read_code_unit(text_cursor& at) {
  std::uint32_t value = 0;
  for (int count = 0; count < 4; ++count) {
    const char digit = at.peek();
    const int worth = digit >= '0' && digit <= '9'   ? digit - '0'
                      : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
                      : digit >= 'A' && digit <= 'F' ? digit - 'A' + 10
                                                     : -1;
    if (worth < 0) return std::nullopt;
    value = value * 16 + static_cast<std::uint32_t>(worth);
    at.pass();
  }
  return value;
}

bool is_high_surrogate(std::uint32_t unit) { return unit >= 0xd800 && unit <= 0xdbff; }
bool is_low_surrogate(std::uint32_t unit) { return unit >= 0xdc00 && unit <= 0xdfff; }

/// What follows `\u`; a character beyond U+FFFF is written as two of them.
std::optional<char32_t> read_character(text_cursor& at) {
  const auto first = read_code_unit(at);
  if (!first || *first == 0 || is_low_surrogate(*first)) return std::nullopt;
  if (!is_high_surrogate(*first)) return static_cast<char32_t>(*first);
  if (!at.comes("\\u")) return std::nullopt;
  at.pass(2);
  const auto second = read_code_unit(at);
  if (!second || !is_low_surrogate(*second)) return std::nullopt;
  return static_cast<char32_t>(0x10000 + ((*first - 0xd800) << 10U) + (*second - 0xdc00));
}

std::optional<char> simple_escape(char letter) {
  switch (letter) {
    case '"':
    case '\\':
    case '/': return letter;
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return std::nullopt;
  }
}

}  // namespace

tl::expected<void, text_refusal> read_hocon_string(text_cursor& at, std::string& into) {
  const auto refuse = [](text_place where, std::string sentence) {
    return tl::unexpected<text_refusal>{text_refusal{where, std::move(sentence)}};
  };
  const text_place opened = at.place();
  if (at.comes("\"\"\"")) {
    return refuse(opened, "texts in triple quotes are not supported; write one line in double quotes, with \\n in it");
  }
  at.pass();
  while (true) {
    const char next = at.peek();
    if (at.at_end() || next == '\n' || next == '\r') {
      return refuse(opened, "this text is not closed; the second quote has to stand on the same line");
    }
    if (next == '"') {
      at.pass();
      return {};
    }
    const text_place where = at.place();
    if (static_cast<unsigned char>(next) < 0x20) {
      return refuse(where, fmt::format("the control character U+{:04X} stands in a text; write it as an escape: {}",
                                       static_cast<unsigned char>(next), escapes));
    }
    if (next != '\\') {
      const std::size_t size = utf8_length(at.rest());
      into += at.rest().substr(0, size);
      at.pass(size);
      continue;
    }
    at.pass();
    if (at.peek() == 'u') {
      at.pass();
      const auto character = read_character(at);
      if (!character) {
        return refuse(where,
                      "this escape is no character; allowed is \\u with four hexadecimal digits, not 0000, and two "
                      "of them for a character beyond U+FFFF");
      }
      append_utf8(into, *character);
      continue;
    }
    const auto plain = simple_escape(at.peek());
    if (!plain) return refuse(where, fmt::format("this escape is not known; allowed are {}", escapes));
    into.push_back(*plain);
    at.pass();
  }
}

}  // namespace muster::config
