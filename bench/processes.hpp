#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace muster::bench {

using clock = std::chrono::steady_clock;

/// A folder of this run's own, removed with everything in it at the end.
class work_directory {
 public:
  explicit work_directory(const std::filesystem::path& parent);
  ~work_directory();
  work_directory(const work_directory&) = delete;
  work_directory& operator=(const work_directory&) = delete;

  /// A new empty folder below it; `name` is only for people.
  [[nodiscard]] std::filesystem::path make(const std::string& name);

 private:
  std::filesystem::path path_;
  int made_ = 0;
};

/// A TCP port of 127.0.0.1 on which nobody listens, never given twice by this process.
[[nodiscard]] std::uint16_t free_port();

/// What the kernel says of a process, in bytes. Anonymous memory is what the process alone holds; mapped is its
/// resident pages of files (program, libraries, and an LMDB database, which the kernel may drop at any time).
struct memory_use {
  std::uint64_t anonymous_bytes = 0;
  std::uint64_t mapped_bytes = 0;
};

/// Descriptors that a child gets as its standard input and output; they stay the caller's.
struct standard_streams {
  int in = -1;   ///< -1: nothing to be read
  int out = -1;  ///< -1: its log
};

/// A child process. It never outlives its owner: the destructor kills it, and the kernel does when this program dies.
class process {
 public:
  /// Standard output and error go to the end of `log`. Throws when it cannot be started.
  process(const std::vector<std::string>& command, std::filesystem::path log, standard_streams streams = {});
  ~process();
  process(const process&) = delete;
  process& operator=(const process&) = delete;

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  [[nodiscard]] bool is_running();
  /// The end of what it has printed, for the sentence that says what went wrong.
  [[nodiscard]] std::string log_tail() const;

  void kill();     ///< SIGKILL, and waits for the end.
  void stop();     ///< SIGTERM, and waits for the end; SIGKILL after 20 s (the stock registry can lose a SIGTERM).
  void suspend();  ///< SIGSTOP: a process that is there and does not answer.

  [[nodiscard]] memory_use memory() const;
  /// Processor time of all its threads so far.
  [[nodiscard]] std::chrono::nanoseconds processor_time() const;

 private:
  void reap(bool waits);

  pid_t pid_ = -1;
  bool ended_ = false;
  std::filesystem::path log_;
};

}  // namespace muster::bench
