#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "muster/base/bytes.hpp"

namespace muster::locator {

/// The two versions of the Ice encoding ("Data Encoding" in the Ice manual). A reply is written in the version of its
/// request; what the registry stores is always in 1.1.
enum class encoding : std::uint8_t { v1_0 = 0, v1_1 = 1 };

/// Size, major and minor version: what every encapsulation begins with.
inline constexpr std::size_t encapsulation_header_bytes = 6;

/// The null proxy, in both versions: an identity without a name and a category.
inline constexpr std::uint8_t null_proxy[]{0, 0};

/// Reads basic types of the Ice encoding, which are the same in both versions. As `byte_reader` does, it stays failed
/// after the first read that does not fit, so that a caller reads a whole record and asks once.
class ice_reader {
 public:
  explicit ice_reader(byte_view input) noexcept : rest_{input} {}

  [[nodiscard]] std::uint8_t u8() noexcept {
    const byte_view at = take(1);
    return at.empty() ? std::uint8_t{0} : at[0];
  }
  [[nodiscard]] std::uint16_t u16() noexcept {
    const byte_view at = take(2);
    return at.empty() ? std::uint16_t{0} : static_cast<std::uint16_t>(at[0] | at[1] << 8U);
  }
  [[nodiscard]] std::int32_t i32() noexcept {
    const byte_view at = take(4);
    if (at.empty()) return 0;
    return std::bit_cast<std::int32_t>(std::uint32_t{at[0]} | std::uint32_t{at[1]} << 8U | std::uint32_t{at[2]} << 16U |
                                       std::uint32_t{at[3]} << 24U);
  }
  /// A size: one byte, or 255 and a signed 32-bit integer. A negative one fails.
  [[nodiscard]] std::size_t size() noexcept {
    const std::uint8_t first = u8();
    if (first != 255) return first;
    const std::int32_t wide = i32();
    if (wide < 0) set_failed();
    return wide < 0 ? 0 : static_cast<std::size_t>(wide);
  }
  /// A number of items that each take at least `item_bytes_min`: fails when the rest cannot hold so many.
  [[nodiscard]] std::size_t count(std::size_t item_bytes_min) noexcept {
    const std::size_t items = size();
    if (items > rest_.size() / item_bytes_min) set_failed();
    return failed_ ? 0 : items;
  }
  /// Views into the input.
  [[nodiscard]] std::string_view string() noexcept {
    const byte_view at = take(size());
    return {reinterpret_cast<const char*>(at.data()), at.size()};
  }
  [[nodiscard]] byte_view take(std::size_t wanted) noexcept {
    if (wanted > rest_.size()) {
      set_failed();
      return {};
    }
    const byte_view at = rest_.first(wanted);
    rest_ = rest_.subspan(wanted);
    return at;
  }

  [[nodiscard]] byte_view rest() const noexcept { return rest_; }
  [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }
  [[nodiscard]] bool failed() const noexcept { return failed_; }
  void set_failed() noexcept {
    failed_ = true;
    rest_ = {};
  }

 private:
  byte_view rest_;
  bool failed_{false};
};

/// Writers of the same types, each at the end of `out`.
inline void append(bytes& out, byte_view content) { out.insert(out.end(), content.begin(), content.end()); }

inline void append_i32(bytes& out, std::int32_t value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint8_t raw[]{static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8U),
                           static_cast<std::uint8_t>(bits >> 16U), static_cast<std::uint8_t>(bits >> 24U)};
  append(out, raw);
}

inline void append_size(bytes& out, std::size_t size) {
  if (size < 255) {
    out.push_back(static_cast<std::uint8_t>(size));
    return;
  }
  out.push_back(255);
  append_i32(out, static_cast<std::int32_t>(size));
}

inline void append_string(bytes& out, std::string_view text) {
  append_size(out, text.size());
  append(out, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

/// Begins an encapsulation and gives its place, which `end_encapsulation` takes to fill in the size.
[[nodiscard]] inline std::size_t begin_encapsulation(bytes& out, encoding version) {
  const std::size_t at = out.size();
  const std::uint8_t header[]{0, 0, 0, 0, 1, static_cast<std::uint8_t>(version)};
  append(out, header);
  return at;
}

inline void end_encapsulation(bytes& out, std::size_t at) {
  const auto size = static_cast<std::uint32_t>(out.size() - at);
  for (unsigned i = 0; i < 4; ++i) out[at + i] = static_cast<std::uint8_t>(size >> (8U * i));
}

}  // namespace muster::locator
