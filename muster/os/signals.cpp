#include "muster/os/signals.hpp"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <utility>

#include "muster/base/invariant.hpp"
#include "muster/os/file.hpp"

namespace muster::os {
namespace {

template <typename Signals>
sigset_t set_of(const Signals& signals) noexcept {
  sigset_t out;
  sigemptyset(&out);
  for (const int number : signals) {
    sigaddset(&out, number);
  }
  return out;
}

void listen(int signal_fd, int stop_fd, const std::function<void(int)>& received) {
  std::array<pollfd, 2> waiting{pollfd{signal_fd, POLLIN, 0}, pollfd{stop_fd, POLLIN, 0}};
  while (true) {
    if (::poll(waiting.data(), waiting.size(), -1) < 0) {
      MUSTER_INVARIANT(errno == EINTR, "poll fails only when it is interrupted");
      continue;
    }
    if ((waiting[1].revents & POLLIN) != 0) {
      return;
    }
    signalfd_siginfo info{};
    if (::read(signal_fd, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
      received(static_cast<int>(info.ssi_signo));
    }
  }
}

}  // namespace

void block_signals(std::initializer_list<int> signals) noexcept {
  const sigset_t set = set_of(signals);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

void let_writes_fail() noexcept {
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
}

result<signal_listener> signal_listener::start(const std::vector<int>& signals, std::function<void(int)> received) {
  signal_listener out;
  const sigset_t set = set_of(signals);
  out.signal_fd_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  out.stop_fd_ = ::eventfd(0, EFD_CLOEXEC);
  if (out.signal_fd_ < 0 || out.stop_fd_ < 0) {
    return fail(errc::io_error, "cannot wait for signals: {}", system_message(errno));
  }
  out.thread_ = std::thread{[signal_fd = out.signal_fd_, stop_fd = out.stop_fd_, received = std::move(received)] {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    listen(signal_fd, stop_fd, received);
  }};
  pthread_setname_np(out.thread_.native_handle(), "signals");
  return out;
}

signal_listener::signal_listener(signal_listener&& other) noexcept
    : signal_fd_{std::exchange(other.signal_fd_, -1)},
      stop_fd_{std::exchange(other.stop_fd_, -1)},
      thread_{std::move(other.thread_)} {}

signal_listener::~signal_listener() {
  if (thread_.joinable()) {
    const std::uint64_t one = 1;
    MUSTER_INVARIANT(::write(stop_fd_, &one, sizeof one) == static_cast<ssize_t>(sizeof one),
                     "an eventfd that nobody has written to takes a number");
    thread_.join();
  }
  for (const int fd : {signal_fd_, stop_fd_}) {
    if (fd >= 0) {
      ::close(fd);
    }
  }
}

}  // namespace muster::os
