#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "muster/base/prng.hpp"
#include "muster/gossip/stable_hash.hpp"
#include "muster/receptionist/receptionist.hpp"
#include "muster/receptionist/router_core.hpp"

namespace muster {

/// A message on its way to an actor, as `group_router` with `least_in_flight` counts it: it is in flight until this,
/// and all its copies, are gone. Keep it with the answer that is waited for, for example within the callback of an
/// `ask`.
using in_flight = std::shared_ptr<const void>;

/// Tells messages to the actors that are registered under a key, whoever they are at that moment: those of the current
/// listing that can be reached. It needs no actor of its own; any thread uses it, without waiting.
///
///     muster::group_router<job> workers{receptionist, worker_key};                     // round robin
///     muster::group_router<job> by_user{receptionist, worker_key,
///         muster::group_router<job>::by_hash([](const job& j) { return std::string_view{j.user}; })};
///     workers.tell(job{...});
template <typename T>
class group_router {
 public:
  /// Chooses one of `refs`, which are not empty, for a message.
  using choice = std::function<std::size_t(std::span<const actor_ref<T>> refs, const T& message)>;

  /// One after the other.
  [[nodiscard]] static choice round_robin() {
    return [next = std::make_shared<std::atomic<std::uint64_t>>(0)](auto refs, const T&) {
      return static_cast<std::size_t>(next->fetch_add(1, std::memory_order_relaxed) % refs.size());
    };
  }
  /// Any, all as likely. Two with the same seed choose alike.
  [[nodiscard]] static choice random(std::uint64_t seed) {
    return [state = std::make_shared<std::atomic<std::uint64_t>>(seed)](auto refs, const T&) {
      prng draw{state->fetch_add(1, std::memory_order_relaxed)};
      return static_cast<std::size_t>(draw.below(refs.size()));
    };
  }
  /// Messages of equal keys go to the same actor, on every node, as long as it is there; when one leaves or comes, only
  /// the keys of that one move (rendezvous hashing: Thaler and Ravishankar, 1998). `key_of(message)` gives a text.
  template <std::invocable<const T&> KeyOf>
  [[nodiscard]] static choice by_hash(KeyOf key_of) {
    return [key_of = std::move(key_of)](auto refs, const T& message) {
      const auto& key = key_of(message);
      const std::uint64_t hash = gossip::hash_text(std::string_view{key});
      std::size_t best = 0;
      std::uint64_t highest = 0;
      for (std::size_t i = 0; i < refs.size(); ++i) {
        const std::uint64_t rank = receptionist::rendezvous_rank(hash, refs[i].address());
        if (rank > highest) {
          highest = rank;
          best = i;
        }
      }
      return best;
    };
  }

  group_router(receptionist::handle of, service_key<T> key, choice how = round_robin())
      : receptionist_{std::move(of)}, key_{std::move(key)}, choose_{std::move(how)} {}

  /// One of them. When nobody is there the message is a dead letter, addressed to the receptionist.
  void tell(T message) const {
    const auto to = pick(message);
    if (to) return to.tell(std::move(message));
    receptionist_.publish_unrouted(actor_kernel::type_of<T>);
  }
  /// `unavailable` when nobody is registered, or none of them can be reached; otherwise as `actor_ref::try_tell`.
  [[nodiscard]] result<void> try_tell(T message) const {
    const auto to = pick(message);
    if (!to) return nobody();
    return to.try_tell(std::move(message));
  }
  /// All of them; their number.
  std::size_t broadcast(const T& message) const requires std::copy_constructible<T> {
    const auto to = receptionist_.lookup(key_).refs;
    for (const auto& one : to) one.tell(message);
    if (to.empty()) receptionist_.publish_unrouted(actor_kernel::type_of<T>);
    return to.size();
  }
  /// Whom such a message would go to, for an `ask` or a `watch`; null when nobody is there.
  [[nodiscard]] actor_ref<T> pick(const T& message) const {
    const auto refs = receptionist_.lookup(key_).refs;
    const auto all = refs.view();
    return all.empty() ? actor_ref<T>{} : all[choose_(all, message)];
  }

  /// The one that has least to do for this router and its copies, and one more message in flight to it until the other
  /// part of what is returned is gone. Null when nobody is there. Instead of the way of choosing that was given.
  [[nodiscard]] std::pair<actor_ref<T>, in_flight> pick_least_in_flight() const {
    const auto refs = receptionist_.lookup(key_).refs;
    const auto all = refs.view();
    if (all.empty()) return {};
    const std::vector<any_ref> candidates{all.begin(), all.end()};
    const actor_ref<T> chosen = all[loads_->take_least(candidates)];
    return {chosen, in_flight{static_cast<const void*>(nullptr),
                              [loads = loads_, chosen](const void*) { loads->give_back(chosen); }}};
  }
  [[nodiscard]] std::size_t in_flight_to(const any_ref& whom) const { return loads_->in_flight(whom); }

  [[nodiscard]] const service_key<T>& key() const noexcept { return key_; }

 private:
  [[nodiscard]] tl::unexpected<error> nobody() const {
    return fail(errc::unavailable, "nobody who can be reached is registered under '{}'", key_);
  }

  receptionist::handle receptionist_;
  service_key<T> key_;
  choice choose_;
  std::shared_ptr<receptionist::load_table> loads_{std::make_shared<receptionist::load_table>()};
};

}  // namespace muster
