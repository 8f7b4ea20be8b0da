#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "muster/actor/actor_ref.hpp"
#include "muster/receptionist/any_listing.hpp"
#include "muster/receptionist/audience.hpp"
#include "muster/receptionist/listing.hpp"
#include "muster/receptionist/service_key.hpp"

/// What a receptionist is told, and what it answers. A consumer's message is one of the answers, or a `std::variant` of
/// those that it wants to hear.
namespace muster::receptionist {

// --- answers ---

/// The actor can be found under this key, from now on.
struct registered {
  any_key key;
  any_ref ref;
};

/// It cannot be found under this key through this node any more, or never could.
struct deregistered {
  any_key key;
  any_ref ref;
};

enum class refusal : std::uint8_t {
  null_ref,
  stopped,      ///< the actor is no more
  remote,       ///< it lives on another node, or in another actor system: it is registered where it lives
  invalid_key,  ///< the key has no id
  over_bound,   ///< the sentence names which
};
[[nodiscard]] std::string_view to_string(refusal why) noexcept;

/// Nothing was registered. For a `reply_to` that has a place for it; for others it is a dead letter.
struct register_refused {
  any_key key;
  any_ref ref;
  refusal reason{};
  std::string sentence;
};

/// No place was left: no listing comes. For a subscriber that has no place for it this is a dead letter, and an error
/// in the log.
template <typename T>
struct subscribe_rejected {
  service_key<T> key;
  rejection reason{};
  std::size_t limit{0};
};

/// Likewise for whoever subscribes to registrations of every type.
struct any_subscribe_rejected {
  any_key key;
  rejection reason{};
  std::size_t limit{0};
};

template <typename T>
inline constexpr audience_for<listing<T>, subscribe_rejected<T>> audience_of{};
inline constexpr audience_for<any_listing, any_subscribe_rejected> audience_of_all{};

// --- requests ---

/// Makes an actor of this node known under a key, to all nodes. `registered` comes once it is recorded, also when it
/// was before. Several actors may have one key, and one actor several.
///
///     receptionist.tell(register_{api_key, api}.while_alive());
///
/// With `while_alive()` the registration ends with the actor; without, it stays until `deregister`, and what is told to
/// an actor that has stopped becomes dead letters.
class register_ {  // NOLINT(readability-identifier-naming): `register` is a keyword
 public:
  static constexpr bool teller_may_handle = true;

  template <typename T>
  register_(const service_key<T>& under, std::type_identity_t<actor_ref<T>> who, actor_ref<registered> answer_to = {})
      : key{under}, ref{std::move(who)}, type{&actor_kernel::type_of<T>}, reply_to{std::move(answer_to)} {}

  [[nodiscard]] register_ while_alive() && {
    ends_with_actor = true;
    return std::move(*this);
  }
  [[nodiscard]] register_ while_alive() const& { return register_{*this}.while_alive(); }

  any_key key;
  any_ref ref;
  const actor_kernel::message_type* type;
  actor_ref<registered> reply_to;
  bool ends_with_actor{false};
};

/// Takes an actor from under a key; it lives on. `deregistered` comes in any case: to take what is not there is to do
/// nothing.
class deregister {
 public:
  static constexpr bool teller_may_handle = true;

  deregister(const any_key& from, any_ref who, actor_ref<deregistered> answer_to = {})
      : key{from}, ref{std::move(who)}, reply_to{std::move(answer_to)} {}

  any_key key;
  any_ref ref;
  actor_ref<deregistered> reply_to;
};

/// Exactly one `listing<T>` comes: what this node knows now. Nothing is asked of others. With an actor that takes
/// `any_listing` one of these comes, with registrations of every type.
class find {
 public:
  static constexpr bool teller_may_handle = true;

  template <typename T>
  find(const service_key<T>& what, std::type_identity_t<actor_ref<listing<T>>> answer_to)
      : key{what}, reply_to{std::move(answer_to)}, kind{&audience_of<T>} {}
  find(const any_key& what, actor_ref<any_listing> answer_to)
      : key{what}, reply_to{std::move(answer_to)}, kind{&audience_of_all} {}

  any_key key;
  any_ref reply_to;
  const audience* kind;
};

/// A `listing<T>` comes now and after each change of what it shows, or one `subscribe_rejected<T>` and nothing else. To
/// subscribe again takes no second place and brings the current listing once more. A subscriber that stops is
/// unsubscribed.
///
/// An actor that takes `any_listing` subscribes to registrations of every type by an `any_key`, under the same rules
/// and bounds. One actor has one subscription to a key, of the kind that it asked for last.
class subscribe {
 public:
  static constexpr bool teller_may_handle = true;

  template <typename T>
  subscribe(const service_key<T>& to, std::type_identity_t<actor_ref<listing<T>>> who)
      : key{to}, subscriber{std::move(who)}, kind{&audience_of<T>} {}
  subscribe(const any_key& to, actor_ref<any_listing> who)
      : key{to}, subscriber{std::move(who)}, kind{&audience_of_all} {}

  any_key key;
  any_ref subscriber;
  const audience* kind;
};

/// No listing is sent any more; one may be on its way.
class unsubscribe {
 public:
  static constexpr bool teller_may_handle = true;

  unsubscribe(const any_key& from, any_ref who) : key{from}, subscriber{std::move(who)} {}

  any_key key;
  any_ref subscriber;
};

/// What anybody may tell a receptionist.
using request = std::variant<register_, deregister, find, subscribe, unsubscribe>;

}  // namespace muster::receptionist

namespace muster {
using receptionist::any_subscribe_rejected;
using receptionist::subscribe_rejected;
}  // namespace muster
