#pragma once

#include <concepts>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "muster/actor/message_name.hpp"
#include "muster/base/codec.hpp"
#include "muster/message/kinds.hpp"
#include "muster/message/values.hpp"

namespace muster {
namespace message {

template <typename T>
inline constexpr bool is_sendable = named_message<T>&& can_be_written<T>();
template <typename... Alternatives>
inline constexpr bool is_sendable<std::variant<Alternatives...>> = (is_sendable<Alternatives> && ...);

}  // namespace message

/// Messages of type T reach actors of other nodes: T has a name (`message_name`) and is made of what can be written, or
/// has a `codec`; of a variant each alternative is so. Worth a `static_assert` beside the type, since an actor of
/// another node that is told anything else makes a dead letter of it.
template <typename T>
concept sendable = message::is_sendable<T>;

namespace message {

/// How messages of type T stand between nodes: their name and their content; of a variant those of what it holds. It is
/// what `remote_ref` and `cluster::inbound_codecs` take as a codec.
template <sendable T>
struct content_codec {
  [[nodiscard]] static std::string_view name(const T&) { return message_name<T>; }
  static void write(const T& what, byte_writer& into) {
    write_content(into, &what,
                  [](writer& out, const void* value) { put<place::message>(out, *static_cast<const T*>(value)); });
  }
  /// Nothing when the bytes are not such a message.
  [[nodiscard]] static std::optional<T> read(const actor_system& system, byte_reader& from) {
    reader in{from.rest(), &system};
    return read(in);
  }
  [[nodiscard]] static std::optional<T> read(reader& from) {
    std::optional<T> out;
    const bool is_one = read_content(from, &out, [](reader& in, void* value) {
      static_cast<std::optional<T>*>(value)->emplace(take<place::message, T>(in));
    });
    if (!is_one) out.reset();
    return out;
  }
};

template <sendable... Alternatives>
struct content_codec<std::variant<Alternatives...>> {
  using variant = std::variant<Alternatives...>;
  [[nodiscard]] static std::string_view name(const variant& what) {
    return std::visit([]<typename A>(const A& held) { return content_codec<A>::name(held); }, what);
  }
  static void write(const variant& what, byte_writer& into) {
    std::visit([&]<typename A>(const A& held) { content_codec<A>::write(held, into); }, what);
  }
};

}  // namespace message
}  // namespace muster
