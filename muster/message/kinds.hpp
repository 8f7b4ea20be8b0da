#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "muster/actor/actor_ref.hpp"
#include "muster/base/strong.hpp"
#include "muster/message/codec.hpp"
#include "muster/message/ice_values.hpp"
#include "muster/message/members.hpp"

/// Which types of values can be written and read, and as what.
namespace muster::message {

enum class kind : std::uint8_t {
  none,  ///< cannot be written
  coded,
  boolean,
  number,
  real,
  enumerator,
  text,
  duration,
  time_point,
  optional,
  variant,
  array,
  tuple,
  sequence,
  map,
  set,
  strong,
  actor_ref,
  any_ref,
  slice,
  proxy,
  graph,  ///< an instance of a Slice class, or a Slice struct with something in it that only Ice can write
  aggregate,
};

template <typename T, template <typename...> typename Template>
inline constexpr bool is_made_of = false;
template <template <typename...> typename Template, typename... Args>
inline constexpr bool is_made_of<Template<Args...>, Template> = true;
template <typename T>
inline constexpr bool is_array = false;
template <typename T, std::size_t Size>
inline constexpr bool is_array<std::array<T, Size>> = true;

template <typename T>
concept container = requires(const T& value) {
  typename T::value_type;
  value.begin();
  value.end();
  { value.size() } -> std::convertible_to<std::size_t>;
};
template <typename T>
concept sequence_container = container<T> && requires(T& value, typename T::value_type&& item) {
  value.push_back(std::move(item));
};
template <typename T>
concept set_container = container<T> && std::same_as<typename T::key_type, typename T::value_type> &&
    requires(T& value, typename T::value_type&& item) {
  value.insert(std::move(item));
};
template <typename T>
concept map_container = container<T> && requires(T& value, typename T::key_type&& key, typename T::mapped_type&& item) {
  value.emplace(std::move(key), std::move(item));
};

/// What slice2cpp generates for a struct: its members, in order, as a tuple of references.
template <typename T>
concept slice_struct = requires(const T& value) {
  value.ice_tuple();
};
/// A class, or an exception, of Slice has an id of its own. Classes are held by shared pointers.
template <typename T>
concept slice_class = requires {
  T::ice_staticId();
};
/// Has nothing in it that only Ice can write.
template <typename T>
[[nodiscard]] consteval bool is_plain_slice();

// NOLINTBEGIN(bugprone-branch-clone): a chain of questions in their order, of which several have the same answer
template <typename T>
[[nodiscard]] consteval kind kind_of() {
  if constexpr (std::is_const_v<T> || std::is_reference_v<T>)
    return kind::none;
  else if constexpr (given_codec<T>)
    return kind::coded;
  else if constexpr (std::same_as<T, bool>)
    return kind::boolean;
  else if constexpr (std::integral<T>)
    return kind::number;
  else if constexpr (std::same_as<T, float> || std::same_as<T, double>)
    return kind::real;
  else if constexpr (std::is_enum_v<T>)
    return kind::enumerator;
  else if constexpr (std::same_as<T, std::string>)
    return kind::text;
  else if constexpr (is_made_of<T, std::chrono::duration>)
    return kind::duration;
  else if constexpr (is_made_of<T, std::chrono::time_point>)
    return kind::time_point;
  else if constexpr (is_made_of<T, std::optional>)
    return kind::optional;
  else if constexpr (is_made_of<T, std::variant>)
    return kind::variant;
  else if constexpr (is_array<T>)
    return kind::array;
  else if constexpr (is_made_of<T, std::pair> || is_made_of<T, std::tuple>)
    return kind::tuple;
  else if constexpr (is_made_of<T, strong>)
    return kind::strong;
  else if constexpr (is_made_of<T, actor_ref>)
    return kind::actor_ref;
  else if constexpr (std::same_as<T, any_ref>)
    return kind::any_ref;
  else if constexpr (is_proxy<T>)
    return kind::proxy;
  else if constexpr (is_instance<T>)
    return kind::graph;
  else if constexpr (slice_class<T>)
    return kind::none;
  else if constexpr (slice_struct<T>)
    return is_plain_slice<T>() ? kind::slice : kind::graph;
  else if constexpr (sequence_container<T>)
    return kind::sequence;
  else if constexpr (map_container<T>)
    return kind::map;
  else if constexpr (set_container<T>)
    return kind::set;
  else if constexpr (plain_aggregate<T>)
    return kind::aggregate;
  else
    return kind::none;
}

/// Asked of a member of a Slice struct: the writer and reader of messages have it as Ice has.
template <typename T>
[[nodiscard]] consteval bool is_plain_member() {
  constexpr kind what = kind_of<T>();
  if constexpr (what == kind::sequence) {
    return is_plain_member<typename T::value_type>();
  } else if constexpr (what == kind::map) {
    return is_plain_member<typename T::key_type>() && is_plain_member<typename T::mapped_type>();
  } else if constexpr (what == kind::number) {
    return !std::same_as<T, wchar_t>;  // of a string that Ice converts
  } else {
    return what == kind::boolean || what == kind::real || what == kind::enumerator || what == kind::text ||
           what == kind::proxy || what == kind::slice;
  }
}

template <typename T>
[[nodiscard]] consteval bool is_plain_slice() {
  return []<typename... Members>(std::type_identity<std::tuple<Members...>>) {
    return (is_plain_member<std::decay_t<Members>>() && ...);
  }(std::type_identity<std::decay_t<decltype(std::declval<const T&>().ice_tuple())>>{});
}

/// Where a value stands: within a Slice struct it is written as Ice does it.
enum class place : std::uint8_t { message, slice };

/// As many bytes as a value takes at least. Zero for an array of nothing and the like.
template <place In, typename T>
[[nodiscard]] consteval std::size_t bytes_min() {
  constexpr kind what = kind_of<T>();
  if constexpr (what == kind::number || what == kind::real) {
    return sizeof(T);
  } else if constexpr (what == kind::proxy) {
    return In == place::slice ? 2 : 1;
  } else if constexpr (what == kind::enumerator) {
    return In == place::slice ? 1 : sizeof(T);
  } else if constexpr (what == kind::duration || what == kind::time_point) {
    return 8;
  } else if constexpr (what == kind::array) {
    return std::tuple_size_v<T> * bytes_min<In, typename T::value_type>();
  } else if constexpr (what == kind::tuple) {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return (std::size_t{0} + ... + bytes_min<In, std::tuple_element_t<I, T>>());
    }
    (std::make_index_sequence<std::tuple_size_v<T>>{});
  } else if constexpr (what == kind::strong) {
    return bytes_min<In, typename T::value_type>();
  } else {
    return 1;
  }
}

/// Asked of a type while it is asked of those that hold it (`Holders`): a tree may hold trees.
template <typename T, typename... Holders>
[[nodiscard]] consteval bool can_be_written() {
  if constexpr ((std::same_as<T, Holders> || ...)) {
    return true;
  } else {
    constexpr kind what = kind_of<T>();
    if constexpr (what == kind::none) {
      return false;
    } else if constexpr (what == kind::coded) {
      return true;
    } else if constexpr (!std::default_initializable<T> || !std::movable<T>) {
      return false;  // it is made first and read then
    } else if constexpr (what == kind::duration) {
      return std::is_arithmetic_v<typename T::rep>;
    } else if constexpr (what == kind::time_point) {
      // The origin of a steady clock is the start of a machine, or nothing at all.
      return !T::clock::is_steady && std::is_arithmetic_v<typename T::rep>;
    } else if constexpr (what == kind::optional || what == kind::strong) {
      return can_be_written<typename T::value_type, T, Holders...>();
    } else if constexpr (what == kind::array || what == kind::sequence || what == kind::set) {
      return can_be_written<typename T::value_type, T, Holders...>() &&
             (what == kind::array || bytes_min<place::message, typename T::value_type>() != 0);
    } else if constexpr (what == kind::map) {
      return can_be_written<typename T::key_type, T, Holders...>() &&
             can_be_written<typename T::mapped_type, T, Holders...>() &&
             bytes_min<place::message, typename T::key_type>() != 0;
    } else if constexpr (what == kind::variant) {
      return []<typename... As>(std::type_identity<std::variant<As...>>) {
        return (can_be_written<As, T, Holders...>() && ...);
      }(std::type_identity<T>{});
    } else if constexpr (what == kind::tuple) {
      return []<std::size_t... I>(std::index_sequence<I...>) {
        return (can_be_written<std::tuple_element_t<I, T>, T, Holders...>() && ...);
      }
      (std::make_index_sequence<std::tuple_size_v<T>>{});
    } else if constexpr (what == kind::aggregate) {
      return []<std::size_t... I>(std::index_sequence<I...>) {
        return (can_be_written<member_type<I, T>, T, Holders...>() && ...);
      }
      (std::make_index_sequence<member_count<T>>{});
    } else {
      return true;
    }
  }
}
// NOLINTEND(bugprone-branch-clone)

template <typename T>
concept serialisable = can_be_written<T>();

}  // namespace muster::message
