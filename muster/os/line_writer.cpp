#include "muster/os/line_writer.hpp"

#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <string_view>
#include <utility>

#include "muster/base/invariant.hpp"
#include "muster/os/clock.hpp"

namespace muster::os {

result<std::unique_ptr<line_writer>> line_writer::start(options how) {
  file_descriptor stop{::eventfd(0, EFD_CLOEXEC)};
  if (!stop) return fail(errc::io_error, "cannot make an eventfd: {}", system_message(errno));
  return std::unique_ptr<line_writer>{new line_writer{std::move(how), std::move(stop)}};
}

line_writer::line_writer(options how, file_descriptor stop) : how_{std::move(how)}, stop_{std::move(stop)} {
  thread_ = std::thread{[this] {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    run();
  }};
  pthread_setname_np(thread_.native_handle(), "output");
}

line_writer::~line_writer() {
  {
    const std::lock_guard lock{mutex_};
    stopping_ = true;
    changed_.notify_all();
  }
  const std::uint64_t one = 1;
  MUSTER_INVARIANT(::write(stop_.get(), &one, sizeof one) == static_cast<ssize_t>(sizeof one),
                   "an eventfd that nobody has written to takes a number");
  thread_.join();
}

bool line_writer::write(std::string line) {
  line.push_back('\n');
  const std::lock_guard lock{mutex_};
  if (broken_ || waiting_.size() + writing_bytes_ + line.size() > how_.bytes_max) return false;
  waiting_ += line;
  changed_.notify_all();
  return true;
}

bool line_writer::is_empty() const {
  const std::lock_guard lock{mutex_};
  return waiting_.empty() && writing_bytes_ == 0;
}

bool line_writer::drain(duration bound) {
  std::unique_lock lock{mutex_};
  return changed_.wait_until(lock, to_steady(now() + bound), [&] {
    return broken_ || (waiting_.empty() && writing_bytes_ == 0);
  }) && !broken_;
}

void line_writer::run() {
  std::string batch;
  while (true) {
    {
      std::unique_lock lock{mutex_};
      writing_bytes_ = 0;
      changed_.notify_all();
      changed_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
      if (stopping_) return;
      batch.clear();
      std::swap(batch, waiting_);
      writing_bytes_ = batch.size();
    }
    if (write_all(batch)) continue;
    const int cause = errno;
    {
      const std::lock_guard lock{mutex_};
      broken_ = true;
      waiting_.clear();
      writing_bytes_ = 0;
      changed_.notify_all();
      if (stopping_) return;
    }
    if (how_.on_broken) how_.on_broken(cause);
    return;
  }
}

bool line_writer::write_all(const std::string& text) {
  std::string_view rest{text};
  std::array<pollfd, 2> waiting{pollfd{how_.fd, POLLOUT, 0}, pollfd{stop_.get(), POLLIN, 0}};
  while (!rest.empty()) {
    if (::poll(waiting.data(), waiting.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    if ((waiting[1].revents & POLLIN) != 0) return false;
    if ((waiting[0].revents & POLLNVAL) != 0) {
      errno = EBADF;
      return false;
    }
    // A pipe that can be written to takes so many bytes without waiting.
    const ssize_t written = ::write(how_.fd, rest.data(), std::min<std::size_t>(rest.size(), PIPE_BUF));
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR && errno != EAGAIN) {
      return false;
    }
  }
  return true;
}

}  // namespace muster::os
