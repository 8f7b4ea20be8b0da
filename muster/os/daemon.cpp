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

/// The daemon's own failures on the way: seen on the command's standard error, which is still ours.
[[noreturn]] void give_up(const std::string& sentence) {
  std::fprintf(stderr, "%s\n", sentence.c_str());
  std::fflush(stderr);
  ::_exit(1);
}

[[noreturn]] void wait_for_word(const file_descriptor& from_daemon) {
  char word = 0;
  ssize_t got = -1;
  do {
    got = ::read(from_daemon.get(), &word, 1);
  } while (got < 0 && errno == EINTR);
  const bool is_ready = got == 1 && word == ready_word;
  if (!is_ready) std::fprintf(stderr, "the daemon ended before it was ready\n");
  std::fflush(stderr);
  ::_exit(is_ready ? 0 : 1);
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

void write_pid_file(const std::filesystem::path& file) {
  const file_descriptor out{::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)};
  const std::string text = std::to_string(::getpid()) + "\n";
  if (!out || ::write(out.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    give_up(fmt::format("--pidfile {}: cannot be written: {}", file.string(), system_message(errno)));
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
  file_descriptor to_command{ends[1]};

  std::fflush(nullptr);  // else what is buffered comes out of each process
  const pid_t first = ::fork();
  if (first < 0) return fail(errc::unavailable, "--daemon: no process: {}", system_message(errno));
  if (first > 0) {
    to_command = {};
    (void)::waitpid(first, nullptr, 0);
    wait_for_word(from_daemon);
  }

  from_daemon = {};
  // A session leader could get a terminal again by opening one; its child cannot.
  if (::setsid() < 0) give_up(fmt::format("--daemon: no session: {}", system_message(errno)));
  const pid_t second = ::fork();
  if (second < 0) give_up(fmt::format("--daemon: no process: {}", system_message(errno)));
  if (second > 0) ::_exit(0);

  if (!options.keeps_directory && ::chdir("/") != 0) give_up(fmt::format("--daemon: {}", system_message(errno)));
  if (!options.keeps_descriptors) {
    close_inherited(to_command.get());
    lead_nowhere({STDIN_FILENO});
  }
  if (!pid_file.empty()) write_pid_file(pid_file);

  daemon_link link;
  link.to_command_ = std::move(to_command);
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
  // Whoever waited may be gone; the daemon does not depend on it.
  (void)!::write(to_command_.get(), &ready_word, 1);
  to_command_ = {};
}

daemon_link::~daemon_link() {
  if (pid_file_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove(pid_file_, ignored);
}

}  // namespace muster::os
