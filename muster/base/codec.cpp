#include "muster/base/codec.hpp"

#include <algorithm>
#include <array>

namespace muster {

void byte_writer::u64(std::uint64_t value) {
  for (unsigned octet = 0; octet < 8; ++octet)
    out_.push_back(static_cast<std::uint8_t>((value >> (8 * octet)) & 0xffU));
}

void byte_writer::size(std::uint64_t value) {
  while (value >= 0x80U) {
    out_.push_back(static_cast<std::uint8_t>(value | 0x80U));
    value >>= 7U;
  }
  out_.push_back(static_cast<std::uint8_t>(value));
}

void byte_writer::string(std::string_view text) {
  size(text.size());
  out_.insert(out_.end(), text.begin(), text.end());
}

void byte_writer::blob(byte_view content) {
  size(content.size());
  out_.insert(out_.end(), content.begin(), content.end());
}

void byte_writer::id(const uuid& value) {
  const auto& octets = value.octets();
  out_.insert(out_.end(), octets.begin(), octets.end());
}

byte_view byte_reader::take(std::uint64_t wanted) noexcept {
  if (wanted > rest_.size()) {
    set_failed();
    return {};
  }
  const auto taken = rest_.first(static_cast<std::size_t>(wanted));
  rest_ = rest_.subspan(taken.size());
  return taken;
}

std::uint8_t byte_reader::u8() noexcept {
  const auto octet = take(1);
  return octet.empty() ? std::uint8_t{0} : octet.front();
}

std::uint64_t byte_reader::u64() noexcept {
  std::uint64_t value = 0;
  unsigned shift = 0;
  for (const auto octet : take(8)) {
    value |= static_cast<std::uint64_t>(octet) << shift;
    shift += 8;
  }
  return value;
}

std::uint64_t byte_reader::size() noexcept {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const auto octet = u8();
    if (failed_) return 0;
    const std::uint64_t part = octet & 0x7fU;
    if (shift == 63 && part > 1) break;  // the tenth byte has room for one bit only
    value |= part << shift;
    if ((octet & 0x80U) == 0) return value;
  }
  set_failed();
  return 0;
}

std::string_view byte_reader::string() noexcept {
  const auto content = blob();
  return {reinterpret_cast<const char*>(content.data()), content.size()};
}

byte_view byte_reader::blob() noexcept { return take(size()); }

uuid byte_reader::id() noexcept {
  const auto content = take(16);
  std::array<std::uint8_t, 16> octets{};
  std::copy(content.begin(), content.end(), octets.begin());
  return uuid{octets};
}

std::size_t byte_reader::count(std::size_t item_bytes_min) noexcept {
  const auto wanted = size();
  if (wanted > rest_.size() / std::max<std::size_t>(item_bytes_min, 1)) {
    set_failed();
    return 0;
  }
  return static_cast<std::size_t>(wanted);
}

result<void> byte_reader::finish(std::string_view what) const {
  if (failed_) return fail(errc::corrupt, "{} ends too early or holds a size beyond its end", what);
  if (!rest_.empty()) return fail(errc::corrupt, "{} has {} bytes too many", what, rest_.size());
  return {};
}

}  // namespace muster
