#pragma once

#include <cstddef>
#include <string_view>

namespace muster::config {

/// Where in a text something stands, counted from 1; columns in characters, not bytes.
struct text_place {
  std::size_t line{1};
  std::size_t column{1};
};

/// Reads a text character by character and knows where it is. The text is UTF-8; the bytes after the first one of a
/// character do not count as columns.
class text_cursor {
 public:
  explicit text_cursor(std::string_view text) noexcept : text_{text} {}

  [[nodiscard]] bool at_end() const noexcept { return at_ == text_.size(); }
  /// The byte that comes next, or one later; 0 beyond the end.
  [[nodiscard]] char peek(std::size_t ahead = 0) const noexcept {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  [[nodiscard]] bool comes(std::string_view what) const noexcept { return rest().starts_with(what); }
  [[nodiscard]] std::string_view rest() const noexcept { return text_.substr(at_); }
  [[nodiscard]] text_place place() const noexcept { return place_; }

  /// Passes over so many bytes, of which there must be as many.
  void pass(std::size_t bytes = 1) noexcept {
    for (; bytes > 0; --bytes) {
      const char passed = text_[at_++];
      if (passed == '\n') {
        ++place_.line;
        place_.column = 1;
      } else if ((static_cast<unsigned char>(peek()) & 0xc0U) != 0x80U) {
        ++place_.column;
      }
    }
  }

 private:
  std::string_view text_;
  std::size_t at_{0};
  text_place place_;
};

}  // namespace muster::config
