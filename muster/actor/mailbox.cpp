#include "muster/actor/mailbox.hpp"

#include <utility>

namespace muster::actor_kernel {

envelope* mailbox::oldest_first(envelope* newest) noexcept {
  envelope* oldest = nullptr;
  while (newest != nullptr) {
    envelope* before = std::exchange(newest->next, oldest);
    oldest = std::exchange(newest, before);
  }
  return oldest;
}

envelope* mailbox::take() noexcept {
  // Not a plain exchange: a system that gives an actor up may close its mailbox during a turn.
  envelope* top = top_.load(std::memory_order_acquire);
  do {
    if (top == nullptr || top == closed_mark()) return nullptr;
  } while (!top_.compare_exchange_weak(top, nullptr, std::memory_order_acq_rel, std::memory_order_acquire));
  return oldest_first(top);
}

mailbox::rest_of mailbox::close() noexcept {
  envelope* top = top_.exchange(closed_mark(), std::memory_order_acq_rel);
  if (top == idle_mark()) return {.reader_slept = true};
  return {.waiting = top == closed_mark() ? nullptr : oldest_first(top)};
}

mailbox::~mailbox() {
  for (envelope* waiting = close().waiting; waiting != nullptr;) {
    delete std::exchange(waiting, waiting->next);
  }
}

}  // namespace muster::actor_kernel
