#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "muster/actor/actor_system.hpp"
#include "muster/base/bytes.hpp"
#include "muster/cluster/actor_messages.hpp"
#include "muster/message/ice_streams.hpp"
#include "muster/message/remote_actor.hpp"
#include "muster/message/sendable.hpp"

namespace muster::cluster {
class inbound_codecs;
}

/// What this process can read. There is one table in a process, and it fills itself: a program that has a service key
/// of some message, or writes or reads a message with a ref in it, knows those messages before `main` begins.
namespace muster::message {

/// How one type of messages is read and handed over. Nothing when that was done.
struct inbound_type {
  std::string_view name;
  std::string_view type;  ///< what the compiler calls it
  std::optional<cluster::fate> (*hand_over)(const actor_system&, const actor_address&, byte_view content,
                                            const ice_streams* streams);
};

/// Into the table of the process. Any thread; twice does no harm. Two types of one name end the process at once, naming
/// both: bytes of one would be taken for the other.
void add_inbound(const inbound_type& what);
/// Null for a name that the process does not know.
[[nodiscard]] const inbound_type* find_inbound(std::string_view name);

/// For `cluster::attachment`: all that the process knows, whenever it has come to know it. Without streams a message
/// with a proxy or an instance of a Slice class in it is undecodable.
[[nodiscard]] std::shared_ptr<const cluster::inbound_codecs> inbound_messages(
    std::shared_ptr<const ice_streams> streams = {});

template <sendable A>
[[nodiscard]] std::optional<cluster::fate> hand_over(const actor_system& system, const actor_address& to,
                                                     byte_view content, const ice_streams* streams) {
  // What nobody will take need not be read.
  const auto whom = system.resolve<A>(to);
  if (!whom) return whom.error().code == errc::incompatible ? cluster::fate::unhandled : cluster::fate::stopped;
  if (whom->is_stopped()) return cluster::fate::stopped;
  reader from{content, &system, streams};
  std::optional<A> message = content_codec<A>::read(from);
  if (!message) return cluster::fate::undecodable;
  if (const auto told = whom->try_tell(*std::move(message)); !told) {
    return told.error().code == errc::limit_exceeded ? cluster::fate::full : cluster::fate::stopped;
  }
  return std::nullopt;
}

/// Likewise without streams: for `cluster::inbound_codecs::add`.
template <sendable A>
[[nodiscard]] std::optional<cluster::fate> deliver(const actor_system& system, const actor_address& to,
                                                   byte_view content) {
  return hand_over<A>(system, to, content, nullptr);
}

/// Whoever names `is_known` has the type in the table: it is added while the program is loaded.
template <sendable A>
struct known {
  static inline const bool is_known =
      (add_inbound({message_name<A>, actor_kernel::compiler_name<A>(), &hand_over<A>}), true);
};

template <typename M>
void learn() noexcept {
  const auto name = []<typename A>(std::type_identity<A>) {
    if constexpr (sendable<A>) {
      // To take the address is to use it, so it is there and has been set.
      static_cast<void>(&known<A>::is_known);
    }
  };
  if constexpr (actor_kernel::is_variant<M>) {
    [&]<typename... Alternatives>(std::type_identity<std::variant<Alternatives...>>) {
      (name(std::type_identity<Alternatives>{}), ...);
    }(std::type_identity<M>{});
  } else {
    name(std::type_identity<M>{});
  }
}

}  // namespace muster::message
