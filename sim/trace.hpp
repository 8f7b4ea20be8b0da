#pragma once

#include <cstdint>
#include <cstdio>
#include <string_view>

#include <fmt/format.h>

#include "muster/base/instant.hpp"
#include "sim/digest.hpp"

namespace muster::sim {

/// What happened, one line an event: virtual milliseconds, who, what. Each line enters the hash whether it is shown or
/// not, so two runs with one hash did the same in the same order.
class trace {
 public:
  /// Lines go to `out`; nowhere if that is null.
  explicit trace(std::FILE* out = nullptr) noexcept : out_{out} {}

  template <typename... Args>
  void line(instant now, std::string_view who, fmt::format_string<Args...> what, Args&&... args) {
    buffer_.clear();
    const auto since_start = std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count();
    fmt::format_to(fmt::appender{buffer_}, "{:>6}.{:03} {:<3} ", since_start / 1000, since_start % 1000, who);
    fmt::format_to(fmt::appender{buffer_}, what, std::forward<Args>(args)...);
    buffer_.push_back('\n');
    finish_line();
  }

  [[nodiscard]] std::uint64_t hash() const noexcept { return sum_.value(); }
  [[nodiscard]] std::uint64_t lines() const noexcept { return lines_; }

 private:
  void finish_line();

  std::FILE* out_;
  fmt::memory_buffer buffer_;
  digest sum_;
  std::uint64_t lines_{0};
};

}  // namespace muster::sim
