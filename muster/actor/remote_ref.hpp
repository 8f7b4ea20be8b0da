#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "muster/actor/actor_system.hpp"
#include "muster/actor/message_name.hpp"
#include "muster/actor/remote.hpp"
#include "muster/base/codec.hpp"

namespace muster {

/// How messages of type M are written, for those who carry them out of the process.
template <typename Codec, typename M>
concept message_writer = requires(const M& message, byte_writer& into) {
  { Codec::name(message) } -> std::convertible_to<std::string_view>;
  Codec::write(message, into);
};

namespace actor_kernel {

template <typename M, typename Codec>
class outbound final : public outbound_message {  // NOLINT(cppcoreguidelines-virtual-class-destructor): is final
 public:
  explicit outbound(const M& message) noexcept : message_{message} {}
  [[nodiscard]] std::string_view name() const override { return Codec::name(message_); }
  void write(byte_writer& into) const override { Codec::write(message_, into); }

 private:
  const M& message_;
};

/// An actor of another node that takes messages of type M.
template <typename M, typename Codec>
class remote_endpoint final : public remote_target {
 public:
  remote_endpoint(std::shared_ptr<system_core> core, const actor_address& of) : remote_target{std::move(core), of} {}

  template <typename A>
  static told accept(endpoint& to, A&& message, if_not otherwise) {
    const M whole = widened<M>(std::forward<A>(message));
    return static_cast<remote_endpoint&>(to).send(outbound<M, Codec>{whole}, type_of<A>, otherwise);
  }
  [[nodiscard]] erased_acceptor find_acceptor(const message_type& wanted) const noexcept override {
    return acceptor_among<M, remote_endpoint>(wanted);
  }
};

}  // namespace actor_kernel

/// The ref for an address that came from another node: of a remote actor, or of one of this node's own. The codec
/// writes what it is told: `Codec::name(message)` is the message's name (of a variant: of what it holds),
/// `Codec::write` its content. `incompatible` as `actor_system::resolve` says.
template <typename M, typename Codec>
requires message_writer<Codec, M>
[[nodiscard]] result<actor_ref<M>> remote_ref(const actor_system& system, const actor_address& address) {
  if (address.node == system.node()) return system.template resolve<M>(address);
  using far = actor_kernel::remote_endpoint<M, Codec>;
  return actor_kernel::refs::typed<M>(actor_kernel::endpoint_ptr{new far{system.core(), address}},
                                      &far::template accept<M>);
}

}  // namespace muster
