#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "muster/actor/remote_ref.hpp"
#include "muster/actor/system_core.hpp"
#include "muster/base/codec.hpp"

namespace muster::receptionist {

/// How messages of type T get to the actors of other nodes that a listing names: a specialization has a `codec`, which
/// is a `message_writer` of T (actor/remote_ref.hpp). Without one the refs can be compared, printed and watched, and
/// what they are told becomes dead letters.
template <typename T>
struct remote_codec {};

template <typename T>
concept writable_message = requires {
  typename remote_codec<T>::codec;
}
&&message_writer<typename remote_codec<T>::codec, T>;

/// An actor of another node that cannot be told anything from here.
template <typename T>
class silent_endpoint final : public actor_kernel::remote_target {
 public:
  silent_endpoint(const std::shared_ptr<actor_kernel::system_core>& system, const actor_address& of)
      : remote_target{system, of}, system_{system} {}

  template <typename A>
  static actor_kernel::told accept(actor_kernel::endpoint& to, A&&, actor_kernel::if_not otherwise) {
    if (otherwise == actor_kernel::if_not::dead_letter) {
      static_cast<silent_endpoint&>(to).system_->letters().publish(
          actor_kernel::refs::any(&to), actor_kernel::type_of<A>, dead_letter_reason::unreachable);
    }
    return actor_kernel::told::unreachable;
  }
  [[nodiscard]] actor_kernel::erased_acceptor find_acceptor(
      const actor_kernel::message_type& wanted) const noexcept override {
    return actor_kernel::acceptor_among<T, silent_endpoint>(wanted);
  }

 private:
  const std::shared_ptr<actor_kernel::system_core> system_;
};

/// The ref of an actor of another node.
template <typename T>
[[nodiscard]] actor_ref<T> remote_ref_of(const std::shared_ptr<actor_kernel::system_core>& system,
                                         const actor_address& address) {
  const auto made = [&]<typename Endpoint>(std::type_identity<Endpoint>) {
    return actor_kernel::refs::typed<T>(actor_kernel::endpoint_ptr{new Endpoint{system, address}},
                                        &Endpoint::template accept<T>);
  };
  if constexpr (writable_message<T>) {
    return made(std::type_identity<actor_kernel::remote_endpoint<T, typename remote_codec<T>::codec>>{});
  } else {
    return made(std::type_identity<silent_endpoint<T>>{});
  }
}

}  // namespace muster::receptionist
