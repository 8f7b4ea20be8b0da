#include "muster/cluster/actor_messages.hpp"

#include <type_traits>
#include <utility>

#include "muster/base/codec.hpp"

namespace muster::cluster {
namespace {

constexpr std::size_t number_bytes_max = 10;

void write(byte_writer& into, const actor_key& what) {
  into.string(what.path);
  into.size(what.incarnation);
}

actor_key read_key(byte_reader& from) {
  actor_key out;
  const auto path = from.string();
  out.incarnation = from.size();
  if (path.size() > path_bytes_max) {
    from.set_failed();
    return {};
  }
  out.path = path;
  return out;
}

std::string read_name(byte_reader& from) {
  const auto name = from.string();
  if (name.size() > message_name_bytes_max) {
    from.set_failed();
    return {};
  }
  return std::string{name};
}

template <typename Enum>
Enum read_enum(byte_reader& from, Enum last) {
  const auto value = from.u8();
  if (value > static_cast<std::uint8_t>(last)) from.set_failed();
  return static_cast<Enum>(value);
}

struct body_writer {
  byte_writer& into;

  void operator()(const tell& what) const {
    write(into, what.to);
    into.string(what.name);
    into.blob(what.content);
  }
  void operator()(const undelivered& what) const {
    write(into, what.to);
    into.string(what.name);
    into.u8(static_cast<std::uint8_t>(what.why));
  }
  void operator()(const stop_request& what) const {
    write(into, what.whom);
    into.u8(static_cast<std::uint8_t>(what.when));
  }
  template <typename OfWatch>
  void operator()(const OfWatch& what) const {
    write(into, what.whom);
    into.size(what.round);
  }
};

template <typename Message>
Message read_body(byte_reader& from) {
  Message out;
  if constexpr (std::is_same_v<Message, tell>) {
    out.to = read_key(from);
    out.name = read_name(from);
    const auto content = from.blob();
    out.content.assign(content.begin(), content.end());
  } else if constexpr (std::is_same_v<Message, undelivered>) {
    out.to = read_key(from);
    out.name = read_name(from);
    out.why = read_enum(from, fate::undecodable);
  } else {
    out.whom = read_key(from);
    if constexpr (std::is_same_v<Message, stop_request>) {
      out.when = read_enum(from, stop_when::now);
    } else {
      out.round = from.size();
    }
  }
  return out;
}

template <std::size_t... Kinds>
bool read_kind(std::size_t kind, byte_reader& from, actor_message& out, std::index_sequence<Kinds...>) {
  return ((kind == Kinds && (out = read_body<std::variant_alternative_t<Kinds, actor_message>>(from), true)) || ...);
}

}  // namespace

std::string_view to_string(fate value) noexcept {
  switch (value) {
    case fate::stopped: return "stopped";
    case fate::full: return "full";
    case fate::unhandled: return "unhandled";
    case fate::undecodable: return "undecodable";
  }
  return "unknown";
}

bytes encode(const actor_envelope& what) {
  byte_writer into;
  into.u8(actors_version);
  into.size(what.to);
  into.size(what.sequence);
  into.u8(static_cast<std::uint8_t>(what.what.index()));
  std::visit(body_writer{into}, what.what);
  return std::move(into).take();
}

result<actor_envelope> decode_actor_envelope(byte_view input) {
  byte_reader from{input};
  if (const auto version = from.u8(); version != actors_version && !from.failed()) {
    return fail(errc::incompatible, "a message for actors has version {}; this build knows {}", version,
                actors_version);
  }
  actor_envelope out;
  out.to = from.size();
  out.sequence = from.size();
  const auto kind = from.u8();
  if (!read_kind(kind, from, out.what, std::make_index_sequence<std::variant_size_v<actor_message>>{})) {
    return fail(errc::incompatible, "a message for actors is of kind {}, which this build does not know", kind);
  }
  if (auto whole = from.finish("a message for actors"); !whole) return fail(std::move(whole).error());
  if (out.sequence == 0) return fail(errc::corrupt, "a message for actors has number 0; the first is 1");
  return out;
}

std::size_t tell_overhead_bytes_max(std::string_view path, std::string_view name) noexcept {
  return 2 + path.size() + name.size() + 6 * number_bytes_max;
}

}  // namespace muster::cluster
