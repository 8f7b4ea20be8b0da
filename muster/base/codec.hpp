#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "muster/base/bytes.hpp"
#include "muster/base/result.hpp"
#include "muster/base/uuid.hpp"

namespace muster {

/// Writes our own byte formats: little-endian fixed integers, LEB128 sizes, length-prefixed strings and bytes.
/// What is written here is read back by `byte_reader`; formats that use it carry a version in their first byte.
class byte_writer {
 public:
  void u8(std::uint8_t value) { out_.push_back(value); }
  void u64(std::uint64_t value);
  /// Unsigned LEB128: one byte below 128, ten at most.
  void size(std::uint64_t value);
  void string(std::string_view text);
  void blob(byte_view content);
  void id(const uuid& value);
  /// Bytes as they are, without their size.
  void raw(byte_view content) { out_.insert(out_.end(), content.begin(), content.end()); }

  [[nodiscard]] std::size_t written_bytes() const noexcept { return out_.size(); }
  [[nodiscard]] bytes take() && { return std::move(out_); }

 private:
  bytes out_;
};

/// Reads what `byte_writer` wrote. Every read is checked: after the first one that does not fit, the reader stays
/// failed and every further read gives an empty value, so that a caller may read a whole record and ask once.
class byte_reader {
 public:
  explicit byte_reader(byte_view input) noexcept : rest_{input} {}

  [[nodiscard]] std::uint8_t u8() noexcept;
  [[nodiscard]] std::uint64_t u64() noexcept;
  [[nodiscard]] std::uint64_t size() noexcept;
  /// Views into the input: they live as long as it does.
  [[nodiscard]] std::string_view string() noexcept;
  [[nodiscard]] byte_view blob() noexcept;
  [[nodiscard]] uuid id() noexcept;
  /// All that is left.
  [[nodiscard]] byte_view rest() noexcept { return std::exchange(rest_, {}); }

  /// A count of items that each take at least `item_bytes_min` bytes: fails when the rest cannot hold so many, so that
  /// no count from outside makes us allocate more than was sent.
  [[nodiscard]] std::size_t count(std::size_t item_bytes_min = 1) noexcept;

  void set_failed() noexcept {
    failed_ = true;
    rest_ = {};
  }
  [[nodiscard]] bool failed() const noexcept { return failed_; }
  [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }
  /// Success if everything was read and nothing is left; `corrupt`, naming `what`, otherwise.
  [[nodiscard]] result<void> finish(std::string_view what) const;

 private:
  [[nodiscard]] byte_view take(std::uint64_t wanted) noexcept;

  byte_view rest_;
  bool failed_{false};
};

}  // namespace muster
