#pragma once

// tidy: allow, because the kernel's tables are reached from all threads that run turns: here is its only lock.
#include <mutex>
#include <utility>

namespace muster::actor_kernel {

/// A value that is reached under its own lock only. What runs under the lock is short, calls nothing of a user's, and
/// takes no other lock of the kernel but a timer's alarm; what a value owned is destroyed after the lock is released.
template <typename T>
class guarded {
 public:
  template <typename Function>
  decltype(auto) with(Function&& function) {
    const std::lock_guard lock{mutex_};
    return std::forward<Function>(function)(value_);
  }
  template <typename Function>
  decltype(auto) with(Function&& function) const {
    const std::lock_guard lock{mutex_};
    return std::forward<Function>(function)(value_);
  }

 private:
  mutable std::mutex mutex_;
  T value_{};
};

}  // namespace muster::actor_kernel
