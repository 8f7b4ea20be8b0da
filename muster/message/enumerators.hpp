#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

namespace muster::message {

template <typename E>
concept has_fixed_range = std::is_enum_v<E> && requires {
  E{0};
};
/// Values are made of others, so few are enumerators.
template <typename E>
concept bit_set = std::is_enum_v<E> && requires(E a, E b) {
  { a | b } -> std::same_as<E>;
};

/// The enumerators of E among 256 values, found in how the compiler spells these: an enumerator by its name, any other
/// value as a cast number.
template <typename E>
class enumerators {
 public:
  using number = std::underlying_type_t<E>;
  static constexpr std::size_t count = 256;
  static constexpr std::int64_t first = std::is_signed_v<number> ? (sizeof(number) == 1 ? -128 : -16) : 0;

  /// Not every value need be an enumerator: E may name none, as a strong integer, or be a set of bits, or have
  /// enumerators so large that they are not looked at.
  [[nodiscard]] static constexpr bool contains(std::int64_t value) noexcept {
    if constexpr (bit_set<E>) {
      return true;
    } else {
      if (value < first || value >= first + static_cast<std::int64_t>(count)) return has_fixed_range<E>;
      return (has_fixed_range<E> && !found.any) || found.values[static_cast<std::size_t>(value - first)];
    }
  }

 private:
  struct table {
    std::array<bool, count> values{};
    bool any{false};
  };

  template <E... Values>
  static constexpr std::string_view spelled() {
    return __PRETTY_FUNCTION__;
  }

  // An enum without a type of its own has no such values; it is only asked what they are called.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#ifdef __clang__
#if __has_warning("-Wenum-constexpr-conversion")
#pragma GCC diagnostic ignored "-Wenum-constexpr-conversion"
#endif
#endif
  template <std::size_t... Offsets>
  static constexpr std::string_view spell(std::index_sequence<Offsets...>) {
    return spelled<static_cast<E>(static_cast<number>(first + static_cast<std::int64_t>(Offsets)))...>();
  }
#pragma GCC diagnostic pop

  /// "(scope::color)7" is a number, "scope::color::red" a name.
  static constexpr bool is_name(std::string_view text) {
    const auto cast = text.rfind(')');
    if (cast == text.npos || cast + 1 == text.size()) return true;
    for (const char c : text.substr(cast + 1)) {
      if ((c < '0' || c > '9') && c != '-') return true;
    }
    return false;
  }

  static constexpr table find() {
    table out;
    std::string_view rest = spell(std::make_index_sequence<count>{});
    constexpr std::string_view before = "Values = ";
    rest.remove_prefix(rest.find(before) + before.size() + 1);
    // Commas within brackets belong to the name of a scope.
    std::size_t number_of_value = 0;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; number_of_value != count; ++i) {
      const char c = rest[i];
      const bool ends_list = depth == 0 && (c == '}' || c == '>');
      if (ends_list || (depth == 0 && c == ',')) {
        out.values[number_of_value] = is_name(rest.substr(begin, i - begin));
        out.any = out.any || out.values[number_of_value];
        ++number_of_value;
        begin = i + 2;
      } else if (c == '<' || c == '(' || c == '{') {
        ++depth;
      } else if (c == '>' || c == ')' || c == '}') {
        --depth;
      }
    }
    return out;
  }

  static constexpr table found = find();
};

}  // namespace muster::message
