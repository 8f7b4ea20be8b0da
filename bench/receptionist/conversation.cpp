#include "bench/receptionist/conversation.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace muster::bench {

namespace {

using namespace std::chrono_literals;

constexpr auto patience = 60s;

[[noreturn]] void fail_by_errno(const char* what) { throw std::system_error{errno, std::generic_category(), what}; }

}  // namespace

conversation::pipes::pipes() {
  if (::pipe2(to_child, O_CLOEXEC) != 0 || ::pipe2(from_child, O_CLOEXEC) != 0) fail_by_errno("pipe");
}

conversation::conversation(std::string name, const std::vector<std::string>& command, const std::filesystem::path& log)
    : name_{std::move(name)}, process_{command, log, {.in = pipes_.to_child[0], .out = pipes_.from_child[1]}} {
  ::close(pipes_.to_child[0]);
  ::close(pipes_.from_child[1]);
}

conversation::~conversation() {
  ::close(pipes_.to_child[1]);
  ::close(pipes_.from_child[0]);
}

void conversation::say(std::string_view line) {
  asked_ = line;
  const std::string all = asked_ + '\n';
  for (std::size_t done = 0; done < all.size();) {
    const auto written = ::write(pipes_.to_child[1], all.data() + done, all.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) complain("takes no more commands");
    done += static_cast<std::size_t>(written);
  }
}

std::vector<std::int64_t> conversation::hear() {
  const auto line = hear_line();
  std::string_view rest{line};
  if (!rest.starts_with("ok")) complain(fmt::format("answers: {}", line));
  rest.remove_prefix(2);
  std::vector<std::int64_t> numbers;
  while (!rest.empty()) {
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    if (rest.empty()) break;
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error != std::errc{}) complain(fmt::format("answers with what is no number: {}", line));
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    numbers.push_back(number);
  }
  return numbers;
}

std::string conversation::ask_text(std::string_view line) {
  say(line);
  auto answer = hear_line();
  if (!answer.starts_with("ok ")) complain(fmt::format("answers: {}", answer));
  return answer.substr(3);
}

std::string conversation::hear_line() {
  const auto deadline = clock::now() + patience;
  for (;;) {
    if (const auto end = heard_.find('\n'); end != std::string::npos) {
      auto line = heard_.substr(0, end);
      heard_.erase(0, end + 1);
      return line;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock::now());
    pollfd from{.fd = pipes_.from_child[0], .events = POLLIN, .revents = 0};
    const int ready = ::poll(&from, 1, static_cast<int>(std::max(left, 0ms).count()));
    if (ready < 0 && errno != EINTR) fail_by_errno("poll");
    if (ready == 0) complain("does not answer");
    if (ready < 0) continue;
    char buffer[4096];
    const auto got = ::read(pipes_.from_child[0], buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) complain("has ended");
    heard_.append(buffer, static_cast<std::size_t>(got));
  }
}

void conversation::complain(std::string_view what) {
  throw std::runtime_error{fmt::format("{}, asked to \"{}\", {}\n{}", name_, asked_, what, process_.log_tail())};
}

}  // namespace muster::bench
