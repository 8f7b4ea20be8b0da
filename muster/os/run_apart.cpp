#include "muster/os/run_apart.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

#include "muster/base/codec.hpp"
#include "muster/os/file.hpp"

namespace muster::os {
namespace {

bytes encode(const result<void>& outcome) {
  byte_writer out;
  out.u8(outcome ? 1 : 0);
  if (!outcome) {
    out.u8(static_cast<std::uint8_t>(outcome.error().code));
    out.string(outcome.error().message);
  }
  return std::move(out).take();
}

result<void> decode(byte_view answer, std::string_view what) {
  byte_reader in{answer};
  const bool succeeded = in.u8() == 1;
  if (in.failed()) {
    return fail(errc::corrupt, "{} ended without a result", what);
  }
  if (succeeded) {
    return {};
  }
  const auto code = static_cast<errc>(in.u8());
  const std::string_view message = in.string();
  return in.failed() ? fail(errc::corrupt, "{} ended without a result", what) : fail(code, "{}", message);
}

bytes read_all(int fd) {
  bytes out;
  std::array<std::uint8_t, 4096> part{};
  ssize_t got = 0;
  while ((got = ::read(fd, part.data(), part.size())) > 0 || (got < 0 && errno == EINTR)) {
    if (got > 0) {
      out.insert(out.end(), part.begin(), part.begin() + got);
    }
  }
  return out;
}

}  // namespace

result<void> run_apart(std::string_view what, const std::function<result<void>()>& work) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fail(errc::io_error, "cannot make a pipe: {}", system_message(errno));
  }
  const file_descriptor from{ends[0]};
  file_descriptor to{ends[1]};
  const pid_t copy = ::fork();
  if (copy < 0) {
    return fail(errc::io_error, "cannot make a process: {}", system_message(errno));
  }
  if (copy == 0) {
    const bytes answer = encode(work());
    const bool told = ::write(to.get(), answer.data(), answer.size()) == static_cast<ssize_t>(answer.size());
    ::_exit(told ? 0 : 1);
  }
  to = file_descriptor{};
  const bytes answer = read_all(from.get());
  int ended = 0;
  while (::waitpid(copy, &ended, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(ended)) {
    return fail(errc::corrupt, "{} ended by signal {} ({})", what, WTERMSIG(ended), ::strsignal(WTERMSIG(ended)));
  }
  return decode(answer, what);
}

}  // namespace muster::os
