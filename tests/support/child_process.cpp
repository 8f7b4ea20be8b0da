#include "tests/support/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <utility>

extern char** environ;  // NOLINT(readability-redundant-declaration): some headers have it, POSIX asks for this

namespace muster::tests {
namespace {

struct pipe_ends {
  int read = -1;
  int write = -1;
};

pipe_ends make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error{"cannot make a pipe"};
  }
  return {ends[0], ends[1]};
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& more) {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!more.contains(text.substr(0, text.find('=')))) {
      out.push_back(text);
    }
  }
  for (const auto& [name, value] : more) {
    out.push_back(std::string{name}.append("=").append(value));
  }
  return out;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (std::string& text : texts) {
    out.push_back(text.data());
  }
  out.push_back(nullptr);
  return out;
}

}  // namespace

child_process::child_process(std::vector<std::string> command, const std::map<std::string, std::string>& environment) {
  const pipe_ends input = make_pipe();
  const pipe_ends output = make_pipe();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.read, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.write, STDOUT_FILENO);
  std::vector<std::string> variables = environment_with(environment);
  const std::vector<char*> arguments = pointers_to(command);
  const std::vector<char*> variable_pointers = pointers_to(variables);
  const int problem =
      ::posix_spawn(&id_, arguments.front(), &actions, nullptr, arguments.data(), variable_pointers.data());
  posix_spawn_file_actions_destroy(&actions);
  ::close(input.read);
  ::close(output.write);
  to_ = input.write;
  from_ = output.read;
  if (problem != 0) {
    ::close(to_);
    ::close(from_);
    throw std::runtime_error{"cannot run " + command.front()};
  }
  // A program that has died is told so by `say`, and not by a signal to the test.
  ::signal(SIGPIPE, SIG_IGN);
}

child_process::~child_process() {
  if (!ended_) {
    signal(SIGKILL);
    wait();
  }
  say_no_more();
  ::close(from_);
}

bool child_process::say(std::string_view line) {
  std::string text{line};
  text += '\n';
  return ::write(to_, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

void child_process::say_no_more() {
  if (to_ >= 0) {
    ::close(std::exchange(to_, -1));
  }
}

std::optional<std::string> child_process::hear(std::chrono::milliseconds bound) {
  const auto deadline = std::chrono::steady_clock::now() + bound;
  while (true) {
    if (const std::size_t end = heard_.find('\n'); end != std::string::npos) {
      std::string line = heard_.substr(0, end);
      heard_.erase(0, end + 1);
      return line;
    }
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd waiting{from_, POLLIN, 0};
    if (left.count() <= 0 || ::poll(&waiting, 1, static_cast<int>(left.count())) == 0) {
      throw std::runtime_error{"the program says nothing"};
    }
    std::array<char, 4096> part{};
    const ssize_t got = ::read(from_, part.data(), part.size());
    if (got == 0) {
      return std::nullopt;
    }
    if (got > 0) {
      heard_.append(part.data(), static_cast<std::size_t>(got));
    }
  }
}

std::vector<std::string> child_process::hear_all() {
  std::vector<std::string> out;
  while (auto line = hear()) {
    out.push_back(std::move(*line));
  }
  return out;
}

void child_process::signal(int number) const { ::kill(id_, number); }

int child_process::wait() {
  while (!ended_) {
    int status = 0;
    if (::waitpid(id_, &status, 0) == id_) {
      ended_ = status;
    } else if (errno != EINTR) {
      throw std::runtime_error{"cannot wait for the program"};
    }
  }
  return *ended_;
}

}  // namespace muster::tests
