#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "muster/base/task.hpp"

namespace muster::receptionist {

/// Lets threads read what one writer replaces, without either waiting for the other: what was replaced is kept until
/// nobody can be reading it any more.
///
/// A reader is counted while it reads, in one of two columns; which one alternates. What was retired may go once each
/// counter has been seen at zero after that: whoever could have found it was counted in one of them all the while. That
/// new readers are sent to the other column sees to it that a counter does come to zero. (After McKenney's sleepable
/// read-copy-update, "SRCU", LWN 2006; here the writer does not wait but looks again with each of its changes.)
class grace {
  struct alignas(64) stripe {
    std::array<std::atomic<std::uint64_t>, 2> reading{};
  };

 public:
  grace() = default;
  grace(const grace&) = delete;
  grace& operator=(const grace&) = delete;
  ~grace() = default;

  /// While it lives, what the reader finds stays. Short: on the stack. Pointers that a writer may change are read with
  /// sequential consistency, so that a reader who is not counted yet cannot find what was retired before.
  class reading {
   public:
    explicit reading(grace& in) noexcept
        : counted_{in.stripes_[own_stripe()].reading[in.column_.load(std::memory_order_relaxed) & 1U]} {
      counted_.fetch_add(1, std::memory_order_seq_cst);
    }
    reading(const reading&) = delete;
    reading& operator=(const reading&) = delete;
    ~reading() { counted_.fetch_sub(1, std::memory_order_release); }

   private:
    std::atomic<std::uint64_t>& counted_;
  };

  /// Writer only: `let_go` runs when nobody reads any more what new readers cannot find any more already.
  void retire(task let_go) { retired_.push_back(std::move(let_go)); }
  /// Writer only: lets go of what may go. Costs a few loads; to be called with each change.
  void sweep();
  [[nodiscard]] std::size_t kept() const noexcept { return retired_.size() + leaving_.size(); }

 private:
  static constexpr std::size_t stripe_count = 16;

  [[nodiscard]] static std::size_t own_stripe() noexcept {
    // Any address of the thread's own tells threads apart well enough.
    static thread_local const char here{0};
    return (reinterpret_cast<std::uintptr_t>(&here) * 0x9e3779b97f4a7c15U) >> 60U;
  }
  [[nodiscard]] bool is_empty(std::size_t column) const noexcept;

  std::array<stripe, stripe_count> stripes_{};
  std::atomic<std::size_t> column_{0};
  // Writer only.
  std::vector<task> retired_;
  std::vector<task> leaving_;  ///< retired before the columns were looked at
  std::array<bool, 2> seen_empty_{};
};

}  // namespace muster::receptionist
