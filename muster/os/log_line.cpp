#include "muster/os/log_line.hpp"

#include <algorithm>
#include <string_view>

namespace muster::os {
namespace {

constexpr std::size_t value_bytes_max = 4096;

bool is_control(unsigned char c) { return c < 0x20U || c == 0x7fU; }

bool needs_quotes(std::string_view value) {
  return value.empty() || std::any_of(value.begin(), value.end(), [](char c) {
           return c == ' ' || c == '"' || c == '=' || c == '\\' || is_control(static_cast<unsigned char>(c));
         });
}

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  if (is_control(static_cast<unsigned char>(c))) {
    out += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  } else {
    out += c;
  }
}

/// Not in the middle of a UTF-8 sequence.
std::string_view cut(std::string_view value) {
  std::size_t length = value_bytes_max;
  while (length > 0 && (static_cast<unsigned char>(value[length]) & 0xc0U) == 0x80U) --length;
  return value.substr(0, length);
}

void append_value(std::string& out, std::string_view value) {
  const bool is_long = value.size() > value_bytes_max;
  const std::string_view shown = is_long ? cut(value) : value;
  if (!is_long && !needs_quotes(shown)) {
    out += shown;
    return;
  }
  out += '"';
  for (const char c : shown) append_escaped(out, c);
  if (is_long) out += fmt::format("… ({} bytes)", value.size());
  out += '"';
}

}  // namespace

std::string to_log_line(const event& what) {
  std::string out = "event=";
  append_value(out, what.name);
  for (const event::field& one : what.fields) {
    out += ' ';
    out += one.key;
    out += '=';
    append_value(out, one.value);
  }
  return out;
}

}  // namespace muster::os
