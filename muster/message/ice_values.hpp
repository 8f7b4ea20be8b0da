#pragma once

#include <memory>
#include <type_traits>

#include "muster/message/reader.hpp"
#include "muster/message/writer.hpp"

namespace Ice {  // NOLINT(readability-identifier-naming): Ice gives the name
class InputStream;
class ObjectPrx;
class OutputStream;
class Value;
}  // namespace Ice

/// What only Ice's own streams can write and read: proxies, and instances of Slice classes with all that hangs on them.
/// No header of Ice is included here: who has such types has those that are generated for them.
namespace muster::message {

template <typename T, typename = void>
inline constexpr bool is_complete = false;
template <typename T>
inline constexpr bool is_complete<T, std::void_t<decltype(sizeof(T))>> = true;

template <typename Base, typename T>
[[nodiscard]] consteval bool is_derived_from() {
  if constexpr (std::is_class_v<T> && !std::is_const_v<T>) {
    if constexpr (std::is_same_v<Base, T>)
      return true;
    else if constexpr (is_complete<T>)
      return std::is_base_of_v<Base, T>;
    else
      return false;
  } else {
    return false;
  }
}

/// `std::shared_ptr<XPrx>`, of whatever interface.
template <typename T>
inline constexpr bool is_proxy = false;
template <typename T>
inline constexpr bool is_proxy<std::shared_ptr<T>> = is_derived_from<Ice::ObjectPrx, T>();
/// `std::shared_ptr<X>`, X being a Slice class.
template <typename T>
inline constexpr bool is_instance = false;
template <typename T>
inline constexpr bool is_instance<std::shared_ptr<T>> = is_derived_from<Ice::Value, T>();

using ice_writing = void (*)(Ice::OutputStream& into, const void* value);
using ice_reading = void (*)(Ice::InputStream& from, void* value);

/// What `write` writes into a stream of the encoding 1.1, with slices that can be passed over. Fails if it throws.
void write_by_ice(writer& into, const void* value, ice_writing write);

/// A proxy is looked at before Ice reads it: where it ends, and that its endpoints are there. A null one leaves `value`
/// as it is, and needs no streams.
void read_proxy(reader& from, void* value, ice_reading read);

/// Reads all that is left, of which a part may be left over. `read` is called once more where there are classes that
/// are not known. Instances are counted as they are made, and fail where there are too many, where they are nested too
/// deeply or take far more memory than bytes. docs/protocols/messages.md has the bounds, and what Ice checks.
void read_graph(reader& from, void* value, ice_reading read);

}  // namespace muster::message
