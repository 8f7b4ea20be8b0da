#include "muster/message/writer.hpp"

#include <array>
#include <bit>

namespace muster::message {
namespace {

constexpr std::size_t size_max = 0x7fffffff;
/// Sizes below it take one byte.
constexpr std::uint8_t long_size = 255;

template <std::size_t Count>
std::array<std::uint8_t, Count> octets(std::uint64_t value) {
  std::array<std::uint8_t, Count> out{};
  for (std::uint8_t& one : out) {
    one = static_cast<std::uint8_t>(value & 0xffU);
    value >>= 8U;
  }
  return out;
}

}  // namespace

void writer::u16(std::uint16_t value) { raw(octets<2>(value)); }
void writer::u32(std::uint32_t value) { raw(octets<4>(value)); }
void writer::u64(std::uint64_t value) { raw(octets<8>(value)); }
void writer::f32(float value) { u32(std::bit_cast<std::uint32_t>(value)); }
void writer::f64(double value) { u64(std::bit_cast<std::uint64_t>(value)); }

void writer::size(std::size_t value) {
  if (value > size_max) {
    set_failed();
  } else if (value < long_size) {
    u8(static_cast<std::uint8_t>(value));
  } else {
    u8(long_size);
    raw(octets<4>(value));
  }
}

void writer::string(std::string_view text) {
  size(text.size());
  raw({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

void writer::raw(byte_view content) { out_.insert(out_.end(), content.begin(), content.end()); }

writer::block::block(writer& into) : into_{into}, begin_{into.out_.size()} {
  // Most are short, so room is left for a short size.
  into_.u8(0);
  if (++into_.depth_ > nesting_max) into_.set_failed();
}

writer::block::~block() {
  --into_.depth_;
  const std::size_t size = into_.out_.size() - begin_ - 1;
  if (size > size_max) {
    into_.set_failed();
  } else if (size < long_size) {
    into_.out_[begin_] = static_cast<std::uint8_t>(size);
  } else {
    into_.out_[begin_] = long_size;
    const auto wide = octets<4>(size);
    into_.out_.insert(into_.out_.begin() + static_cast<std::ptrdiff_t>(begin_ + 1), wide.begin(), wide.end());
  }
}

void write_content(byte_writer& into, const void* value, void (*write)(writer& into, const void* value)) {
  writer out;
  out.u8(content_version);
  write(out, value);
  // No version is 0.
  if (out.failed()) return into.u8(0);
  into.raw(out.written());
}

}  // namespace muster::message
