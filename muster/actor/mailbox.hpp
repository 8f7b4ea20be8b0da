#pragma once

#include <atomic>
#include <cstdint>

#include "muster/actor/message_name.hpp"

namespace muster::actor_kernel {

class cell;

/// What waits in a mailbox: a message, or a signal of the kernel. Owned by the mailbox, then by the turn that takes it.
class envelope {
 public:
  envelope() = default;
  envelope(const envelope&) = delete;
  envelope& operator=(const envelope&) = delete;
  virtual ~envelope() = default;

  /// On the actor's turn, once. What the actor throws comes out.
  virtual void deliver(cell& to) = 0;
  /// The type of a message; null for a signal, which is no dead letter when nobody takes it.
  [[nodiscard]] virtual const message_type* type() const noexcept { return nullptr; }

  envelope* next{nullptr};
};

/// A queue of many writers and one reader, which also knows whether its reader sleeps: an intrusive stack that the
/// reader takes as a whole and turns round (Treiber, "Systems Programming: Coping with Parallelism", 1986; with no
/// single pops there is no ABA problem). A tell is one compare-and-swap; a turn takes all that waits by one more. The
/// order of one writer's envelopes is kept.
///
/// The reader is the turn that is running or has been asked for: at most one. A new mailbox has one.
class mailbox {
 public:
  mailbox() = default;
  mailbox(const mailbox&) = delete;
  mailbox& operator=(const mailbox&) = delete;
  ~mailbox();

  enum class pushed : std::uint8_t {
    queued,
    wake,    ///< queued, and the reader sleeps: the caller asks for its turn
    closed,  ///< the caller keeps the envelope
  };
  /// Any thread.
  [[nodiscard]] pushed push(envelope& what) noexcept {
    envelope* top = top_.load(std::memory_order_relaxed);
    do {
      if (top == closed_mark()) return pushed::closed;
      what.next = top == idle_mark() ? nullptr : top;
    } while (!top_.compare_exchange_weak(top, &what, std::memory_order_acq_rel, std::memory_order_acquire));
    return top == idle_mark() ? pushed::wake : pushed::queued;
  }

  /// All that waits, the oldest first; null when nothing does, or when the mailbox is closed. Reader only.
  [[nodiscard]] envelope* take() noexcept;
  /// Lets the reader sleep. False when something waits, or the mailbox is closed: then it goes on. After true the
  /// reader touches nothing of the actor any more: the next turn may have begun. Reader only.
  [[nodiscard]] bool rest() noexcept {
    envelope* expected = nullptr;
    return top_.compare_exchange_strong(expected, idle_mark(), std::memory_order_acq_rel, std::memory_order_acquire);
  }
  struct rest_of {
    envelope* waiting{nullptr};  ///< the oldest first
    bool reader_slept{false};
  };
  /// Takes no more. Gives what waited to the first one who closes it. Any thread.
  [[nodiscard]] rest_of close() noexcept;
  [[nodiscard]] bool closed() const noexcept { return top_.load(std::memory_order_acquire) == closed_mark(); }

 private:
  // Two addresses that no envelope has; nothing is ever read there.
  static envelope* idle_mark() noexcept { return reinterpret_cast<envelope*>(&marks[0]); }
  static envelope* closed_mark() noexcept { return reinterpret_cast<envelope*>(&marks[1]); }
  static envelope* oldest_first(envelope* newest) noexcept;

  struct alignas(envelope) mark {
    char nothing;
  };
  static inline mark marks[2];

  /// The newest that waits; null: none, and the reader is awake; or a mark.
  std::atomic<envelope*> top_{nullptr};
};

}  // namespace muster::actor_kernel
