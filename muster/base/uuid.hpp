#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "muster/base/prng.hpp"
#include "muster/base/result.hpp"

namespace muster {

/// 128 random bits that name something for good. All zero means "none".
class uuid {
 public:
  constexpr uuid() noexcept = default;
  constexpr explicit uuid(const std::array<std::uint8_t, 16>& value) noexcept : value_{value} {}

  /// Random, version 4 (RFC 4122, section 4.4), from the given generator.
  [[nodiscard]] static uuid random(prng& source) noexcept;

  /// Reads the usual form `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`; `invalid_argument` otherwise.
  [[nodiscard]] static result<uuid> parse(std::string_view text);

  [[nodiscard]] constexpr bool is_none() const noexcept { return value_ == std::array<std::uint8_t, 16>{}; }
  [[nodiscard]] constexpr const std::array<std::uint8_t, 16>& octets() const noexcept { return value_; }
  [[nodiscard]] std::string str() const;

  friend constexpr bool operator==(const uuid&, const uuid&) = default;
  friend constexpr auto operator<=>(const uuid&, const uuid&) = default;

 private:
  std::array<std::uint8_t, 16> value_{};
};

}  // namespace muster

template <>
struct fmt::formatter<muster::uuid> : fmt::formatter<std::string> {
  template <typename Context>
  auto format(const muster::uuid& id, Context& context) const {
    return fmt::formatter<std::string>::format(id.str(), context);
  }
};
