#include "muster/os/daemon.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "muster/os/service_notify.hpp"

namespace muster::os {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Runs `as_daemon` in a daemon, and tells how the command that started it ended and what it showed.
class daemon_start : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "muster-daemon-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  struct outcome {
    int status{};
    std::string shown;
  };

  /// The daemon holds the write end of `done` until it ends: reading to the end waits for it.
  outcome run(const daemon_options& options, const std::function<void(daemon_link&)>& as_daemon) {
    int shown[2];
    EXPECT_EQ(::pipe(shown), 0);
    const pid_t command = ::fork();
    if (command == 0) {
      ::dup2(shown[1], STDERR_FILENO);
      ::close(shown[0]);
      ::close(shown[1]);
      if (::chdir(directory_.c_str()) != 0) ::_exit(99);
      {
        auto link = daemonise(options);
        if (!link) {
          std::fprintf(stderr, "%s\n", link.error().message.c_str());
          ::_exit(98);
        }
        as_daemon(*link);
      }
      ::_exit(0);
    }
    ::close(shown[1]);
    outcome out;
    int status = 0;
    EXPECT_EQ(::waitpid(command, &status, 0), command);
    out.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    char buffer[256];
    for (ssize_t got = 0; (got = ::read(shown[0], buffer, sizeof buffer)) > 0;) {
      out.shown.append(buffer, static_cast<std::size_t>(got));
    }
    ::close(shown[0]);
    return out;
  }

  [[nodiscard]] std::string content(const char* name) const {
    std::string text;
    std::getline(std::ifstream{directory_ / name}, text);
    return text;
  }

  void write(const char* name, const std::string& text) const { std::ofstream{directory_ / name} << text; }

  std::filesystem::path directory_;
};

TEST_F(daemon_start, ends_the_command_with_success_once_the_daemon_is_ready) {
  const outcome end = run({}, [](daemon_link& link) { link.ready(); });
  EXPECT_EQ(end.status, 0);
  EXPECT_EQ(end.shown, "");
}

TEST_F(daemon_start, leaves_session_and_directory_and_names_itself_in_the_pid_file) {
  int done[2];
  ASSERT_EQ(::pipe(done), 0);
  // --noclose keeps the pipe, on whose end the test waits for the daemon's end.
  const outcome end =
      run({.pid_file = "x.pid", .keeps_descriptors = true, .keeps_directory = false}, [&](daemon_link& link) {
        write("pid_in_file", content("x.pid"));
        write("pid", std::to_string(::getpid()));
        write("directory", std::filesystem::current_path().string());
        write("session", ::getsid(0) == ::getpid() ? "leader" : "member");
        link.ready();
      });
  ::close(done[1]);
  char nothing = 0;
  EXPECT_EQ(::read(done[0], &nothing, 1), 0);
  ::close(done[0]);
  EXPECT_EQ(end.status, 0);
  EXPECT_NE(content("pid"), "");
  EXPECT_EQ(content("pid_in_file"), content("pid"));
  EXPECT_EQ(content("directory"), "/");
  EXPECT_EQ(content("session"), "member");
  EXPECT_FALSE(std::filesystem::exists(directory_ / "x.pid")) << "a daemon that has ended leaves no pid file";
}

TEST_F(daemon_start, stays_in_its_directory_when_asked_to) {
  const outcome end = run({.pid_file = {}, .keeps_descriptors = true, .keeps_directory = true}, [&](daemon_link& link) {
    std::fprintf(stderr, "%s", std::filesystem::current_path().c_str());
    link.ready();
  });
  EXPECT_EQ(end.status, 0);
  EXPECT_EQ(end.shown, directory_.string());
}

TEST_F(daemon_start, shows_what_the_daemon_says_until_it_is_ready_and_nothing_later) {
  const outcome end = run({}, [&](daemon_link& link) {
    std::fprintf(stderr, "before");
    link.ready();
    std::fprintf(stderr, "after");
    std::fflush(stderr);
  });
  EXPECT_EQ(end.status, 0);
  EXPECT_EQ(end.shown, "before");
}

TEST_F(daemon_start, ends_the_command_with_failure_when_the_daemon_ends_before_it_is_ready) {
  const outcome end = run({}, [](daemon_link&) { std::fprintf(stderr, "no disk\n"); });
  EXPECT_EQ(end.status, 1);
  EXPECT_THAT(end.shown, HasSubstr("no disk\n"));
  EXPECT_THAT(end.shown, HasSubstr("muster: error: the daemon ended before it was ready"));
}

TEST_F(daemon_start, adds_nothing_to_what_a_daemon_has_told_of_its_end) {
  const outcome end = run({}, [](daemon_link& link) {
    std::fprintf(stderr, "no disk\n");
    link.has_told();
  });
  EXPECT_EQ(end.status, 1);
  EXPECT_EQ(end.shown, "no disk\n");
}

TEST_F(daemon_start, fails_when_the_pid_file_cannot_be_written) {
  const outcome end = run({.pid_file = "nowhere/x.pid", .keeps_descriptors = false, .keeps_directory = false},
                          [](daemon_link& link) { link.ready(); });
  EXPECT_EQ(end.status, 1);
  EXPECT_THAT(end.shown, StartsWith("muster: error: --pidfile " + (directory_ / "nowhere/x.pid").string() +
                                    ": cannot be written"));
  EXPECT_EQ(end.shown.find('\n'), end.shown.size() - 1) << "one line: " << end.shown;
}

TEST_F(daemon_start, closes_descriptors_that_it_inherits) {
  const int inherited = ::open("/dev/null", O_RDONLY);
  ASSERT_GT(inherited, STDERR_FILENO);
  const outcome end = run({}, [&](daemon_link& link) {
    std::fprintf(stderr, "%s", ::fcntl(inherited, F_GETFD) < 0 ? "closed" : "open");
    link.ready();
  });
  ::close(inherited);
  EXPECT_EQ(end.shown, "closed");
}

#ifdef MUSTER_HAVE_SYSTEMD
TEST_F(daemon_start, tells_the_service_manager_what_the_replica_does) {
  const std::string path = (directory_ / "notify").string();
  const file_descriptor manager{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(path.size(), sizeof address.sun_path);
  std::memcpy(address.sun_path, path.c_str(), path.size());
  ASSERT_EQ(::bind(manager.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
  const auto received = [&] {
    char buffer[256];
    const ssize_t got = ::recv(manager.get(), buffer, sizeof buffer, 0);
    return std::string(buffer, got > 0 ? static_cast<std::size_t>(got) : 0);
  };
  notify_ready("master of\nIceGrid");
  EXPECT_EQ(received(), "READY=1\nSTATUS=master of IceGrid");
  notify_status("slave without a master");
  EXPECT_EQ(received(), "STATUS=slave without a master");
  notify_stopping();
  EXPECT_EQ(received(), "STOPPING=1");
  ::unsetenv("NOTIFY_SOCKET");
}
#endif

}  // namespace
}  // namespace muster::os
