#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace muster {

/// A value of type `T` that is not to be mixed up with other values of type `T`.
///
/// Two strong types with different tags neither compare nor convert. The value is reached by `value()` only, so that
/// each place where the meaning is dropped can be seen in the code.
template <typename Tag, typename T>
class strong {
 public:
  using value_type = T;

  constexpr strong() noexcept(std::is_nothrow_default_constructible_v<T>) = default;
  constexpr explicit strong(T value) noexcept(std::is_nothrow_move_constructible_v<T>) : value_{std::move(value)} {}

  [[nodiscard]] constexpr const T& value() const noexcept { return value_; }

  friend constexpr bool operator==(const strong&, const strong&) = default;
  friend constexpr auto operator<=>(const strong&, const strong&) = default;

 private:
  T value_{};
};

}  // namespace muster

template <typename Tag, typename T>
struct std::hash<muster::strong<Tag, T>> {
  std::size_t operator()(const muster::strong<Tag, T>& id) const noexcept { return std::hash<T>{}(id.value()); }
};

template <typename Tag, typename T>
struct fmt::formatter<muster::strong<Tag, T>> : fmt::formatter<T> {
  template <typename Context>
  auto format(const muster::strong<Tag, T>& id, Context& context) const {
    return fmt::formatter<T>::format(id.value(), context);
  }
};
