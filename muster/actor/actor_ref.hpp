#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "muster/actor/endpoint.hpp"
#include "muster/base/invariant.hpp"

namespace muster {

namespace actor_kernel {
struct refs;
}

/// A ref of an actor whatever it takes: to compare, to print, to watch and to stop. A default one is null: it names no
/// actor, equals other null refs only, and is less than any other.
///
/// A ref is a small value, copied at the price of one atomic increment, and may outlive both its actor and the system.
/// Two refs are equal when node, node's incarnation, path and actor's incarnation are: a ref to an actor that has
/// stopped never reaches one that was started later under its path.
class any_ref {
 public:
  any_ref() noexcept = default;

  [[nodiscard]] explicit operator bool() const noexcept { return target_ != nullptr; }
  /// "/user/api", or "(null)".
  [[nodiscard]] const std::string& path() const noexcept;
  /// All that makes the actor itself and no other; empty for a null ref.
  [[nodiscard]] actor_address address() const { return target_ ? target_->address() : actor_address{}; }
  /// It lives on another node.
  [[nodiscard]] bool is_remote() const noexcept { return target_ && target_->is_remote(); }
  /// It is known to be no more. A null ref is; of a remote actor it is known only to those who watch it.
  [[nodiscard]] bool is_stopped() const noexcept { return !target_ || target_->is_stopped(); }

  friend bool operator==(const any_ref& a, const any_ref& b) {
    return a.target_ == b.target_ || (a.target_ && b.target_ && actor_kernel::same(*a.target_, *b.target_));
  }
  friend std::strong_ordering operator<=>(const any_ref& a, const any_ref& b) {
    if (!a.target_ || !b.target_) return static_cast<bool>(a.target_) <=> static_cast<bool>(b.target_);
    return actor_kernel::order(*a.target_, *b.target_);
  }
  [[nodiscard]] std::size_t hash() const noexcept { return target_ ? target_->hash() : 0; }
  /// For the containers of Boost.
  friend std::size_t hash_value(const any_ref& of) noexcept { return of.hash(); }

 protected:
  friend struct actor_kernel::refs;
  explicit any_ref(actor_kernel::endpoint_ptr target, actor_kernel::erased_acceptor way_in = nullptr) noexcept
      : target_{std::move(target)}, way_in_{way_in} {}

  actor_kernel::endpoint_ptr target_;
  /// What a typed ref tells by; no part of the ref's identity. It is kept here so that a typed ref has no state of its
  /// own, and loses none when it is copied as an any_ref.
  actor_kernel::erased_acceptor way_in_{nullptr};
};

template <typename M>
class actor_ref;

namespace actor_kernel {

template <typename M>
told accept_by_alternative(endpoint& to, M&& message, if_not otherwise);

/// The way in for messages of type M. A variant that is only a part of what the actor takes is told by its alternative.
template <typename M>
[[nodiscard]] acceptor<M> acceptor_of(const endpoint& of) noexcept {
  if (const erased_acceptor found = of.find_acceptor(type_of<M>)) return reinterpret_cast<acceptor<M>>(found);
  if constexpr (is_variant<M>) {
    const bool takes_all = []<typename... As>(const endpoint& to, const std::variant<As...>*) {
      return ((to.find_acceptor(type_of<As>) != nullptr) && ...);
    }(of, static_cast<const M*>(nullptr));
    if (takes_all) return &accept_by_alternative<M>;
  }
  return nullptr;
}

template <typename M>
told accept_by_alternative(endpoint& to, M&& message, if_not otherwise) {
  return std::visit(
      [&]<typename A>(A&& held) {
        return acceptor_of<std::remove_cvref_t<A>>(to)(to, std::forward<A>(held), otherwise);
      },
      std::forward<M>(message));
}

/// What the kernel may do with a ref and others may not.
struct refs {
  [[nodiscard]] static const endpoint_ptr& target(const any_ref& of) noexcept { return of.target_; }
  [[nodiscard]] static any_ref any(endpoint_ptr target) noexcept { return any_ref{std::move(target)}; }
  template <typename M>
  [[nodiscard]] static actor_ref<M> typed(endpoint_ptr target, acceptor<M> way_in) noexcept {
    return actor_ref<M>{std::move(target), way_in};
  }
};

}  // namespace actor_kernel

/// A ref of an actor that takes messages of type M: the actor's own message type, one of its alternatives where that is
/// a `std::variant`, or a variant of some of them.
///
/// Messages from one sender to one actor arrive in the order of their telling, and at most once. Telling never waits.
template <typename M>
class actor_ref : public any_ref {
 public:
  using message_type = M;

  actor_ref() noexcept = default;

  template <typename N>
  requires(!std::same_as<N, M> && actor_kernel::takes<N, M>)
      // Implicit on purpose: who takes more may stand where less is asked for.
      actor_ref(const actor_ref<N>& wider)  // NOLINT(google-explicit-constructor)
      : actor_ref{actor_kernel::refs::target(wider),
                  wider ? actor_kernel::acceptor_of<M>(*actor_kernel::refs::target(wider)) : nullptr} {
    MUSTER_INVARIANT(!target_ || way_in_ != nullptr, "who takes a variant takes its alternatives");
  }

  /// Puts the message into the actor's mailbox: by a move, never serialised on this node. What cannot be taken (the
  /// actor has stopped, its mailbox is full) goes to the dead letters; to tell a null ref does nothing.
  void tell(M&& message) const {
    if (target_) (void)way_in()(*target_, std::move(message), actor_kernel::if_not::dead_letter);
  }
  /// A template, so that M may be incomplete where the ref is only named: a message may hold refs for its own type.
  template <std::same_as<M> N>
  requires std::copy_constructible<N>
  void tell(const N& message) const {
    if (target_) tell(M{message});
  }

  /// Likewise for a sender who wants to know, instead of the dead letters: `unavailable` (stopped, or no way there),
  /// `limit_exceeded` (a full mailbox that refuses, or too large for another node), `invalid_argument` (a null ref).
  [[nodiscard]] result<void> try_tell(M message) const {
    if (!target_) return fail(errc::invalid_argument, "a null ref names no actor that could be told anything");
    return actor_kernel::explain(way_in()(*target_, std::move(message), actor_kernel::if_not::report), *target_);
  }

  /// The ref for messages of another type, if this actor takes them: known at run time only.
  template <typename N>
  [[nodiscard]] std::optional<actor_ref<N>> as() const {
    if (!target_) return std::nullopt;
    const auto found = actor_kernel::acceptor_of<N>(*target_);
    return found ? std::optional{actor_kernel::refs::typed<N>(target_, found)} : std::nullopt;
  }

 private:
  friend struct actor_kernel::refs;
  actor_ref(actor_kernel::endpoint_ptr target, actor_kernel::acceptor<M> takes) noexcept
      : any_ref{std::move(target), reinterpret_cast<actor_kernel::erased_acceptor>(takes)} {}

  [[nodiscard]] actor_kernel::acceptor<M> way_in() const noexcept {
    return reinterpret_cast<actor_kernel::acceptor<M>>(way_in_);
  }
};

/// What a watcher gets, exactly once for each actor that it watches: this one is no more.
struct terminated {
  any_ref ref;
};

}  // namespace muster

template <>
struct std::hash<muster::any_ref> {
  std::size_t operator()(const muster::any_ref& of) const noexcept { return of.hash(); }
};
template <typename M>
struct std::hash<muster::actor_ref<M>> : std::hash<muster::any_ref> {};

template <>
struct fmt::formatter<muster::any_ref> : fmt::formatter<std::string> {
  template <typename Context>
  auto format(const muster::any_ref& of, Context& context) const {
    return fmt::formatter<std::string>::format(of.path(), context);
  }
};
template <typename M>
struct fmt::formatter<muster::actor_ref<M>> : fmt::formatter<muster::any_ref> {};
