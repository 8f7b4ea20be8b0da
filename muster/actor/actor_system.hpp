#pragma once

#include <cstddef>
// tidy: allow, because who asks from outside of all actors is a thread that waits; the kernel itself waits for nothing.
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "muster/actor/actor.hpp"
#include "muster/actor/dead_letters.hpp"
#include "muster/actor/departed.hpp"
#include "muster/actor/executor.hpp"
#include "muster/actor/remote.hpp"
#include "muster/actor/system_core.hpp"
#include "muster/base/event.hpp"
#include "muster/base/instant.hpp"
#include "muster/base/result.hpp"

namespace muster {

struct actor_system_options {
  /// What runs the turns, such as `os::actor_pool`; several systems may share one. Never null.
  std::shared_ptr<actor_executor> runs_on{};
  /// Outlives the system; null: nothing is logged.
  event_log* log{nullptr};
  /// What this process is called among others; without a name it is the system's, with incarnation 0.
  actor_node node{};
  /// Messages that one actor takes in a turn before others have theirs.
  std::size_t batch_max{64};
  /// How long the destructor waits for the actors.
  duration shutdown_timeout{std::chrono::seconds{10}};
  /// Lines about dead letters in the log within each window.
  std::size_t dead_letter_lines_max{10};
  duration dead_letter_window{std::chrono::seconds{10}};
};

/// The actors of one process. Any thread may use it.
///
///     muster::actor_system system{"shop", {.runs_on = *muster::os::actor_pool::make({})}};
///     auto api = system.spawn<api_actor>("api");    // at /user/api
///     api.tell(api_message{"/index"});
class actor_system : public actor_kernel::spawning<actor_system> {
 public:
  /// Throws `refused` when the name or an option cannot be.
  actor_system(std::string name, const actor_system_options& how);
  /// As `shutdown(how.shutdown_timeout)`. Not on an actor's turn.
  ~actor_system();
  actor_system(const actor_system&) = delete;
  actor_system& operator=(const actor_system&) = delete;

  /// `spawn` and `try_spawn` start actors at `/user/NAME`; these at `/system/NAME`, which stop after all others, the
  /// newest first.
  template <typename T, typename... Args>
  auto spawn_system(const spawn_options& how, Args&&... args) {
    return value_of(try_spawn_system<T>(how, std::forward<Args>(args)...));
  }
  template <typename T, typename... Args>
  auto spawn_system(std::string_view name, Args&&... args) {
    return spawn_system<T>(spawn_options{.name = std::string{name}}, std::forward<Args>(args)...);
  }
  template <typename T, typename... Args>
  [[nodiscard]] auto try_spawn_system(const spawn_options& how, Args&&... args) {
    return start<T>(actor_kernel::place{.core = core_, .at = actor_kernel::cell::level::system}, how,
                    std::forward<Args>(args)...);
  }

  /// Asks an actor to stop: its children stop first, then its watchers get `terminated`. To stop one that has stopped
  /// is to do nothing.
  void stop(const any_ref& whom, stop_when when = stop_when::drained) const {
    if (whom) actor_kernel::refs::target(whom)->handle_stop(when);
  }

  /// Asks from outside of all actors: tells `whom` what `make_request(reply_to)` returns. The future gets the first
  /// answer, or `timed_out`, `unavailable`, `limit_exceeded`, `invalid_argument` as `actor_context::ask` says. An actor
  /// does not wait for a future, it asks by its context.
  template <typename Reply, typename Request, typename MakeRequest>
  [[nodiscard]] std::future<result<Reply>> ask(const actor_ref<Request>& whom, MakeRequest&& make_request,
                                               duration timeout) {
    std::promise<result<Reply>> promise;
    auto answer = promise.get_future();
    actor_kernel::ask<Reply>(
        core_, whom, std::forward<MakeRequest>(make_request), timeout,
        [promise = std::move(promise)](result<Reply> got) mutable { promise.set_value(std::move(got)); });
    return answer;
  }

  [[nodiscard]] const std::string& name() const noexcept { return core_->name(); }
  [[nodiscard]] instant now() const { return core_->executor().now(); }
  [[nodiscard]] muster::dead_letters& dead_letters() noexcept { return core_->letters(); }
  /// Into the system's log. Not after its end.
  void write(const event& what) { core_->write(what); }
  [[nodiscard]] std::size_t actor_count() const { return core_->actor_count(); }

  /// The actor that lives at this path now, or a null ref.
  [[nodiscard]] any_ref find(std::string_view path) const { return actor_kernel::refs::any(core_->find(path)); }
  /// The ref is of an actor of this system, alive or not.
  [[nodiscard]] bool owns(const any_ref& which) const noexcept {
    const auto& target = actor_kernel::refs::target(which);
    return target && !target->is_remote() && &target->core() == core_.get();
  }

  // --- for whoever joins nodes to a cluster ---

  [[nodiscard]] actor_node node() const { return core_->node(); }
  /// What this process is called from now on. Refs to actors of this process stay the same and show the new node.
  void set_node(actor_node node) { core_->set_node(std::move(node)); }
  /// The way to other nodes; null for none. Released when the system has ended.
  void set_route(std::shared_ptr<remote_route> route) { core_->set_route(std::move(route)); }
  /// The ref for an address on this node: of one that has stopped where nobody with that incarnation lives there.
  /// `invalid_argument` for an address on another node, `incompatible` when the actor takes no messages of type M.
  template <typename M>
  [[nodiscard]] result<actor_ref<M>> resolve(const actor_address& address) const;
  /// Likewise, whatever it takes.
  [[nodiscard]] result<any_ref> resolve(const actor_address& address) const;
  [[nodiscard]] const std::shared_ptr<actor_kernel::system_core>& core() const noexcept { return core_; }

  // --- the end ---

  /// Stops the actors below /user, each after the messages that wait for it and after its children, then those below
  /// /system, one after the other. At once no more are spawned but children. Returns at once.
  void begin_shutdown() { core_->begin_shutdown(); }
  [[nodiscard]] bool has_stopped() const noexcept { return core_->has_stopped(); }
  /// Likewise, and waits: most of `bound` for mailboxes to drain, then for actors to be done with the message that they
  /// are busy with. `timed_out` names those that were not, which are given up: nothing reaches them any more, but the
  /// thread that is busy with one cannot be taken from it. Not on an actor's turn.
  [[nodiscard]] result<void> shutdown(duration bound) { return core_->shutdown(bound); }

  [[nodiscard]] actor_kernel::place here() const { return {.core = core_}; }

 private:
  [[nodiscard]] result<actor_kernel::endpoint_ptr> find_on_this_node(const actor_address& address) const;

  // In this order: the core makes use of the executor.
  const std::shared_ptr<actor_executor> runs_on_;
  const duration shutdown_timeout_;
  const std::shared_ptr<actor_kernel::system_core> core_;
};

template <typename M>
result<actor_ref<M>> actor_system::resolve(const actor_address& address) const {
  using actor_kernel::departed;
  using actor_kernel::refs;
  auto found = find_on_this_node(address);
  if (!found) return fail(std::move(found).error());
  if (*found == nullptr) {
    return refs::typed<M>(actor_kernel::endpoint_ptr{new departed<M>{core_, address}},
                          &departed<M>::template accept<M>);
  }
  const auto way_in = actor_kernel::acceptor_of<M>(**found);
  if (way_in == nullptr) {
    return fail(errc::incompatible, "{} takes no messages of type '{}'", address, actor_kernel::type_of<M>.in_log);
  }
  return refs::typed<M>(*std::move(found), way_in);
}

}  // namespace muster
