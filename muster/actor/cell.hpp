#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include "muster/actor/actor_ref.hpp"
#include "muster/actor/executor.hpp"
#include "muster/actor/guarded.hpp"
#include "muster/actor/mailbox.hpp"
#include "muster/actor/spawn_options.hpp"
#include "muster/actor/timer_queue.hpp"
#include "muster/base/event.hpp"

namespace muster {

/// Names a timer of an actor, for `cancel`. A default one names none.
using timer_id = strong<struct timer_id_tag, std::uint64_t>;

namespace actor_kernel {

/// The place of one actor, from its spawning to its end: its mailbox, what it began and must not survive it, and its
/// instance, which supervision may replace. `typed_cell` adds what depends on the type of its messages.
///
/// What has a lock or is atomic may be reached from any thread; all else belongs to the actor's turn. There is at most
/// one turn at a time: `mailbox` says how one is asked for. Until it has ended the system's directory holds the cell,
/// so a turn that is asked for finds it alive.
///
/// The order of an end: the instance, the mailbox (what waited becomes dead letters), the name (which is free then),
/// the watchers, the parent.
class cell : public endpoint, public runnable {
 public:
  enum class level : std::uint8_t {
    user,    ///< /user/...
    system,  ///< /system/...
    child,   ///< of another actor
  };
  /// Everything but the way to make an instance.
  struct birth {
    std::shared_ptr<system_core> core;
    boost::intrusive_ptr<cell> parent;  ///< of a child only
    level at{level::user};
    std::string path;
    actor_incarnation incarnation;
    spawn_options how;
    std::string_view actor_type;  ///< for the log
  };

  ~cell() override;

  // What an endpoint does. Any thread.
  [[nodiscard]] actor_node node() const final;
  [[nodiscard]] const system_core& core() const noexcept final { return *core_; }
  [[nodiscard]] bool is_stopped() const noexcept final { return mailbox_.closed(); }
  void add_watcher(const endpoint_ptr& who) final;
  void remove_watcher(const endpoint_ptr& who) final;
  void handle_stop(stop_when when) final;
  void handle_terminated(const endpoint_ptr& who) final;
  void handle_alarm(std::uint64_t number) final;

  /// The first turn makes the instance. Once.
  void begin() { executor_.execute(*this); }
  /// For the kernel's own envelopes: never refused for lack of room; dropped when the mailbox is closed. Any thread.
  void signal(std::unique_ptr<envelope> what);
  /// The system has waited long enough: no turn to come will do anything but end. Any thread.
  void give_up();
  void run() noexcept final;
  [[nodiscard]] bool is_brief() const noexcept final { return is_brief_; }
  [[nodiscard]] bool suits_tellers() const noexcept final { return suits_tellers_; }
  /// On the turn: it takes place within a call that tells the actor something.
  [[nodiscard]] bool is_at_teller() const noexcept { return suits_tellers_ && executor_.is_at_teller(); }

  [[nodiscard]] level at() const noexcept { return at_; }
  [[nodiscard]] const std::shared_ptr<system_core>& shared_core() const noexcept { return core_; }
  [[nodiscard]] instant now() const { return executor_.now(); }
  void write(const event& what) const;

  // For the actor's context, on its turn.
  void stop_self() noexcept { stop_asked_ = true; }
  [[nodiscard]] bool takes_children() const noexcept { return life_ == life::running && !stop_asked_; }
  void add_child(boost::intrusive_ptr<cell> child) { children_.push_back(std::move(child)); }
  /// `news` is delivered in place of a `terminated`; null for the plain one.
  void watch(const any_ref& whom, std::unique_ptr<envelope> news);
  void unwatch(const any_ref& whom);
  /// `period` zero: goes off once.
  timer_id set_timer(duration delay, duration period, std::unique_ptr<envelope> what);
  bool cancel_timer(timer_id which);
  /// Rises with each instance: what was begun by another one is none of this one's business.
  [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }

  // For envelopes, on the actor's turn.
  void deliver_stop();
  void deliver_child_stopped(const endpoint_ptr& which);
  void deliver_watched(const endpoint_ptr& who);
  void deliver_alarm(std::uint64_t number);
  [[nodiscard]] bool is_running() const noexcept { return life_ == life::running; }

 protected:
  explicit cell(birth of);

  /// Puts a message into the mailbox. Any thread.
  template <typename Envelope, typename... Args>
  [[nodiscard]] told post(const message_type& type, if_not otherwise, Args&&... args) {
    if (capacity_ != 0 && waiting_.fetch_add(1, std::memory_order_relaxed) >= capacity_) {
      return refuse_full(type, otherwise);
    }
    auto made = std::make_unique<Envelope>(std::forward<Args>(args)...);
    // Asked now: in the mailbox it is somebody else's.
    const bool may_be_here = suits_tellers_ && made->type()->teller_may_handle;
    switch (mailbox_.push(*made)) {
      case mailbox::pushed::queued: (void)made.release(); return told::accepted;
      case mailbox::pushed::wake:
        (void)made.release();
        may_be_here ? executor_.execute_here(*this) : executor_.execute(*this);
        return told::accepted;
      case mailbox::pushed::closed: break;
    }
    // Of a variant the log is to name what it holds.
    const message_type* const held = made->type();
    return refuse_stopped(held != nullptr ? *held : type, otherwise);
  }

  void publish_unhandled(const message_type& type);

 private:
  enum class life : std::uint8_t {
    due,       ///< an instance is to be made when nothing of the last one is left
    running,   ///< an instance handles messages
    stopping,  ///< waits for its children
  };
  struct watchers {
    boost::unordered_flat_set<endpoint_ptr> who;
    bool ended{false};
  };
  struct timer {
    timer_key key;
    duration period{0};
    std::shared_ptr<envelope> what;
  };

  // What depends on the type; called on the turn. What the user's code throws comes out of the first three.
  virtual void make_instance() = 0;  ///< and starts it
  virtual void call_on_stop() = 0;
  virtual void call_on_terminated(terminated what) = 0;
  virtual void drop_instance() noexcept = 0;
  /// For good: what the maker of instances holds may refer to this actor, directly or by a question to it.
  virtual void drop_source() noexcept = 0;
  [[nodiscard]] virtual bool has_instance() const noexcept = 0;

  told refuse_full(const message_type& type, if_not otherwise);
  told refuse_stopped(const message_type& type, if_not otherwise);

  template <typename Function>
  void guard(std::string_view doing, Function&& function) noexcept;
  void fail(std::string_view doing, std::string_view cause);
  /// Counts this failure.
  [[nodiscard]] bool may_restart();
  /// What comes next may be done on the thread of a teller.
  [[nodiscard]] bool is_for_tellers() const noexcept {
    return life_ == life::running && !stop_asked_ && !stop_now_.load(std::memory_order_relaxed) &&
           (inbox_ == nullptr || (inbox_->type() != nullptr && inbox_->type()->teller_may_handle));
  }
  [[nodiscard]] bool may_start() const noexcept {
    return life_ == life::due && children_.empty() && backoff_ == timer_key{};
  }
  void start() noexcept;
  void handle(std::unique_ptr<envelope> what) noexcept;
  /// Ends what the instance began, and asks its children to stop.
  void end_affairs() noexcept;
  void begin_stop() noexcept;
  void end() noexcept;
  /// Dead letters of what nobody will handle.
  void bury(envelope* list) noexcept;
  void bury_one(std::unique_ptr<envelope> what) noexcept;

  const std::shared_ptr<system_core> core_;
  actor_executor& executor_;
  const boost::intrusive_ptr<cell> parent_;
  const level at_;
  const supervision supervision_;
  const std::size_t capacity_;
  const mailbox_options::overflow when_full_;
  const std::size_t batch_max_;
  const bool is_brief_;
  const bool suits_tellers_;
  const std::string_view actor_type_;

  mailbox mailbox_;
  std::atomic<std::size_t> waiting_{0};  // of messages, where there is a bound
  std::atomic<bool> stop_now_{false};
  guarded<watchers> watchers_;

  // Of the turn alone.
  envelope* inbox_{nullptr};  // taken from the mailbox, the oldest first
  life life_{life::due};
  bool stop_asked_{false};
  std::uint64_t generation_{0};
  std::vector<std::unique_ptr<envelope>> stash_;  // messages that wait for the next instance
  std::vector<boost::intrusive_ptr<cell>> children_;
  std::unordered_map<any_ref, std::unique_ptr<envelope>> watched_;
  std::map<std::uint64_t, timer> timers_;
  std::vector<instant> failures_;
  timer_key backoff_{};
};

}  // namespace actor_kernel
}  // namespace muster
