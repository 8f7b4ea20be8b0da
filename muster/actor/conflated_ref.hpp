#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "muster/actor/actor_ref.hpp"
#include "muster/actor/mailbox.hpp"

namespace muster {

namespace actor_kernel {

/// The message of one slot that waits in a mailbox, if any. Each `put` that finds the slot empty brings about one
/// envelope; whoever handles that envelope takes what is there then.
template <typename M>
class slot {
 public:
  slot() = default;
  slot(const slot&) = delete;
  slot& operator=(const slot&) = delete;
  ~slot() { delete waiting_.load(std::memory_order_relaxed); }

  /// False when it took the place of one that waits.
  [[nodiscard]] bool put(std::unique_ptr<M> newest) noexcept {
    const std::unique_ptr<M> before{waiting_.exchange(newest.release(), std::memory_order_acq_rel)};
    return before == nullptr;
  }
  [[nodiscard]] std::unique_ptr<M> take() noexcept {
    return std::unique_ptr<M>{waiting_.exchange(nullptr, std::memory_order_acq_rel)};
  }

 private:
  std::atomic<M*> waiting_{nullptr};
};

/// The duty to take the message out of a slot: an actor of this process that takes messages of type M takes this as
/// well. Exactly one exists while the slot is full; where it ends undone, the slot is emptied, so that the next message
/// gets a duty of its own.
template <typename M>
class fetch {
 public:
  explicit fetch(std::shared_ptr<slot<M>> from) noexcept : from_{std::move(from)} {}
  fetch(fetch&&) noexcept = default;
  fetch& operator=(fetch&&) = delete;
  ~fetch() {
    if (from_) (void)from_->take();
  }

  [[nodiscard]] std::unique_ptr<M> take() noexcept { return std::exchange(from_, nullptr)->take(); }

 private:
  std::shared_ptr<slot<M>> from_;
};

}  // namespace actor_kernel

/// A ref whose messages replace each other: one that still waits in the mailbox is replaced, where it stands, by the
/// next one told through the same slot (that is, through this object and its copies). For news of which only the newest
/// counts, such as listings: keep one for each subscriber and key. A slow receiver then holds one message a slot,
/// however many were told. A remote actor is told every one: what is on the wire cannot be replaced.
template <typename M>
class conflated_ref {
 public:
  conflated_ref() = default;
  explicit conflated_ref(actor_ref<M> to)
      : to_{std::move(to)},
        fetch_{actor_kernel::refs::target(to_)
                   ? reinterpret_cast<actor_kernel::acceptor<actor_kernel::fetch<M>>>(
                         actor_kernel::refs::target(to_)->find_acceptor(actor_kernel::type_of<actor_kernel::fetch<M>>))
                   : nullptr} {
    if (fetch_ != nullptr) slot_ = std::make_shared<actor_kernel::slot<M>>();
  }

  [[nodiscard]] const actor_ref<M>& ref() const noexcept { return to_; }

  /// As `actor_ref::tell`. A message that was replaced is no dead letter.
  void tell(M message) const {
    if (fetch_ == nullptr) return to_.tell(std::move(message));
    if (slot_->put(std::make_unique<M>(std::move(message)))) {
      (void)fetch_(*actor_kernel::refs::target(to_), actor_kernel::fetch<M>{slot_}, actor_kernel::if_not::dead_letter);
    }
  }

 private:
  actor_ref<M> to_;
  std::shared_ptr<actor_kernel::slot<M>> slot_;
  actor_kernel::acceptor<actor_kernel::fetch<M>> fetch_{nullptr};
};

}  // namespace muster
