#pragma once

#include <functional>
#include <initializer_list>
#include <thread>
#include <vector>

#include "muster/base/result.hpp"

namespace muster::os {

/// Blocks the signals in this thread and in all that it starts from now on, so that only a `signal_listener` receives
/// them. Call it in `main` before anything makes a thread (the Ice communicator makes several).
void block_signals(std::initializer_list<int> signals) noexcept;

/// Lets writes to closed sockets and pipes fail with EPIPE, and writes beyond a file size limit with EFBIG, instead of
/// ending the process.
void let_writes_fail() noexcept;

/// A thread that waits for signals and calls a function for each one received, outside of any signal handler's
/// restrictions. The signals must be blocked everywhere (see `block_signals`).
class signal_listener {
 public:
  /// `received` is called on the listener's own thread; it posts, and does not block.
  [[nodiscard]] static result<signal_listener> start(const std::vector<int>& signals,
                                                     std::function<void(int)> received);

  signal_listener(signal_listener&& other) noexcept;
  signal_listener& operator=(signal_listener&&) = delete;
  /// Ends the thread; the signals stay blocked.
  ~signal_listener();

 private:
  signal_listener() = default;

  int signal_fd_ = -1;
  int stop_fd_ = -1;
  std::thread thread_;
};

}  // namespace muster::os
