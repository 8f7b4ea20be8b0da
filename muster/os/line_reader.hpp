#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "muster/base/result.hpp"
#include "muster/os/file.hpp"

namespace muster::os {

/// Reads lines from a descriptor on a thread of its own, and hands them over one by one, without the line feed. It
/// reads no faster than they are used: while `lines_max` of them are `held` by somebody it waits.
class line_reader {
 public:
  struct line {
    std::size_t number{0};  ///< from 1
    std::string text;       ///< empty when it was too long
    bool is_too_long{false};
    std::shared_ptr<const void> held{};  ///< let go of when the line has been used
  };
  struct options {
    int fd{0};  ///< not closed
    std::size_t line_bytes_max{std::size_t{64} * 1024};
    std::size_t lines_max{1024};
    /// Both on the reader's thread. What stands behind the last line feed is a line, too.
    std::function<void(line)> on_line{};
    std::function<void()> on_end{};
  };

  [[nodiscard]] static result<std::unique_ptr<line_reader>> start(options how);
  line_reader(const line_reader&) = delete;
  line_reader& operator=(const line_reader&) = delete;
  /// No function is called afterwards.
  ~line_reader();

 private:
  line_reader(options how, file_descriptor stop);
  void run();
  [[nodiscard]] bool hand_over(std::string text, bool is_too_long);

  /// Lines in use; they may outlive the reader.
  struct account {
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t held{0};
    bool stopping{false};
  };

  const options how_;
  const file_descriptor stop_;  // readable: end now
  std::size_t number_{0};       // of the reader's thread

  const std::shared_ptr<account> account_{std::make_shared<account>()};

  std::thread thread_;
};

}  // namespace muster::os
