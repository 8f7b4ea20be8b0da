#pragma once

#include <memory>
#include <utility>
#include <variant>

#include "muster/actor/remote_ref.hpp"
#include "muster/actor/system_core.hpp"
#include "muster/message/sendable.hpp"

namespace muster::message {

/// An actor of another node that takes messages of type M. What is sendable of these goes its way; the rest becomes
/// dead letters (`unsendable`). Whatever M is, refs to it can be compared, printed and watched.
template <typename M>
class remote_actor final : public actor_kernel::remote_target {
 public:
  remote_actor(const std::shared_ptr<actor_kernel::system_core>& system, const actor_address& of)
      : remote_target{system, of} {}

  template <typename A>
  static actor_kernel::told accept(actor_kernel::endpoint& to, A&& message, actor_kernel::if_not otherwise) {
    auto& here = static_cast<remote_actor&>(to);
    if constexpr (actor_kernel::is_variant<A>) {
      return std::visit(
          [&]<typename Held>(Held&& held) {
            return accept<std::remove_cvref_t<Held>>(to, std::forward<Held>(held), otherwise);
          },
          std::forward<A>(message));
    } else if constexpr (sendable<A>) {
      return here.send(actor_kernel::outbound<A, content_codec<A>>{message}, actor_kernel::type_of<A>, otherwise);
    } else {
      return here.refuse(actor_kernel::type_of<A>, otherwise);
    }
  }
  [[nodiscard]] actor_kernel::erased_acceptor find_acceptor(
      const actor_kernel::message_type& wanted) const noexcept override {
    return actor_kernel::acceptor_among<M, remote_actor>(wanted);
  }
};

/// The ref of an actor of another node.
template <typename M>
[[nodiscard]] actor_ref<M> remote_ref_of(const std::shared_ptr<actor_kernel::system_core>& system,
                                         const actor_address& address) {
  return actor_kernel::refs::typed<M>(actor_kernel::endpoint_ptr{new remote_actor<M>{system, address}},
                                      &remote_actor<M>::template accept<M>);
}

/// What stands for a ref in a message. A null ref has an empty path.
[[nodiscard]] actor_address read_address(reader& from);
/// The reader's system; fails where it has none.
[[nodiscard]] const actor_system* system_of(reader& from) noexcept;

template <typename M>
actor_ref<M> read_ref(reader& from) {
  const actor_address address = read_address(from);
  if (address.path.empty()) return {};
  const actor_system* const system = system_of(from);
  if (system == nullptr) return {};
  if (address.node != system->node()) return remote_ref_of<M>(system->core(), address);
  // An actor of this node. Whoever says that it takes what it does not is wrong, or lies.
  auto own = system->resolve<M>(address);
  if (own) return *std::move(own);
  from.set_failed();
  return {};
}

}  // namespace muster::message
