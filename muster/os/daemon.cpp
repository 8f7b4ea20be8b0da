#include "muster/os/daemon.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

namespace muster::os {
namespace {

constexpr char ready_word = 'R';
constexpr char told_word = 'T';

void say(const std::string& program, const std::string& sentence) {
  std::fprintf(stderr, "%s: error: %s\n", program.c_str(), sentence.c_str());
  std::fflush(stderr);
}

void send_word(const file_descriptor& to_command, char word) {
  // Whoever waited may be gone; the daemon does not depend on it.
  (void)!::write(to_command.get(), &word, 1);
}

/// What the daemon's way needs to know: who speaks, and the link that it hands over.
struct passage {
  const daemon_options& options;
  file_descriptor to_command;

  /// The daemon's own failures on the way: seen on the command's standard error, which is still ours.
  [[noreturn]] void give_up(const std::string& sentence) const {
    say(options.program, sentence);
    send_word(to_command, told_word);
    ::_exit(1);
  }
};

[[noreturn]] void wait_for_word(const std::string& program, const file_descriptor& from_daemon) {
  char word = 0;
  ssize_t got = -1;
  do {
    got = ::read(from_daemon.get(), &word, 1);
  } while (got < 0 && errno == EINTR);
  // An end without a word is that of a process that was killed, or broke.
  if (got != 1) say(program, "the daemon ended before it was ready");
  ::_exit(got == 1 && word == ready_word ? 0 : 1);
}

void lead_nowhere(std::initializer_list<int> descriptors) {
  const file_descriptor nowhere{::open("/dev/null", O_RDWR | O_CLOEXEC)};
  if (!nowhere) return;
  for (const int descriptor : descriptors) (void)::dup2(nowhere.get(), descriptor);
}

/// Everything that was inherited but the three standard ones and `kept`.
void close_inherited(int kept) {
  constexpr unsigned first = STDERR_FILENO + 1;
  const auto keep = static_cast<unsigned>(kept);
  if (keep > first) (void)::close_range(first, keep - 1, 0);
  (void)::close_range(keep + 1, ~0U, 0);
}

void write_pid_file(const std::filesystem::path& file, const passage& way) {
  const file_descriptor out{::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)};
  const std::string text = std::to_string(::getpid()) + "\n";
  if (!out || ::write(out.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    way.give_up(fmt::format("--pidfile {}: cannot be written: {}", file.string(), system_message(errno)));
  }
}

}  // namespace

result<daemon_link> daemonise(const daemon_options& options) {
  std::error_code failed;
  const auto pid_file =
      options.pid_file.empty() ? std::filesystem::path{} : std::filesystem::absolute(options.pid_file, failed);
  if (failed) return fail(errc::invalid_argument, "--pidfile {}: {}", options.pid_file.string(), failed.message());

  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail(errc::unavailable, "--daemon: no pipe: {}", system_message(errno));
  file_descriptor from_daemon{ends[0]};
  passage way{options, file_descriptor{ends[1]}};

  std::fflush(nullptr);  // else what is buffered comes out of each process
  const pid_t first = ::fork();
  if (first < 0) return fail(errc::unavailable, "--daemon: no process: {}", system_message(errno));
  if (first > 0) {
    way.to_command = {};
    (void)::waitpid(first, nullptr, 0);
    wait_for_word(options.program, from_daemon);
  }

  from_daemon = {};
  // A session leader could get a terminal again by opening one; its child cannot.
  if (::setsid() < 0) way.give_up(fmt::format("--daemon: no session: {}", system_message(errno)));
  const pid_t second = ::fork();
  if (second < 0) way.give_up(fmt::format("--daemon: no process: {}", system_message(errno)));
  if (second > 0) ::_exit(0);

  if (!options.keeps_directory && ::chdir("/") != 0) way.give_up(fmt::format("--daemon: {}", system_message(errno)));
  if (!options.keeps_descriptors) {
    close_inherited(way.to_command.get());
    lead_nowhere({STDIN_FILENO});
  }
  if (!pid_file.empty()) write_pid_file(pid_file, way);

  daemon_link link;
  link.to_command_ = std::move(way.to_command);
  link.pid_file_ = pid_file;
  link.keeps_descriptors_ = options.keeps_descriptors;
  return link;
}

daemon_link::daemon_link(daemon_link&& other) noexcept
    : to_command_{std::move(other.to_command_)},
      pid_file_{std::exchange(other.pid_file_, {})},
      keeps_descriptors_{other.keeps_descriptors_} {}

void daemon_link::ready() {
  if (!to_command_) return;
  std::fflush(nullptr);
  if (!keeps_descriptors_) lead_nowhere({STDOUT_FILENO, STDERR_FILENO});
  send_word(to_command_, ready_word);
  to_command_ = {};
}

void daemon_link::has_told() {
  if (!to_command_) return;
  std::fflush(nullptr);
  send_word(to_command_, told_word);
  to_command_ = {};
}

daemon_link::~daemon_link() {
  if (pid_file_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove(pid_file_, ignored);
}

}  // namespace muster::os
