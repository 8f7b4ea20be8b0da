#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "muster/os/line_reader.hpp"
#include "muster/os/line_writer.hpp"
#include "muster/os/signals.hpp"

namespace muster::os {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

constexpr auto patience = 30s;

struct pipe_ends {
  pipe_ends() {
    std::array<int, 2> fds{};
    if (::pipe2(fds.data(), O_CLOEXEC) != 0) ADD_FAILURE() << "no pipe";
    read = file_descriptor{fds[0]};
    write = file_descriptor{fds[1]};
  }
  file_descriptor read;
  file_descriptor write;

  void put(std::string_view text) const {
    ASSERT_EQ(::write(write.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  [[nodiscard]] std::string get(std::size_t count) const {
    std::string out(count, '\0');
    std::size_t at = 0;
    while (at < count) {
      const ssize_t got = ::read(read.get(), out.data() + at, count - at);
      if (got <= 0) break;
      at += static_cast<std::size_t>(got);
    }
    out.resize(at);
    return out;
  }
};

/// What other threads tell, to be waited for.
class heard {
 public:
  void tell(std::string what) {
    const std::lock_guard lock{mutex_};
    all_.push_back(std::move(what));
    changed_.notify_all();
  }
  std::vector<std::string> wait_for(std::size_t count) {
    std::unique_lock lock{mutex_};
    EXPECT_TRUE(changed_.wait_for(lock, patience, [&] { return all_.size() >= count; }));
    return all_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> all_;
};

TEST(line_writer, writes_each_line_at_once) {
  const pipe_ends ends;
  const auto out = line_writer::start({.fd = ends.write.get()}).value();
  ASSERT_TRUE(out->write("one"));
  EXPECT_EQ(ends.get(4), "one\n");
  ASSERT_TRUE(out->write("two"));
  EXPECT_EQ(ends.get(4), "two\n");
  EXPECT_TRUE(out->drain(patience));
  EXPECT_TRUE(out->is_empty());
}

TEST(line_writer, refuses_whole_lines_when_nobody_reads_and_goes_on_when_somebody_does) {
  const pipe_ends ends;
  constexpr std::size_t room = 1'000'000;
  const auto out = line_writer::start({.fd = ends.write.get(), .bytes_max = room}).value();
  const std::string line(999, 'x');
  std::size_t written = 0;
  while (out->write(line)) ++written;
  EXPECT_GE(written, room / 1000);
  const std::string all = ends.get(written * 1000);
  ASSERT_EQ(all.size(), written * 1000);
  EXPECT_TRUE(all.ends_with("xx\n"));
  EXPECT_TRUE(out->drain(patience));
  EXPECT_TRUE(out->write(line));
  EXPECT_EQ(ends.get(1000).size(), 1000U);
}

TEST(line_writer, ends_though_nobody_reads) {
  const pipe_ends ends;
  const auto out = line_writer::start({.fd = ends.write.get()}).value();
  ASSERT_TRUE(out->write(std::string(1'000'000, 'x')));
  EXPECT_FALSE(out->drain(10ms)) << "a pipe holds less";
}

TEST(line_writer, says_once_that_the_reader_is_gone) {
  let_writes_fail();
  pipe_ends ends;
  heard broken;
  const auto out =
      line_writer::start({.fd = ends.write.get(), .on_broken = [&](int cause) { broken.tell(system_message(cause)); }})
          .value();
  ends.read = {};
  (void)out->write("one");
  EXPECT_THAT(broken.wait_for(1), ElementsAre(system_message(EPIPE)));
  EXPECT_FALSE(out->write("two"));
  EXPECT_FALSE(out->drain(patience));
}

TEST(line_reader, hands_over_lines_and_the_end) {
  pipe_ends ends;
  heard lines;
  const auto in =
      line_reader::start({.fd = ends.read.get(),
                          .on_line = [&](const auto& one) { lines.tell(fmt::format("{} {}", one.number, one.text)); },
                          .on_end = [&] { lines.tell("end"); }})
          .value();
  ends.put("one\ntw");
  (void)lines.wait_for(1);
  ends.put("o\n\nrest");
  ends.write = {};
  EXPECT_THAT(lines.wait_for(5), ElementsAre("1 one", "2 two", "3 ", "4 rest", "end"));
}

TEST(line_reader, passes_over_what_is_too_long_and_says_so) {
  pipe_ends ends;
  heard lines;
  const auto in =
      line_reader::start({.fd = ends.read.get(),
                          .line_bytes_max = 4,
                          .on_line = [&](const auto& one) { lines.tell(one.is_too_long ? "too long" : one.text); },
                          .on_end = [&] { lines.tell("end"); }})
          .value();
  ends.put("1234\n12345\n" + std::string(50'000, 'x') + "\nab\n");
  ends.write = {};
  EXPECT_THAT(lines.wait_for(5), ElementsAre("1234", "too long", "too long", "ab", "end"));
}

TEST(line_reader, reads_no_faster_than_lines_are_used) {
  pipe_ends ends;
  heard lines;
  std::mutex mutex;
  std::vector<line_reader::line> kept;
  const auto in = line_reader::start({.fd = ends.read.get(),
                                      .lines_max = 2,
                                      .on_line =
                                          [&](line_reader::line one) {
                                            lines.tell(one.text);
                                            const std::lock_guard lock{mutex};
                                            kept.push_back(std::move(one));
                                          },
                                      .on_end = [&] { lines.tell("end"); }})
                      .value();
  ends.put("a\nb\nc\n");
  ends.write = {};
  EXPECT_THAT(lines.wait_for(2), ElementsAre("a", "b"));
  {
    const std::lock_guard lock{mutex};
    kept.erase(kept.begin());
  }
  EXPECT_THAT(lines.wait_for(4), ElementsAre("a", "b", "c", "end"));
}

TEST(line_reader, ends_though_nobody_writes_or_uses_a_line) {
  const pipe_ends ends;
  heard lines;
  std::shared_ptr<const void> held;
  const auto in = line_reader::start({.fd = ends.read.get(),
                                      .lines_max = 1,
                                      .on_line =
                                          [&](const auto& one) {
                                            held = one.held;
                                            lines.tell(one.text);
                                          },
                                      .on_end = [] {}})
                      .value();
  ends.put("a\nb\n");
  EXPECT_THAT(lines.wait_for(1), ElementsAre("a"));
}

}  // namespace
}  // namespace muster::os
