#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bench/processes.hpp"

namespace muster::bench {

/// A child process that is told a line at a time and answers each with one line: "ok", followed by numbers, or "error"
/// and what is wrong, which is thrown here.
class conversation {
 public:
  conversation(std::string name, const std::vector<std::string>& command, const std::filesystem::path& log);
  ~conversation();
  conversation(const conversation&) = delete;
  conversation& operator=(const conversation&) = delete;

  void say(std::string_view line);
  /// The answer to what was said before. Throws when there is none within a minute.
  [[nodiscard]] std::vector<std::int64_t> hear();
  std::vector<std::int64_t> ask(std::string_view line) {
    say(line);
    return hear();
  }
  /// The text of an answer that is no number.
  [[nodiscard]] std::string ask_text(std::string_view line);

  [[nodiscard]] process& of() noexcept { return process_; }

 private:
  /// Pipes, whose far ends are closed here once the child has them.
  struct pipes {
    pipes();
    int to_child[2] = {-1, -1};
    int from_child[2] = {-1, -1};
  };

  [[nodiscard]] std::string hear_line();
  [[noreturn]] void complain(std::string_view what);

  std::string name_;
  pipes pipes_;
  process process_;
  std::string asked_;
  std::string heard_;  // what came, up to now without the end of its line
};

}  // namespace muster::bench
