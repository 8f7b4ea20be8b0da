#pragma once

#include <concepts>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "muster/actor/actor_system.hpp"
#include "muster/base/codec.hpp"
#include "muster/cluster/actor_messages.hpp"

namespace muster::cluster {

/// How messages of type A are read: `Codec::read(system, from)` gives the message, or nothing when the bytes are not
/// one. The system makes refs of the addresses in it (`read_ref`).
template <typename Codec, typename A>
concept message_reader = requires(const actor_system& system, byte_reader& from) {
  { Codec::read(system, from) } -> std::convertible_to<std::optional<A>>;
};

/// The messages that actors of this node take from other nodes, by name. Filled before the node joins.
class inbound_codecs {
 public:
  /// Nothing when the message was handed over.
  using hand_over = std::function<std::optional<fate>(const actor_system&, const actor_address&, byte_view)>;

  /// Messages of type A under the name that the type was given.
  template <named_message A, message_reader<A> Codec>
  void add() {
    add(message_name<A>, [](const actor_system& system, const actor_address& to, byte_view content) {
      return read_and_tell<A, Codec>(system, to, content);
    });
  }
  /// In place of what was known under the name.
  void add(std::string_view name, hand_over how) { by_name_.insert_or_assign(std::string{name}, std::move(how)); }

  /// Asked for names that were not added, on the turns of a node: an empty function where the name is unknown there,
  /// too.
  void look_up_others(std::function<hand_over(std::string_view name)> how) { others_ = std::move(how); }

  [[nodiscard]] std::optional<fate> deliver(const actor_system& system, const actor_address& to, std::string_view name,
                                            byte_view content) const;

 private:
  template <typename A, typename Codec>
  static std::optional<fate> read_and_tell(const actor_system& system, const actor_address& to, byte_view content) {
    const auto whom = system.resolve<A>(to);
    if (!whom) return whom.error().code == errc::incompatible ? fate::unhandled : fate::stopped;
    if (whom->is_stopped()) return fate::stopped;
    byte_reader from{content};
    std::optional<A> message = Codec::read(system, from);
    if (!message || from.failed() || !from.at_end()) return fate::undecodable;
    if (const auto told = whom->try_tell(*std::move(message)); !told) {
      return told.error().code == errc::limit_exceeded ? fate::full : fate::stopped;
    }
    return std::nullopt;
  }

  std::map<std::string, hand_over, std::less<>> by_name_;
  std::function<hand_over(std::string_view)> others_;
};

/// An address within a message. A null ref is written as an empty one.
void write_address(byte_writer& into, const actor_address& what);
[[nodiscard]] actor_address read_address(byte_reader& from);

}  // namespace muster::cluster
