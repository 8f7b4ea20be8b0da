#pragma once

#include <concepts>

#include "muster/message/reader.hpp"
#include "muster/message/writer.hpp"

namespace muster {

/// How values of type T are written and read, where its members do not say so by themselves: a type with invariants, a
/// handle, a type of another library. Specialized beside T, before any use:
///
///     template <>
///     struct muster::codec<money> {
///       static void write(const money& what, muster::message::writer& into) { into.u64(what.cents()); }
///       static money read(muster::message::reader& from) { return money{from.u64()}; }
///     };
///
/// `read` may give anything once `from` has failed, and says `from.set_failed()` of what cannot be. What it leaves
/// unread is passed over, and a later build may write more at the end: `from.at_end()` tells the reader whether there
/// is. Within it `message::write(into, member)` and `message::read<Member>(from)` write and read what has a codec
/// already.
template <typename T>
struct codec;

namespace message {

/// Somebody has specialized `codec` for it.
template <typename T>
concept given_codec = requires {
  sizeof(codec<T>);
};

/// What such a specialization has to have.
template <typename T>
concept sound_codec = requires(const T& value, writer& into, reader& from) {
  codec<T>::write(value, into);
  { codec<T>::read(from) } -> std::convertible_to<T>;
};

}  // namespace message
}  // namespace muster
