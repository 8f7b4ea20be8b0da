#include "muster/message/reader.hpp"

#include <bit>

#include "muster/message/writer.hpp"

namespace muster::message {

void reader::set_failed() noexcept {
  failed_ = true;
  rest_ = {};
}

byte_view reader::raw(std::size_t wanted) noexcept {
  if (wanted > rest_.size()) {
    set_failed();
    return {};
  }
  const byte_view taken = rest_.first(wanted);
  rest_ = rest_.subspan(wanted);
  return taken;
}

template <typename Number>
Number reader::little_endian() noexcept {
  std::uint64_t out = 0;
  unsigned shift = 0;
  for (const std::uint8_t part : raw(sizeof(Number))) {
    out |= std::uint64_t{part} << shift;
    shift += 8;
  }
  return static_cast<Number>(out);
}

bool reader::boolean() noexcept {
  const std::uint8_t value = u8();
  if (value > 1) set_failed();
  return value == 1;
}

std::uint8_t reader::u8() noexcept { return little_endian<std::uint8_t>(); }
std::uint16_t reader::u16() noexcept { return little_endian<std::uint16_t>(); }
std::uint32_t reader::u32() noexcept { return little_endian<std::uint32_t>(); }
std::uint64_t reader::u64() noexcept { return little_endian<std::uint64_t>(); }
float reader::f32() noexcept { return std::bit_cast<float>(u32()); }
double reader::f64() noexcept { return std::bit_cast<double>(u64()); }

std::size_t reader::size() noexcept {
  constexpr std::uint8_t long_size = 255;
  const std::uint8_t first = u8();
  if (first != long_size) return first;
  const std::uint32_t value = u32();
  // Ice writes the shortest form, so that equal messages are equal bytes.
  if (value < long_size || value > 0x7fffffffU) {
    set_failed();
    return 0;
  }
  return value;
}

std::size_t reader::count(std::size_t item_bytes_min) noexcept {
  const std::size_t out = size();
  if (out > rest_.size() / item_bytes_min) {
    set_failed();
    return 0;
  }
  return out;
}

void reader::keep(std::size_t item_memory_bytes) noexcept {
  if (item_memory_bytes > memory_left_) set_failed();
  memory_left_ -= failed_ ? 0 : item_memory_bytes;
}

std::string_view reader::string() noexcept {
  const byte_view taken = raw(size());
  return {reinterpret_cast<const char*>(taken.data()), taken.size()};
}

reader::block::block(reader& from) noexcept : from_{from} {
  const byte_view content = from.raw(from.size());
  after_ = from.rest_;
  from.rest_ = content;
  if (++from.depth_ > nesting_max) from.set_failed();
}

reader::block::~block() {
  --from_.depth_;
  if (!from_.failed_) from_.rest_ = after_;
}

bool read_content(reader& from, void* value, void (*read)(reader& from, void* value)) noexcept {
  if (from.u8() != content_version) return false;
  try {
    read(from, value);
  } catch (...) {
    // Of a user's codec, of a member's constructor, or for lack of memory: the message is not taken.
    return false;
  }
  return !from.failed() && from.at_end();
}

}  // namespace muster::message
