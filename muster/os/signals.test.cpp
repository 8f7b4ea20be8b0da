#include "muster/os/signals.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <array>
#include <csignal>

#include "muster/os/run_apart.hpp"

namespace muster::os {
namespace {

/// In a process of its own, whose signals are nobody else's.
result<void> receive_three() {
  // The bound: a lost signal ends this process, and the test fails.
  ::alarm(60);
  block_signals({SIGTERM, SIGHUP, SIGINT});
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) {
    return fail(errc::io_error, "no pipe");
  }
  const auto listener = signal_listener::start({SIGTERM, SIGHUP, SIGINT}, [to = ends[1]](int number) {
    EXPECT_EQ(::write(to, &number, sizeof number), static_cast<ssize_t>(sizeof number));
  });
  if (!listener) {
    return fail(listener.error());
  }
  for (const int sent : {SIGTERM, SIGHUP, SIGINT, SIGTERM}) {
    int received = 0;
    ::kill(::getpid(), sent);
    if (::read(ends[0], &received, sizeof received) != static_cast<ssize_t>(sizeof received) || received != sent) {
      return fail(errc::conflict, "signal {} was sent and {} received", sent, received);
    }
  }
  return {};
}

TEST(signal_listener, hands_each_signal_of_the_process_to_its_function_and_ends_with_its_owner) {
  const auto done = run_apart("receiving signals", receive_three);
  EXPECT_TRUE(done) << done.error().message;
}

TEST(a_write, fails_and_does_not_end_the_process_once_that_is_asked_for) {
  const auto done = run_apart("writing to a closed pipe", []() -> result<void> {
    let_writes_fail();
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) {
      return fail(errc::io_error, "no pipe");
    }
    ::close(ends[0]);
    return ::write(ends[1], "x", 1) < 0 && errno == EPIPE ? result<void>{} : fail(errc::conflict, "it was written");
  });
  EXPECT_TRUE(done) << done.error().message;
}

}  // namespace
}  // namespace muster::os
