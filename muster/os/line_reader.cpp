#include "muster/os/line_reader.hpp"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <string_view>
#include <utility>

#include "muster/base/invariant.hpp"

namespace muster::os {

result<std::unique_ptr<line_reader>> line_reader::start(options how) {
  file_descriptor stop{::eventfd(0, EFD_CLOEXEC)};
  if (!stop) return fail(errc::io_error, "cannot make an eventfd: {}", system_message(errno));
  return std::unique_ptr<line_reader>{new line_reader{std::move(how), std::move(stop)}};
}

line_reader::line_reader(options how, file_descriptor stop) : how_{std::move(how)}, stop_{std::move(stop)} {
  thread_ = std::thread{[this] {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    run();
  }};
  pthread_setname_np(thread_.native_handle(), "input");
}

line_reader::~line_reader() {
  {
    const std::lock_guard lock{account_->mutex};
    account_->stopping = true;
    account_->changed.notify_all();
  }
  const std::uint64_t one = 1;
  MUSTER_INVARIANT(::write(stop_.get(), &one, sizeof one) == static_cast<ssize_t>(sizeof one),
                   "an eventfd that nobody has written to takes a number");
  thread_.join();
}

bool line_reader::hand_over(std::string text, bool is_too_long) {
  {
    std::unique_lock lock{account_->mutex};
    account_->changed.wait(lock, [&] { return account_->stopping || account_->held < how_.lines_max; });
    if (account_->stopping) return false;
    ++account_->held;
  }
  std::shared_ptr<const void> held{account_.get(), [account = account_](const void*) {
                                     const std::lock_guard lock{account->mutex};
                                     --account->held;
                                     account->changed.notify_all();
                                   }};
  how_.on_line({++number_, std::move(text), is_too_long, std::move(held)});
  return true;
}

void line_reader::run() {
  std::array<pollfd, 2> waiting{pollfd{how_.fd, POLLIN, 0}, pollfd{stop_.get(), POLLIN, 0}};
  std::array<char, 16384> block{};
  std::string begun;
  bool is_too_long = false;
  while (true) {
    if (::poll(waiting.data(), waiting.size(), -1) < 0) {
      if (errno == EINTR) continue;
      break;
    }
    if ((waiting[1].revents & POLLIN) != 0) return;
    const ssize_t count = ::read(how_.fd, block.data(), block.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) break;
    std::string_view rest{block.data(), static_cast<std::size_t>(count)};
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      const std::string_view part = rest.substr(0, end);
      is_too_long = is_too_long || begun.size() + part.size() > how_.line_bytes_max;
      if (is_too_long) {
        begun.clear();
      } else {
        begun += part;
      }
      if (end == std::string_view::npos) break;
      rest.remove_prefix(end + 1);
      if (!hand_over(std::exchange(begun, {}), std::exchange(is_too_long, false))) return;
    }
  }
  if ((!begun.empty() || is_too_long) && !hand_over(std::move(begun), is_too_long)) return;
  how_.on_end();
}

}  // namespace muster::os
