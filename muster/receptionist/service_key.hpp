#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "muster/gossip/shared_text.hpp"
#include "muster/gossip/stable_hash.hpp"
#include "muster/message/inbound.hpp"

namespace muster {

/// The id of a service, whatever its messages are. All that goes by key goes by this id: listings, bounds,
/// `unsubscribe`. A small value, copied at the price of one atomic increment.
class any_key {
 public:
  any_key() noexcept = default;
  explicit any_key(std::string_view id) : any_key{gossip::shared_text{id}} {}
  explicit any_key(gossip::shared_text id) : id_{std::move(id)}, hash_{gossip::hash_text(id_.view())} {}

  [[nodiscard]] std::string_view id() const noexcept { return id_.view(); }
  [[nodiscard]] const gossip::shared_text& text() const noexcept { return id_; }
  /// The same on all nodes.
  [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }

  friend bool operator==(const any_key& a, const any_key& b) noexcept { return a.hash_ == b.hash_ && a.id_ == b.id_; }
  friend std::strong_ordering operator<=>(const any_key& a, const any_key& b) noexcept { return a.id_ <=> b.id_; }

 private:
  gossip::shared_text id_;
  std::uint64_t hash_{gossip::hash_text({})};
};

/// Names a service whose actors take messages of type T. Defined once, in a header that all who offer or use it share:
///
///     inline const muster::service_key<api_message> api_key{"api-service"};
///
/// Two keys of equal id are the same key. Should they have different message types, then each sees only what was
/// registered with a type of the same *name* (`message_name<T>`). A program with a key in it reads the messages of the
/// key when they come from other nodes: nothing else need be done for that (message/inbound.hpp).
template <typename T>
class service_key : public any_key {
 public:
  using message_type = T;

  service_key() noexcept { muster::message::learn<T>(); }
  explicit service_key(std::string_view id) : any_key{id} { muster::message::learn<T>(); }
  /// The caller knows what its actors take.
  explicit service_key(any_key id) noexcept : any_key{std::move(id)} { muster::message::learn<T>(); }
};

/// Keys are values: a message may hold them.
template <>
struct codec<any_key> {
  static void write(const any_key& what, message::writer& into) { into.string(what.id()); }
  static any_key read(message::reader& from) { return any_key{from.string()}; }
};
template <typename T>
struct codec<service_key<T>> {
  static void write(const service_key<T>& what, message::writer& into) { into.string(what.id()); }
  static service_key<T> read(message::reader& from) { return service_key<T>{from.string()}; }
};

}  // namespace muster

template <>
struct std::hash<muster::any_key> {
  std::size_t operator()(const muster::any_key& key) const noexcept { return static_cast<std::size_t>(key.hash()); }
};
template <typename T>
struct std::hash<muster::service_key<T>> : std::hash<muster::any_key> {};

template <>
struct fmt::formatter<muster::any_key> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(const muster::any_key& key, Context& context) const {
    return fmt::formatter<std::string_view>::format(key.id(), context);
  }
};
template <typename T>
struct fmt::formatter<muster::service_key<T>> : fmt::formatter<muster::any_key> {};
