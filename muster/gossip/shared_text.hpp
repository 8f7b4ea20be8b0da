#pragma once

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace muster::gossip {

/// Characters that never change and may be held by many: one pointer, one allocation of 8 bytes more than the text,
/// none for the empty text. A key that stands in a registration, in the log and in a message is there once.
///
/// Handles may be copied and dropped on any thread; one handle is used by one thread at a time.
class shared_text {
 public:
  shared_text() noexcept = default;
  explicit shared_text(std::string_view text);
  shared_text(const shared_text& other) noexcept : block_{other.block_} { hold(); }
  shared_text(shared_text&& other) noexcept : block_{std::exchange(other.block_, nullptr)} {}
  shared_text& operator=(const shared_text& other) noexcept {
    shared_text copy{other};
    std::swap(block_, copy.block_);
    return *this;
  }
  shared_text& operator=(shared_text&& other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~shared_text() { drop(); }

  [[nodiscard]] std::string_view view() const noexcept;
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] bool empty() const noexcept { return block_ == nullptr; }
  /// Both are handles of one block (or both empty), which spares a comparison.
  [[nodiscard]] bool is_same_block(const shared_text& other) const noexcept { return block_ == other.block_; }

  friend bool operator==(const shared_text& left, const shared_text& right) noexcept {
    return left.block_ == right.block_ || left.view() == right.view();
  }
  friend std::strong_ordering operator<=>(const shared_text& left, const shared_text& right) noexcept {
    return left.view() <=> right.view();
  }

 private:
  /// The characters follow it.
  struct block {
    std::atomic<std::uint32_t> holders;
    std::uint32_t size;
  };

  void hold() const noexcept {
    if (block_ != nullptr) {
      block_->holders.fetch_add(1, std::memory_order_relaxed);
    }
  }
  void drop() noexcept;

  block* block_{nullptr};
};

inline std::string_view shared_text::view() const noexcept {
  return block_ == nullptr ? std::string_view{}
                           : std::string_view{reinterpret_cast<const char*>(block_ + 1), block_->size};
}

inline std::size_t shared_text::size() const noexcept { return block_ == nullptr ? 0 : block_->size; }

}  // namespace muster::gossip

template <>
struct std::hash<muster::gossip::shared_text> {
  std::size_t operator()(const muster::gossip::shared_text& text) const noexcept {
    return std::hash<std::string_view>{}(text.view());
  }
};

template <>
struct fmt::formatter<muster::gossip::shared_text> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(const muster::gossip::shared_text& text, Context& context) const {
    return fmt::formatter<std::string_view>::format(text.view(), context);
  }
};
