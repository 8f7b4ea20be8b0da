// Configuration files.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "muster/base/invariant.hpp"
#include "muster/config/hocon.hpp"

namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char one : text) {
    const auto byte = static_cast<unsigned char>(one);
    if (byte < 0x20) {
      out += fmt::format("\\u{:04x}", byte);
    } else {
      if (one == '"' || one == '\\') out += '\\';
      out += one;
    }
  }
  return out + '"';
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const muster::config::hocon_bounds bounds{.text_bytes_max = std::size_t{16} * 1024 * 1024};
  const auto values = muster::config::read_hocon(text, "input", bounds);
  if (!values) {
    MUSTER_INVARIANT(values.error().message.starts_with("input"), "a refusal says where");
    return 0;
  }
  // As JSON they are the same values. A name in quotes holds its dots.
  std::string json = "{";
  for (const auto& [name, value] : *values) json += quoted(name) + ": " + quoted(value) + ",\n";
  const auto again = muster::config::read_hocon(json + "}", "output", bounds);
  MUSTER_INVARIANT(again && *again == *values, "what was read can be written and read again");
  return 0;
}
