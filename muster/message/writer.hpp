#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "muster/base/bytes.hpp"
#include "muster/base/codec.hpp"

namespace muster::message {

/// The first byte of every message's content.
inline constexpr std::uint8_t content_version = 1;
/// Aggregates within aggregates: what is nested deeper is neither written nor read.
inline constexpr std::size_t nesting_max = 100;

/// Writes a message's content in the encoding 1.1 of Ice: little-endian fixed numbers, sizes of one byte or of 255 and
/// four. docs/protocols/messages.md says how each kind of value is made of these.
class writer {
 public:
  void boolean(bool value) { u8(value ? 1 : 0); }
  void u8(std::uint8_t value) { out_.push_back(value); }
  void u16(std::uint16_t value);
  void u32(std::uint32_t value);
  void u64(std::uint64_t value);
  void f32(float value);
  void f64(double value);
  /// A count or a size; more than 2^31 - 1 fails.
  void size(std::size_t value);
  void string(std::string_view text);
  /// Bytes as they are, without their size.
  void raw(byte_view content);

  /// What is written as long as it lives is preceded by its size, so that a reader can pass over what it does not know.
  class block {
   public:
    explicit block(writer& into);
    block(const block&) = delete;
    block& operator=(const block&) = delete;
    ~block();

   private:
    writer& into_;
    const std::size_t begin_;
  };

  /// Makes a content of it that no reader takes: the sender then hears that it was not delivered.
  void set_failed() noexcept { failed_ = true; }
  [[nodiscard]] bool failed() const noexcept { return failed_; }
  [[nodiscard]] const bytes& written() const noexcept { return out_; }

 private:
  bytes out_;
  std::size_t depth_{0};
  bool failed_{false};
};

/// The whole content of a message: its version, then what `write` writes of `value`.
void write_content(byte_writer& into, const void* value, void (*write)(writer& into, const void* value));

}  // namespace muster::message
