#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include <boost/unordered/unordered_flat_set.hpp>

#include "muster/actor/actor_ref.hpp"
#include "muster/actor/guarded.hpp"
#include "muster/actor/timer_queue.hpp"
#include "muster/base/instant.hpp"
#include "muster/base/result.hpp"

namespace muster::actor_kernel {

/// A question that waits for its answer: what `reply_to` points to. It ends once, by the first of these: an answer, its
/// time running out, the end of whom it was asked, a request that is not taken. Then it is like an actor that has
/// stopped: an answer that comes later is a dead letter. Any thread.
class question : public endpoint {
 public:
  [[nodiscard]] actor_node node() const final;
  [[nodiscard]] const system_core& core() const noexcept final { return *core_; }
  [[nodiscard]] bool is_stopped() const noexcept final { return ended_.load(std::memory_order_acquire); }
  void add_watcher(const endpoint_ptr& who) final;
  void remove_watcher(const endpoint_ptr& who) final;
  void handle_terminated(const endpoint_ptr& who) final;
  void handle_alarm(std::uint64_t number) final;

  /// Begins to wait. The question may have ended when this returns.
  void begin();
  /// Ends it without an answer, if it has not ended.
  void end_with(error why);
  void handle_system_stopped();

 protected:
  question(std::shared_ptr<system_core> core, std::uint64_t number, endpoint_ptr whom, duration timeout);

  /// True for the one who ends it.
  [[nodiscard]] bool end();
  told refuse(const message_type& type, if_not otherwise);

 private:
  /// By the one who ended it.
  virtual void complete(error why) = 0;
  void stand_down();

  struct watchers {
    boost::unordered_flat_set<endpoint_ptr> who;
    bool ended{false};
  };

  const std::shared_ptr<system_core> core_;
  const endpoint_ptr whom_;  ///< null for a null ref
  const duration timeout_;
  const timer_key timer_;
  std::atomic<bool> ended_{false};
  guarded<watchers> watchers_;
};

template <typename Reply, typename Complete>
class typed_question final : public question {
 public:
  typed_question(std::shared_ptr<system_core> core, std::uint64_t number, endpoint_ptr whom, duration timeout,
                 Complete complete)
      : question{std::move(core), number, std::move(whom), timeout}, complete_{std::move(complete)} {}

  template <typename A>
  static told accept(endpoint& to, A&& answer, if_not otherwise) {
    auto& self = static_cast<typed_question&>(to);
    // Whoever ends it may drop the last ref to it, but for the teller's own.
    if (!self.end()) return self.refuse(type_of<A>, otherwise);
    self.complete_(result<Reply>{Reply(std::forward<A>(answer))});
    return told::accepted;
  }
  [[nodiscard]] erased_acceptor find_acceptor(const message_type& wanted) const noexcept override {
    return acceptor_among<Reply, typed_question>(wanted);
  }

 private:
  void complete(error why) override { complete_(result<Reply>{fail(std::move(why))}); }

  Complete complete_;
};

[[nodiscard]] std::uint64_t next_number(system_core& of);

/// Asks `whom`; `complete(result<Reply>)` is called exactly once, on whatever thread ends the question, perhaps within
/// this call.
template <typename Reply, typename Request, typename MakeRequest, typename Complete>
void ask(const std::shared_ptr<system_core>& core, const actor_ref<Request>& whom, MakeRequest&& make_request,
         duration timeout, Complete&& complete) {
  using asked = typed_question<Reply, std::decay_t<Complete>>;
  const boost::intrusive_ptr<asked> made{
      new asked{core, next_number(*core), refs::target(whom), timeout, std::forward<Complete>(complete)}};
  made->begin();
  if (made->is_stopped()) return;
  const auto reply_to = refs::typed<Reply>(made, &asked::template accept<Reply>);
  if (auto taken = whom.try_tell(Request(std::forward<MakeRequest>(make_request)(reply_to))); !taken) {
    made->end_with(std::move(taken).error());
  }
}

}  // namespace muster::actor_kernel
