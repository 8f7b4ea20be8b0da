#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::tests {

/// A program run by a test, spoken to by lines. It is killed when it has not ended by itself before the object does.
class child_process {
 public:
  /// Beyond what any answer takes on a busy machine.
  static constexpr std::chrono::seconds generous{60};

  /// Starts `command` (a path and its arguments) with `environment` added to ours. Standard error stays ours.
  explicit child_process(std::vector<std::string> command, const std::map<std::string, std::string>& environment = {});
  child_process(const child_process&) = delete;
  child_process& operator=(const child_process&) = delete;
  ~child_process();

  [[nodiscard]] pid_t id() const noexcept { return id_; }

  /// False when the program does not read any more.
  bool say(std::string_view line);
  /// The end of its input.
  void say_no_more();
  /// The next line of its output; nothing at the end of it. Throws when none comes within `bound`.
  std::optional<std::string> hear(std::chrono::milliseconds bound = generous);
  /// All lines to the end of its output.
  std::vector<std::string> hear_all();

  void signal(int number) const;
  /// How it ended, as waitpid(2) tells. Waits for the end.
  int wait();

 private:
  pid_t id_ = -1;
  int to_ = -1;
  int from_ = -1;
  std::string heard_;
  std::optional<int> ended_;
};

}  // namespace muster::tests
