#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "muster/actor/actor_ref.hpp"
#include "muster/base/codec.hpp"
#include "muster/base/result.hpp"

namespace muster {

/// A message on its way out of the process, to be read within the call that hands it over.
class outbound_message {
 public:
  outbound_message() = default;
  outbound_message(const outbound_message&) = delete;
  outbound_message& operator=(const outbound_message&) = delete;

  [[nodiscard]] virtual std::string_view name() const = 0;
  virtual void write(byte_writer& into) const = 0;

 protected:
  ~outbound_message() = default;
};

/// One watch over a remote actor: a value that the route keeps until it uses it or is told to forget it.
class death_watch {
 public:
  death_watch(actor_kernel::endpoint_ptr target, actor_kernel::endpoint_ptr watcher) noexcept
      : target_{std::move(target)}, watcher_{std::move(watcher)} {}

  [[nodiscard]] actor_address target() const { return target_->address(); }
  /// The actor is no more, or its node is not: the watcher is told. Any thread; more than once does no harm.
  void terminated() const { watcher_->handle_terminated(target_); }

  friend bool operator==(const death_watch& a, const death_watch& b) {
    return a.watcher_ == b.watcher_ && actor_kernel::same(*a.target_, *b.target_);
  }

 private:
  actor_kernel::endpoint_ptr target_;
  actor_kernel::endpoint_ptr watcher_;
};

/// Port: the way to actors of other nodes, for whoever joins nodes to a cluster. Any thread calls it; no call waits.
class remote_route {
 public:
  remote_route() = default;
  remote_route(const remote_route&) = delete;
  remote_route& operator=(const remote_route&) = delete;
  virtual ~remote_route() = default;

  /// Sends at most once; what one thread tells one actor keeps its order. `limit_exceeded` when as much as may be is on
  /// its way to that node already; `invalid_argument` when this message is larger than any may be; `unavailable` when
  /// there is no way. Nothing is sent then.
  [[nodiscard]] virtual result<void> tell(const actor_address& to, const outbound_message& what) = 0;

  /// From now until `unwatch`, `who.terminated()` is called when the actor stops, when its node crashes or is removed,
  /// or at once when it is known to be gone.
  virtual void watch(const death_watch& who) = 0;
  virtual void unwatch(const death_watch& who) = 0;

  /// Asks the node to stop the actor as its system's `stop` does.
  virtual void stop(const actor_address& which, stop_when when) = 0;
};

namespace actor_kernel {

/// An actor of another node as seen from here; `remote_endpoint` (remote_ref.hpp) adds what depends on its messages.
class remote_target : public endpoint {
 public:
  [[nodiscard]] actor_node node() const override { return node_; }
  [[nodiscard]] bool is_remote() const noexcept override { return true; }
  [[nodiscard]] const system_core& core() const noexcept override { return *core_; }
  [[nodiscard]] bool is_stopped() const noexcept override { return false; }
  void add_watcher(const endpoint_ptr& who) override;
  void remove_watcher(const endpoint_ptr& who) override;
  void handle_stop(stop_when when) override;

 protected:
  remote_target(std::shared_ptr<system_core> core, const actor_address& of);
  /// Of a message that cannot leave the process.
  [[nodiscard]] told refuse(const message_type& type, if_not otherwise);
  [[nodiscard]] told send(const outbound_message& what, const message_type& type, if_not otherwise);

 private:
  const std::shared_ptr<system_core> core_;
  const actor_node node_;
};

}  // namespace actor_kernel
}  // namespace muster
