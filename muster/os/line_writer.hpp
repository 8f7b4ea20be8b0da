#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "muster/base/instant.hpp"
#include "muster/base/result.hpp"
#include "muster/os/file.hpp"

namespace muster::os {

/// Writes lines to a descriptor, each at once, on a thread of its own: who writes never waits for a reader that is
/// slow, suspended or gone. What waits is bounded; a line beyond that is refused, whole. The descriptor's flags stay as
/// they are, since others may share it (a terminal with its shell).
class line_writer {
 public:
  struct options {
    int fd{1};  ///< not closed
    std::size_t bytes_max{std::size_t{16} * 1024 * 1024};
    /// Nobody will read any more, or the disk is full. Once, on the writer's thread.
    std::function<void(int errno_value)> on_broken{};
  };

  [[nodiscard]] static result<std::unique_ptr<line_writer>> start(options how);
  line_writer(const line_writer&) = delete;
  line_writer& operator=(const line_writer&) = delete;
  /// What has not been written is dropped.
  ~line_writer();

  /// Adds a line feed. False when there is no room, or nobody to write to: nothing of the line is written then.
  [[nodiscard]] bool write(std::string line);
  /// All has been written.
  [[nodiscard]] bool is_empty() const;
  /// Waits until all has been written, but not longer than `bound`. False when something was left.
  bool drain(duration bound);

 private:
  line_writer(options how, file_descriptor stop);
  void run();
  [[nodiscard]] bool write_all(const std::string& text);

  const options how_;
  const file_descriptor stop_;  // readable: end now

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Under the mutex.
  std::string waiting_;
  std::size_t writing_bytes_{0};
  bool stopping_{false};
  bool broken_{false};

  std::thread thread_;
};

}  // namespace muster::os
