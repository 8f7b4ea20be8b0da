#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace muster {

namespace actor_kernel {

template <typename T>
consteval std::string_view given_name() {
  if constexpr (requires { std::string_view{T::message_name}; }) {
    return T::message_name;
  } else {
    return {};
  }
}

}  // namespace actor_kernel

/// The name by which messages of type T are known outside this process: given once, and kept for good, because nodes of
/// different builds compare it. A Slice type id, or a name of one's own. Given in the type,
///
///     struct api_message { static constexpr std::string_view message_name = "shop.api"; std::string path; };
///
/// or beside a type that cannot be changed:
///
///     template <> inline constexpr std::string_view muster::message_name<api_message> = "::Shop::ApiMessage";
///
/// Empty for a type without a name, which then cannot leave the process. Never derived from the type's members or from
/// what the compiler calls it: a field added in a rolling upgrade must not make another service of it.
template <typename T>
inline constexpr std::string_view message_name = actor_kernel::given_name<T>();

// Replies are often no more than one value: these have the names that Slice gives them, and two more.
template <>
inline constexpr std::string_view message_name<bool> = "bool";
template <>
inline constexpr std::string_view message_name<std::uint8_t> = "byte";
template <>
inline constexpr std::string_view message_name<std::int16_t> = "short";
template <>
inline constexpr std::string_view message_name<std::int32_t> = "int";
template <>
inline constexpr std::string_view message_name<std::int64_t> = "long";
template <>
inline constexpr std::string_view message_name<std::uint32_t> = "uint";
template <>
inline constexpr std::string_view message_name<std::uint64_t> = "ulong";
template <>
inline constexpr std::string_view message_name<float> = "float";
template <>
inline constexpr std::string_view message_name<double> = "double";
template <>
inline constexpr std::string_view message_name<std::string> = "string";

/// A type that may leave the process.
template <typename T>
concept named_message = !message_name<T>.empty();

namespace actor_kernel {

/// What the compiler calls T: for the log of this process, and for nothing that leaves it.
template <typename T>
consteval std::string_view compiler_name() {
  constexpr std::string_view all = __PRETTY_FUNCTION__;
  constexpr std::string_view before = "T = ";
  constexpr auto begin = all.find(before) + before.size();
  constexpr auto end = all.find_first_of(";]", begin);
  return all.substr(begin, end - begin);
}

/// A note that an actor, or whoever serves it, tells it, and that means nothing when it has stopped: no dead letter
/// then. Given in the type: `static constexpr bool dies_with_actor = true;`.
template <typename T>
consteval bool dies_with_actor() {
  if constexpr (requires { T::dies_with_actor; }) {
    return T::dies_with_actor;
  } else {
    return false;
  }
}

/// A message of an actor of the system's own that may be handled within the call that tells it, on the teller's thread
/// (`spawn_options::is_brief` says when): nothing of a user's runs while it is, so it does not matter which locks the
/// teller holds. Given in the type: `static constexpr bool teller_may_handle = true;`.
template <typename T>
consteval bool teller_may_handle() {
  if constexpr (requires { T::teller_may_handle; }) {
    return T::teller_may_handle;
  } else {
    return false;
  }
}

/// Stands for a type at run time: there is one of each in a process, so its address is the type's identity.
struct message_type {
  std::string_view in_log;  ///< the given name, else what the compiler calls it
  std::string_view name;    ///< the given name or empty
  bool dies_with_actor{false};
  bool teller_may_handle{false};
};

template <typename T>
inline constexpr message_type type_of{message_name<T>.empty() ? compiler_name<T>() : message_name<T>, message_name<T>,
                                      dies_with_actor<T>(), teller_may_handle<T>()};

template <typename T>
inline constexpr bool is_variant = false;
template <typename... Ts>
inline constexpr bool is_variant<std::variant<Ts...>> = true;

/// Whether an actor that takes M takes an A: M itself, one of its alternatives, or a variant of some of them.
template <typename M, typename A>
inline constexpr bool takes = std::is_same_v<M, A>;
template <typename... Ms, typename A>
inline constexpr bool takes<std::variant<Ms...>, A> = (std::is_same_v<Ms, A> || ...);
template <typename... Ms, typename... As>
inline constexpr bool takes<std::variant<Ms...>, std::variant<As...>> = (takes<std::variant<Ms...>, As> && ...);

/// The message of an actor that takes M, made of one of its alternatives or of M itself.
template <typename M, typename A>
[[nodiscard]] M widened(A&& message) {
  if constexpr (std::is_same_v<M, std::remove_cvref_t<A>>) {
    return std::forward<A>(message);
  } else {
    return M{std::in_place_type<std::remove_cvref_t<A>>, std::forward<A>(message)};
  }
}

}  // namespace actor_kernel
}  // namespace muster
