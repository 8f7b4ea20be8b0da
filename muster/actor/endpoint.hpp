#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include "muster/actor/actor_address.hpp"
#include "muster/actor/message_name.hpp"
#include "muster/base/result.hpp"

namespace muster {

/// When an actor that is asked to stop does so.
enum class stop_when : std::uint8_t {
  drained,  ///< after the messages that wait for it now
  now,      ///< after the message that it is busy with; those that wait become dead letters
};

namespace actor_kernel {

class endpoint;
class system_core;
using endpoint_ptr = boost::intrusive_ptr<endpoint>;

/// What became of a message at once. Accepted is not handled: the actor may stop before it comes to it.
enum class told : std::uint8_t {
  accepted,
  full,         ///< a bound of the mailbox, or of what may be on its way to the node
  stopped,      ///< the actor is no more
  unreachable,  ///< no way leads to the actor's node
  unsendable,   ///< messages of this type stay within their process
  too_large,    ///< for a message between nodes
};
/// Who hears of a message that is not accepted: the dead letters, or the teller alone.
enum class if_not : std::uint8_t { dead_letter, report };

/// Takes a message of type M for an endpoint that is known to take such. The message is moved from, at most once.
template <typename M>
using acceptor = told (*)(endpoint&, M&&, if_not);
using erased_acceptor = void (*)();

/// What a ref points to: an actor's cell, a question that waits for its answer, or the way to an actor of another node.
/// Any thread calls any function; each says by its own means what happens on which turn.
class endpoint {
 public:
  endpoint(const endpoint&) = delete;
  endpoint& operator=(const endpoint&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] actor_incarnation incarnation() const noexcept { return incarnation_; }
  /// The node that it lives on: for an actor of this process what the node is called now.
  [[nodiscard]] virtual actor_node node() const = 0;
  [[nodiscard]] virtual bool is_remote() const noexcept { return false; }
  /// The system of this process that knows it.
  [[nodiscard]] virtual const system_core& core() const noexcept = 0;
  [[nodiscard]] actor_address address() const { return {node(), path_, incarnation_}; }
  [[nodiscard]] std::size_t hash() const noexcept { return hash_; }
  /// For endpoints of this process, whose incarnations differ.
  [[nodiscard]] static std::size_t local_hash(actor_incarnation of) noexcept {
    return static_cast<std::size_t>(of.value() * 0x9e3779b97f4a7c15U);
  }

  /// The `acceptor` of messages of that type, or null if it takes none.
  [[nodiscard]] virtual erased_acceptor find_acceptor(const message_type& wanted) const noexcept = 0;

  /// It is known to be no more.
  [[nodiscard]] virtual bool is_stopped() const noexcept = 0;
  /// `who->handle_terminated(this)` is called when it ends, or from within this call if it has. Once for each watcher;
  /// adding one again adds nothing.
  virtual void add_watcher(const endpoint_ptr& who) = 0;
  virtual void remove_watcher(const endpoint_ptr& who) = 0;
  /// Does nothing where there is nothing to be stopped from here.
  virtual void handle_stop(stop_when) {}

  /// One that it watches is no more. It may hear so more than once, and after it has lost interest.
  virtual void handle_terminated(const endpoint_ptr&) {}
  /// A timer is due that was set with this number.
  virtual void handle_alarm(std::uint64_t) {}

  /// Called by the last pointer to it.
  virtual ~endpoint() = default;

 protected:
  endpoint(std::string path, actor_incarnation incarnation, std::size_t hash)
      : path_{std::move(path)}, incarnation_{incarnation}, hash_{hash} {}

 private:
  friend void intrusive_ptr_add_ref(const endpoint* of) noexcept {
    of->references_.fetch_add(1, std::memory_order_relaxed);
  }
  friend void intrusive_ptr_release(const endpoint* of) noexcept {
    if (of->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete of;
  }

  const std::string path_;
  const actor_incarnation incarnation_;
  const std::size_t hash_;
  mutable std::atomic<std::size_t> references_{0};
};

/// The same actor, though perhaps by way of two objects.
[[nodiscard]] bool same(const endpoint& a, const endpoint& b);

/// What `endpoint::find_acceptor` gives for an Endpoint that takes messages of type M, and so each alternative where
/// that is a variant: by `Endpoint::accept<A>`.
template <typename M, typename Endpoint>
[[nodiscard]] erased_acceptor acceptor_among(const message_type& wanted) noexcept {
  if (&wanted == &type_of<M>) return reinterpret_cast<erased_acceptor>(&Endpoint::template accept<M>);
  if constexpr (is_variant<M>) {
    return [&]<typename... As>(const std::variant<As...>*) {
      erased_acceptor found = nullptr;
      (void)((&wanted == &type_of<As> &&
              (found = reinterpret_cast<erased_acceptor>(&Endpoint::template accept<As>), true)) ||
             ...);
      return found;
    }(static_cast<const M*>(nullptr));
  }
  return nullptr;
}

[[nodiscard]] std::strong_ordering order(const endpoint& a, const endpoint& b);

/// `told` as a result: `limit_exceeded` when full or too large, `unsupported` when unsendable, `unavailable` otherwise.
[[nodiscard]] result<void> explain(told outcome, const endpoint& to);

}  // namespace actor_kernel
}  // namespace muster
