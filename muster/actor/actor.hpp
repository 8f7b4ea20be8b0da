#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "muster/actor/actor_ref.hpp"
#include "muster/actor/cell.hpp"
#include "muster/actor/spawning.hpp"
#include "muster/base/event.hpp"
#include "muster/base/instant.hpp"
#include "muster/base/result.hpp"

namespace muster {

template <typename M>
class actor_context;

namespace actor_kernel {
template <typename M>
class typed_cell;
}

/// Somebody who handles messages of type M, one at a time. What it owns it need not guard: its functions are called one
/// after the other, though on changing threads. None of them may block: others wait for the thread.
///
/// A `std::variant` as M makes an actor that takes several messages; its ref serves as the ref for each of them.
/// An exception from any of these functions, or from the constructor, is the supervision's business.
template <typename M>
class actor {
 public:
  using message_type = M;
  using context = actor_context<M>;

  actor() = default;
  actor(const actor&) = delete;
  actor& operator=(const actor&) = delete;
  virtual ~actor() = default;

  /// Before the first message of each instance.
  virtual void on_start(context&) {}
  virtual void receive(context& self, M message) = 0;
  /// A watched actor is no more. By default it is a message where M has a place for `terminated`, else a dead letter.
  virtual void on_terminated(context& self, const terminated& what);
  /// Once, when the actor stops: its children have stopped, no message follows. Not before a restart; what must be
  /// released in any case is released by the destructor.
  virtual void on_stop(context&) {}
};

/// What an actor may do, for use within its functions: not to be kept beyond the actor, nor used on another thread. All
/// that it begins here ends with the actor, and with the instance when it is restarted.
template <typename M>
class actor_context : public actor_kernel::spawning<actor_context<M>> {
 public:
  explicit actor_context(actor_kernel::typed_cell<M>& of) noexcept : cell_{of} {}
  actor_context(const actor_context&) = delete;
  actor_context& operator=(const actor_context&) = delete;

  [[nodiscard]] actor_ref<M> self() const;
  [[nodiscard]] const std::string& path() const noexcept;
  [[nodiscard]] instant now() const;
  /// This turn takes place within a call that tells the actor something (spawn_options.hpp, `is_brief`).
  [[nodiscard]] bool is_at_teller() const noexcept;
  /// Into the system's log.
  void write(const event& what) const;

  /// Stops the actor after what it handles now. What waits in its mailbox becomes dead letters.
  void stop();
  /// Asks another one to stop, a child for example.
  void stop(const any_ref& whom, stop_when when = stop_when::drained) const;

  /// From now on exactly one `terminated` comes when `whom` is no more: at once where that is so already, after all
  /// that it has told this actor otherwise. To watch twice is to watch once. A null ref is no more.
  void watch(const any_ref& whom);
  /// Likewise, but the news is a message of one's own.
  void watch(const any_ref& whom, M news);
  /// No news will come, even when it was on its way.
  void unwatch(const any_ref& whom);

  /// Tells this actor the message, once, after `delay`. It does not wait in the mailbox behind others' bound.
  timer_id after(duration delay, M message);
  /// Tells this actor a copy of the message after each `period`, which must not be zero. A tick that could not be
  /// handled in time is left out rather than made up for.
  timer_id every(duration period, M message) requires std::copy_constructible<M>;
  /// True when the timer will go off no more, though it would have; the message does not come even when it was due.
  bool cancel(timer_id which);

  /// Asks: tells `whom` what `make_request(reply_to)` returns, and calls `on_reply(result<Reply>)` on a turn of this
  /// actor, exactly once while this instance lives: with the first answer, with `timed_out`, with `unavailable` when
  /// `whom` stops before it has answered, or with `limit_exceeded` when its mailbox refuses. After the last three the
  /// request may still have been handled, or be handled yet.
  template <typename Reply, typename Request, typename MakeRequest, typename OnReply>
  void ask(const actor_ref<Request>& whom, MakeRequest&& make_request, duration timeout, OnReply&& on_reply);

  /// Says of a message of type T that this actor has no place for it: a dead letter.
  template <typename T>
  void unhandled() const;

  [[nodiscard]] actor_kernel::place here() const;

 private:
  actor_kernel::typed_cell<M>& cell_;
};

template <typename T>
concept actor_class = requires {
  typename T::message_type;
}
&&std::derived_from<T, actor<typename T::message_type>>;

}  // namespace muster

#include "muster/actor/typed_cell.hpp"  // IWYU pragma: export
