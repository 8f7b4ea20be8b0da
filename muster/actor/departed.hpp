#pragma once

#include <memory>

#include "muster/actor/endpoint.hpp"

namespace muster::actor_kernel {

/// An actor of this node that is no more, known by its address only: where a ref leads that comes back from another
/// node too late.
class departed_target : public endpoint {
 public:
  departed_target(std::shared_ptr<system_core> core, const actor_address& of)
      : endpoint{of.path, of.incarnation, local_hash(of.incarnation)}, core_{std::move(core)}, node_{of.node} {}

  [[nodiscard]] actor_node node() const final { return node_; }
  [[nodiscard]] const system_core& core() const noexcept final { return *core_; }
  [[nodiscard]] bool is_stopped() const noexcept final { return true; }
  void add_watcher(const endpoint_ptr& who) final { who->handle_terminated(this); }
  void remove_watcher(const endpoint_ptr&) final {}

 protected:
  told refuse(const message_type& type, if_not otherwise);

 private:
  const std::shared_ptr<system_core> core_;
  const actor_node node_;
};

/// Takes messages of type M, to their end.
template <typename M>
class departed final : public departed_target {
 public:
  using departed_target::departed_target;

  template <typename A>
  static told accept(endpoint& to, A&&, if_not otherwise) {
    return static_cast<departed&>(to).refuse(type_of<A>, otherwise);
  }
  [[nodiscard]] erased_acceptor find_acceptor(const message_type& wanted) const noexcept override {
    return acceptor_among<M, departed>(wanted);
  }
};

}  // namespace muster::actor_kernel
