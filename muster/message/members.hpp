#pragma once

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <boost/pfr/core.hpp>

/// The members of an aggregate, by Boost.PFR.
namespace muster::message {

/// Stands for any base class of T, and for nothing else.
template <typename T>
struct some_base_of {
  template <typename Base>
  requires(std::is_base_of_v<Base, T> && !std::same_as<Base, T>) operator Base() const;
};

/// Initialises a member of whatever type.
struct some_lvalue {
  std::size_t number;
  template <typename Member>
  operator Member&() const noexcept;
};
struct some_rvalue {
  std::size_t number;
  template <typename Member>
  operator Member() const noexcept;
};

/// What can be taken apart. C arrays cannot be seen in it: with one a message does not compile.
template <typename T>
concept plain_aggregate = std::is_class_v<T> && std::is_aggregate_v<T> && !std::is_polymorphic_v<T> &&
                          std::default_initializable<T> && std::movable<T> && !requires {
  T{some_base_of<T>{}};
};

namespace members_kernel {

inline constexpr std::size_t members_max = 100;  // as Boost.PFR has it

template <typename T, typename Some, std::size_t... Numbers>
[[nodiscard]] consteval bool takes(std::index_sequence<Numbers...>) {
  return requires { T{Some{Numbers}...}; };
}

template <typename T, typename Some, std::size_t Count = 0>
[[nodiscard]] consteval std::size_t count() {
  if constexpr (Count < members_max && takes<T, Some>(std::make_index_sequence<Count + 1>{})) {
    return count<T, Some, Count + 1>();
  } else {
    return Count;
  }
}

}  // namespace members_kernel

/// Counted here: what Boost.PFR counts with makes g++ 12 fail where a member has an initialiser such as `{"a", "b"}`.
template <plain_aggregate T>
inline constexpr std::size_t member_count =
    members_kernel::count<T, std::conditional_t<std::copy_constructible<T>, some_lvalue, some_rvalue>>();

/// References to them, in order.
template <typename T>
[[nodiscard]] constexpr auto members_of(T& value) noexcept {
  namespace pfr = boost::pfr::detail;
  return pfr::tie_as_tuple(value, pfr::size_t_<member_count<std::remove_const_t<T>>>{});
}

template <std::size_t Number, plain_aggregate T>
using member_type =
    std::remove_reference_t<decltype(boost::pfr::detail::sequence_tuple::get<Number>(members_of(std::declval<T&>())))>;

template <typename T, typename Function>
constexpr void for_each_member(T& value, Function&& function) {
  auto members = members_of(value);
  [&]<std::size_t... Numbers>(std::index_sequence<Numbers...>) {
    (function(boost::pfr::detail::sequence_tuple::get<Numbers>(members)), ...);
  }
  (std::make_index_sequence<member_count<std::remove_const_t<T>>>{});
}

}  // namespace muster::message
