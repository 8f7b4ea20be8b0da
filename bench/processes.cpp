#include "bench/processes.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace muster::bench {

using namespace std::chrono_literals;

work_directory::work_directory(const std::filesystem::path& parent) {
  auto pattern = (parent / "muster-bench-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw std::system_error{errno, std::generic_category(),
                            fmt::format("no folder can be made in {}", parent.string())};
  }
  path_ = pattern;
}

work_directory::~work_directory() {
  std::error_code ignored;  // what is left behind is in a folder for temporary files
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path work_directory::make(const std::string& name) {
  auto path = path_ / fmt::format("{:03}-{}", ++made_, name);
  std::filesystem::create_directories(path);
  return path;
}

std::uint16_t free_port() {
  static std::set<std::uint16_t> given;
  for (;;) {
    const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (probe < 0) throw std::system_error{errno, std::generic_category(), "no socket"};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const bool bound = ::bind(probe, reinterpret_cast<const sockaddr*>(&address), size) == 0 &&
                       ::getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    const int why = errno;
    ::close(probe);
    if (!bound) throw std::system_error{why, std::generic_category(), "no port of 127.0.0.1"};
    const auto port = ntohs(address.sin_port);
    if (given.insert(port).second) return port;
  }
}

process::process(const std::vector<std::string>& command, std::filesystem::path log, standard_streams streams)
    : log_{std::move(log)} {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const auto& one : command) arguments.push_back(const_cast<char*>(one.c_str()));
  arguments.push_back(nullptr);

  const auto parent = ::getpid();
  const int out = ::open(log_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (out < 0) throw std::system_error{errno, std::generic_category(), log_.string()};
  pid_ = ::fork();
  if (pid_ < 0) throw std::system_error{errno, std::generic_category(), "fork"};
  if (pid_ == 0) {
    // Between fork and exec only what is safe after a fork of a program with threads.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(126);
    const int in = streams.in >= 0 ? streams.in : ::open("/dev/null", O_RDONLY);
    ::dup2(in, STDIN_FILENO);
    ::dup2(streams.out >= 0 ? streams.out : out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    ::execvp(arguments.front(), arguments.data());
    const char* why = std::strerror(errno);
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, why, std::strlen(why));
    ::_exit(127);
  }
  ::close(out);
}

process::~process() { kill(); }

void process::reap(bool waits) {
  int status = 0;
  pid_t got = 0;
  do {
    got = ::waitpid(pid_, &status, waits ? 0 : WNOHANG);
  } while (got < 0 && errno == EINTR);
  if (got != 0) ended_ = true;
}

bool process::is_running() {
  if (!ended_) reap(false);
  return !ended_;
}

std::string process::log_tail() const {
  std::ifstream file{log_};
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  constexpr std::size_t enough = 2000;
  return text.size() > enough ? text.substr(text.size() - enough) : text;
}

void process::kill() {
  if (ended_) return;
  ::kill(pid_, SIGKILL);
  reap(true);
}

void process::stop() {
  if (ended_) return;
  ::kill(pid_, SIGTERM);
  const auto deadline = clock::now() + 20s;
  while (is_running() && clock::now() < deadline) {
    std::this_thread::sleep_for(2ms);  // tidy: allow, because it polls another process
  }
  kill();
}

void process::suspend() { ::kill(pid_, SIGSTOP); }

memory_use process::memory() const {
  std::ifstream status{fmt::format("/proc/{}/status", pid_)};
  memory_use use;
  std::string word;
  while (status >> word) {
    std::uint64_t kibibytes = 0;
    if (word == "RssAnon:" && status >> kibibytes) use.anonymous_bytes = kibibytes * 1024;
    if (word == "RssFile:" && status >> kibibytes) use.mapped_bytes = kibibytes * 1024;
  }
  return use;
}

std::chrono::nanoseconds process::processor_time() const {
  std::uint64_t total = 0;
  std::error_code gone;
  for (const auto& thread : std::filesystem::directory_iterator{fmt::format("/proc/{}/task", pid_), gone}) {
    std::ifstream file{thread.path() / "schedstat"};
    std::uint64_t on_processor = 0;
    if (file >> on_processor) total += on_processor;
  }
  return std::chrono::nanoseconds{total};
}

}  // namespace muster::bench
