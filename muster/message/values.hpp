#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "muster/message/codec.hpp"
#include "muster/message/enumerators.hpp"
#include "muster/message/ice_values.hpp"
#include "muster/message/kinds.hpp"
#include "muster/message/members.hpp"
#include "muster/message/reader.hpp"
#include "muster/message/writer.hpp"

/// Writes and reads values of all kinds. Members of an aggregate stand in a block: a reader passes over those that it
/// does not know, and members that an earlier build did not write keep what a new value has there.
namespace muster::message {

void write_ref(writer& into, const any_ref& what);
[[nodiscard]] any_ref read_any_ref(reader& from);
template <typename M>
[[nodiscard]] actor_ref<M> read_ref(reader& from);
/// This process reads messages of that type from now on.
template <typename M>
void learn() noexcept;

template <place In, typename T>
void put(writer& into, const T& value);
template <place In, typename T>
void get(reader& from, T& value);

template <place In, typename T>
[[nodiscard]] T take(reader& from) {
  if constexpr (kind_of<T>() == kind::coded) {
    static_assert(sound_codec<T>, "codec<T> has `write(const T&, writer&)` and `T read(reader&)`");
    const reader::block own{from};
    return codec<T>::read(from);
  } else {
    T out{};
    get<In>(from, out);
    return out;
  }
}

// --- numbers ---

template <typename Number>
void put_number(writer& into, Number value) {
  if constexpr (sizeof(Number) == 1)
    into.u8(static_cast<std::uint8_t>(value));
  else if constexpr (sizeof(Number) == 2)
    into.u16(static_cast<std::uint16_t>(value));
  else if constexpr (sizeof(Number) == 4)
    into.u32(static_cast<std::uint32_t>(value));
  else
    into.u64(static_cast<std::uint64_t>(value));
}

template <typename Number>
[[nodiscard]] Number take_number(reader& from) {
  if constexpr (sizeof(Number) == 1)
    return static_cast<Number>(from.u8());
  else if constexpr (sizeof(Number) == 2)
    return static_cast<Number>(from.u16());
  else if constexpr (sizeof(Number) == 4)
    return static_cast<Number>(from.u32());
  else
    return static_cast<Number>(from.u64());
}

template <place In, typename E>
void put_enumerator(writer& into, E value) {
  const auto number = static_cast<std::underlying_type_t<E>>(value);
  if constexpr (In == place::slice)
    into.size(static_cast<std::size_t>(number));
  else
    put_number(into, number);
}

template <place In, typename E>
[[nodiscard]] E take_enumerator(reader& from) {
  using number = std::underlying_type_t<E>;
  number value{};
  if constexpr (In == place::slice) {
    const std::size_t read = from.size();
    value = static_cast<number>(read);
    if (static_cast<std::size_t>(value) != read) from.set_failed();
  } else if constexpr (std::is_same_v<number, bool>) {
    value = from.boolean();
  } else {
    value = take_number<number>(from);
  }
  // Unsigned numbers of 64 bits that do not fit are far beyond the enumerators that are looked at.
  if (static_cast<std::uint64_t>(value) <= INT64_MAX || std::is_signed_v<number>) {
    if (!enumerators<E>::contains(static_cast<std::int64_t>(value))) from.set_failed();
  }
  return from.failed() ? E{} : static_cast<E>(value);
}

/// Ticks of a duration: 64 bits, or a double.
template <typename Rep>
void put_ticks(writer& into, Rep ticks) {
  if constexpr (std::is_floating_point_v<Rep>)
    into.f64(static_cast<double>(ticks));
  else
    into.u64(static_cast<std::uint64_t>(static_cast<std::int64_t>(ticks)));
}

template <typename Rep>
[[nodiscard]] Rep take_ticks(reader& from) {
  if constexpr (std::is_floating_point_v<Rep>) {
    return static_cast<Rep>(from.f64());
  } else {
    const auto read = static_cast<std::int64_t>(from.u64());
    const Rep ticks = static_cast<Rep>(read);
    if (static_cast<std::int64_t>(ticks) != read) from.set_failed();
    return ticks;
  }
}

// --- what is made of others ---

/// Numbers that stand in memory as they stand in a message.
template <typename T>
concept packed_numbers = std::endian::native == std::endian::little&& requires(T& value) {
  { value.data() } -> std::same_as<typename T::value_type*>;
  value.resize(std::size_t{1});
}
&&(kind_of<typename T::value_type>() == kind::number || kind_of<typename T::value_type>() == kind::real);

template <place In, typename T>
void get_sequence(reader& from, T& value) {
  using item = typename T::value_type;
  value.clear();
  if constexpr (packed_numbers<T>) {
    value.resize(from.count(sizeof(item)));
    const byte_view all = from.raw(value.size() * sizeof(item));
    if (!all.empty()) std::memcpy(value.data(), all.data(), all.size());
  } else {
    // One by one: memory is taken for what is there, not for what is claimed.
    for (std::size_t left = from.count(bytes_min<In, item>()); left != 0 && !from.failed(); --left) {
      from.keep(sizeof(item));
      value.push_back(take<In, item>(from));
    }
  }
}

template <place In, typename T>
void get_map(reader& from, T& value) {
  using key = typename T::key_type;
  value.clear();
  for (std::size_t left = from.count(bytes_min<In, key>()); left != 0 && !from.failed(); --left) {
    from.keep(sizeof(typename T::value_type));
    // In this order.
    key under = take<In, key>(from);
    auto put_in = value.emplace(std::move(under), take<In, typename T::mapped_type>(from));
    if constexpr (requires { put_in.second; }) {
      if (!put_in.second) from.set_failed();  // a map has no key twice
    }
  }
}

template <place In, typename T>
void get_set(reader& from, T& value) {
  using item = typename T::value_type;
  value.clear();
  for (std::size_t left = from.count(bytes_min<In, item>()); left != 0 && !from.failed(); --left) {
    from.keep(sizeof(item));
    auto put_in = value.insert(take<In, item>(from));
    if constexpr (requires { put_in.second; }) {
      if (!put_in.second) from.set_failed();
    }
  }
}

template <place In, typename... Alternatives>
void get_variant(reader& from, std::variant<Alternatives...>& value) {
  const std::size_t which = from.size();
  const bool is_known = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return ((which == I && (value.template emplace<I>(take<In, Alternatives>(from)), true)) || ...);
  }
  (std::index_sequence_for<Alternatives...>{});
  if (!is_known) from.set_failed();
}

/// The members stand in a block of their own; of a Slice struct within another they do not.
template <place In, typename T>
void put_slice(writer& into, const T& value) {
  const auto members = [&] {
    std::apply([&](const auto&... all) { (put<place::slice>(into, all), ...); }, value.ice_tuple());
  };
  if constexpr (In == place::slice) {
    members();
  } else {
    const writer::block own{into};
    members();
  }
}

template <place In, typename T>
void get_slice(reader& from, T& value) {
  // The tuple promises not to change what it refers to; the value itself is not constant.
  const auto one = [&]<typename Member>(const Member& member) {
    if (In == place::slice || !from.at_end()) get<place::slice>(from, const_cast<Member&>(member));
  };
  const auto members = [&] { std::apply([&](const auto&... all) { (one(all), ...); }, value.ice_tuple()); };
  if constexpr (In == place::slice) {
    members();
  } else {
    const reader::block own{from};
    members();
  }
}

// --- what Ice's streams write and read ---

// These are complete only where such a type is, so nothing below looks at them before it knows the type.

template <typename T>
void put_by_ice(writer& into, const T& value) {
  write_by_ice(into, &value, [](auto& stream, const void* what) { stream.write(*static_cast<const T*>(what)); });
}

/// A block of its own; within a Slice struct it stands as Ice has it.
template <place In, typename T>
void put_proxy(writer& into, const T& value) {
  if constexpr (In == place::slice) {
    put_by_ice(into, value);
  } else {
    const writer::block own{into};
    put_by_ice(into, value);
  }
}

template <place In, typename T>
void get_proxy(reader& from, T& value) {
  const ice_reading read = [](auto& stream, void* into) { stream.read(*static_cast<T*>(into)); };
  value = nullptr;
  if constexpr (In == place::slice) {
    read_proxy(from, &value, read);
  } else {
    const reader::block own{from};
    read_proxy(from, &value, read);
  }
}

template <typename T>
void get_graph(reader& from, T& value) {
  struct attempt {
    T& value;
    const T before;
  };
  const reader::block own{from};
  attempt into{value, value};
  read_graph(from, &into, [](auto& stream, void* what) {
    T& out = static_cast<attempt*>(what)->value;
    out = static_cast<attempt*>(what)->before;
    if constexpr (slice_struct<T>) {
      // As of all structs: members at its end that an earlier build did not write keep what a new value has.
      const auto one = [&](const auto& member) {
        if (stream.pos() < stream.b.size()) stream.read(const_cast<std::decay_t<decltype(member)>&>(member));
      };
      std::apply([&](const auto&... all) { (one(all), ...); }, out.ice_tuple());
    } else {
      stream.read(out);
    }
  });
}

// --- all of them ---

template <place In, typename T>
void put(writer& into, const T& value) {
  constexpr kind what = kind_of<T>();
  static_assert(what != kind::none,
                "this type cannot be written: give it a muster::codec, or make it an aggregate of types that can be "
                "(docs/guide-messages.md lists them; no pointers, views, steady times or C arrays)");
  if constexpr (what == kind::coded) {
    static_assert(sound_codec<T>, "codec<T> has `write(const T&, writer&)` and `T read(reader&)`");
    const writer::block own{into};
    codec<T>::write(value, into);
  } else if constexpr (what == kind::boolean) {
    into.boolean(value);
  } else if constexpr (what == kind::number) {
    put_number(into, value);
  } else if constexpr (what == kind::real) {
    if constexpr (sizeof(T) == 4)
      into.f32(value);
    else
      into.f64(value);
  } else if constexpr (what == kind::enumerator) {
    put_enumerator<In>(into, value);
  } else if constexpr (what == kind::text) {
    into.string(value);
  } else if constexpr (what == kind::duration) {
    put_ticks(into, value.count());
  } else if constexpr (what == kind::time_point) {
    put_ticks(into, value.time_since_epoch().count());
  } else if constexpr (what == kind::optional) {
    into.boolean(value.has_value());
    if (value) put<In, typename T::value_type>(into, *value);
  } else if constexpr (what == kind::variant) {
    if (value.valueless_by_exception()) return into.set_failed();
    into.size(value.index());
    std::visit([&](const auto& held) { put<In>(into, held); }, value);
  } else if constexpr (what == kind::array) {
    for (const auto& item : value) put<In>(into, item);
  } else if constexpr (what == kind::tuple) {
    std::apply([&](const auto&... all) { (put<In>(into, all), ...); }, value);
  } else if constexpr (what == kind::sequence) {
    into.size(value.size());
    if constexpr (packed_numbers<T>) {
      into.raw({reinterpret_cast<const std::uint8_t*>(value.data()), value.size() * sizeof(typename T::value_type)});
    } else {
      for (const auto& item : value) put<In, typename T::value_type>(into, item);
    }
  } else if constexpr (what == kind::set) {
    into.size(value.size());
    for (const auto& item : value) put<In>(into, item);
  } else if constexpr (what == kind::map) {
    into.size(value.size());
    for (const auto& [key, item] : value) {
      put<In>(into, key);
      put<In>(into, item);
    }
  } else if constexpr (what == kind::strong) {
    put<In>(into, value.value());
  } else if constexpr (what == kind::actor_ref) {
    learn<typename T::message_type>();
    write_ref(into, value);
  } else if constexpr (what == kind::any_ref) {
    write_ref(into, value);
  } else if constexpr (what == kind::slice) {
    put_slice<In>(into, value);
  } else if constexpr (what == kind::proxy) {
    put_proxy<In>(into, value);
  } else if constexpr (what == kind::graph) {
    const writer::block own{into};
    put_by_ice(into, value);
  } else if constexpr (what == kind::aggregate) {
    const writer::block own{into};
    for_each_member(value, [&](const auto& member) { put<In>(into, member); });
  }
}

template <place In, typename T>
void get(reader& from, T& value) {
  constexpr kind what = kind_of<T>();
  static_assert(what != kind::none, "this type cannot be read: see docs/guide-messages.md");
  if constexpr (what == kind::coded) {
    value = take<In, T>(from);
  } else if constexpr (what == kind::boolean) {
    value = from.boolean();
  } else if constexpr (what == kind::number) {
    value = take_number<T>(from);
  } else if constexpr (what == kind::real) {
    if constexpr (sizeof(T) == 4)
      value = from.f32();
    else
      value = from.f64();
  } else if constexpr (what == kind::enumerator) {
    value = take_enumerator<In, T>(from);
  } else if constexpr (what == kind::text) {
    value = from.string();
  } else if constexpr (what == kind::duration) {
    value = T{take_ticks<typename T::rep>(from)};
  } else if constexpr (what == kind::time_point) {
    value = T{typename T::duration{take_ticks<typename T::rep>(from)}};
  } else if constexpr (what == kind::optional) {
    value.reset();
    if (from.boolean()) value.emplace(take<In, typename T::value_type>(from));
  } else if constexpr (what == kind::variant) {
    get_variant<In>(from, value);
  } else if constexpr (what == kind::array) {
    for (auto& item : value) get<In>(from, item);
  } else if constexpr (what == kind::tuple) {
    std::apply([&](auto&... all) { (get<In>(from, all), ...); }, value);
  } else if constexpr (what == kind::sequence) {
    get_sequence<In>(from, value);
  } else if constexpr (what == kind::set) {
    get_set<In>(from, value);
  } else if constexpr (what == kind::map) {
    get_map<In>(from, value);
  } else if constexpr (what == kind::strong) {
    value = T{take<In, typename T::value_type>(from)};
  } else if constexpr (what == kind::actor_ref) {
    learn<typename T::message_type>();
    value = read_ref<typename T::message_type>(from);
  } else if constexpr (what == kind::any_ref) {
    value = read_any_ref(from);
  } else if constexpr (what == kind::slice) {
    get_slice<In>(from, value);
  } else if constexpr (what == kind::proxy) {
    get_proxy<In>(from, value);
  } else if constexpr (what == kind::graph) {
    get_graph(from, value);
  } else if constexpr (what == kind::aggregate) {
    const reader::block own{from};
    for_each_member(value, [&](auto& member) {
      if (!from.at_end()) get<In>(from, member);
    });
  }
}

/// For a user's codec: a value within another one.
template <serialisable T>
void write(writer& into, const T& value) {
  put<place::message>(into, value);
}
template <serialisable T>
[[nodiscard]] T read(reader& from) {
  return take<place::message, T>(from);
}

}  // namespace muster::message
