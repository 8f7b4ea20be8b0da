#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "muster/base/bytes.hpp"

namespace muster {
class actor_system;
}

namespace muster::message {

class ice_streams;

/// Reads what a `writer` wrote, and is safe for any bytes. Every read is checked: after the first one that does not
/// fit, the reader stays failed, is at its end, and every further read gives an empty value; so one may read a whole
/// value and ask once. Memory is taken for what has been read, not for what a count claims, and no more of it than the
/// input allows.
class reader {
 public:
  /// Items of containers take memory where they are read, though they may take a byte of the input only: so many bytes
  /// for each byte of the input, and some more.
  static constexpr std::size_t memory_factor_max = 256;
  static constexpr std::size_t memory_bytes_min = 65'536;

  /// The system makes refs of the addresses in a message, and Ice's streams read proxies and instances of classes;
  /// where there are none, these fail.
  explicit reader(byte_view input, const actor_system* system = nullptr, const ice_streams* streams = nullptr) noexcept
      : rest_{input},
        memory_left_{input.size() * memory_factor_max + memory_bytes_min},
        system_{system},
        streams_{streams} {}
  reader(const reader&) = delete;
  reader& operator=(const reader&) = delete;

  /// Fails for a byte that is neither 0 nor 1.
  [[nodiscard]] bool boolean() noexcept;
  [[nodiscard]] std::uint8_t u8() noexcept;
  [[nodiscard]] std::uint16_t u16() noexcept;
  [[nodiscard]] std::uint32_t u32() noexcept;
  [[nodiscard]] std::uint64_t u64() noexcept;
  [[nodiscard]] float f32() noexcept;
  [[nodiscard]] double f64() noexcept;
  [[nodiscard]] std::size_t size() noexcept;
  /// A count of items that take at least so many bytes each, which must not be 0: fails when the rest cannot hold them.
  [[nodiscard]] std::size_t count(std::size_t item_bytes_min) noexcept;
  /// Accounts for an item of that size that is about to be kept; fails when there are too many.
  void keep(std::size_t item_memory_bytes) noexcept;
  /// Views into the input: they live as long as it does.
  [[nodiscard]] std::string_view string() noexcept;
  [[nodiscard]] byte_view raw(std::size_t wanted) noexcept;

  /// As long as it lives the reader is at its end where the block ends; then it goes on after the block, whatever was
  /// left of it: members that a later build has added.
  class block {
   public:
    explicit block(reader& from) noexcept;
    block(const block&) = delete;
    block& operator=(const block&) = delete;
    ~block();

   private:
    reader& from_;
    byte_view after_;
  };

  /// Of the input, or of the block: what an earlier build wrote ends here.
  [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }
  /// What is left, of the input or of the block.
  [[nodiscard]] byte_view rest() const noexcept { return rest_; }
  void set_failed() noexcept;
  [[nodiscard]] bool failed() const noexcept { return failed_; }
  [[nodiscard]] const actor_system* system() const noexcept { return system_; }
  [[nodiscard]] const ice_streams* streams() const noexcept { return streams_; }

 private:
  template <typename Number>
  [[nodiscard]] Number little_endian() noexcept;

  byte_view rest_;
  std::size_t memory_left_;
  const actor_system* const system_;
  const ice_streams* const streams_;
  std::size_t depth_{0};
  bool failed_{false};
};

/// Reads the whole content of a message: false, whatever `read` has made of `value`, unless the version is known,
/// `read` did not fail and nothing is left. Exceptions of `read` count as failures.
[[nodiscard]] bool read_content(reader& from, void* value, void (*read)(reader& from, void* value)) noexcept;

}  // namespace muster::message
