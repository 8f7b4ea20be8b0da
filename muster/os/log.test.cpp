#include "muster/os/log.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "muster/os/log_line.hpp"

namespace muster::os {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

TEST(log_line, is_one_line_of_names_and_values) {
  EXPECT_EQ(to_log_line(event{severity::info, "slave_active"}.with("slave", "Replica1").with("serial", 17)),
            "event=slave_active slave=Replica1 serial=17");
}

TEST(log_line, quotes_values_that_would_read_as_something_else) {
  EXPECT_EQ(to_log_line(event{severity::info, "e"}.with("a", "").with("b", "x y").with("c", "p=q").with("d", "\"\\")),
            R"(event=e a="" b="x y" c="p=q" d="\"\\")");
  EXPECT_EQ(to_log_line(event{severity::info, "e"}.with("a", "1\n2\t\x1b[31m")), R"(event=e a="1\n2\t\x1b[31m")");
  EXPECT_EQ(to_log_line(event{severity::info, "e"}.with("a", "Größe")), "event=e a=Größe");
}

TEST(log_line, cuts_long_values_and_says_so) {
  const std::string line = to_log_line(event{severity::info, "e"}.with("a", std::string(100'000, 'x')));
  EXPECT_LT(line.size(), 5000U);
  EXPECT_THAT(line, HasSubstr("… (100000 bytes)\""));
}

RC_GTEST_PROP(log_line, never_holds_a_control_character, (const std::string& value)) {
  const std::string line = to_log_line(event{severity::info, "e"}.with("a", value));
  RC_ASSERT(std::none_of(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }));
}

class log_file : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "muster-log-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  [[nodiscard]] config::log_settings settings(severity level) const {
    return {level, config::log_target::file, (directory_ / "x.log").string(), "muster"};
  }

  [[nodiscard]] std::string content() const {
    std::stringstream text;
    text << std::ifstream{directory_ / "x.log"}.rdbuf();
    return text.str();
  }

  std::filesystem::path directory_;
};

TEST_F(log_file, has_time_and_level_and_no_colours) {
  {
    auto log = log::open(settings(severity::info));
    ASSERT_TRUE(log) << log.error().message;
    (*log)->write(event{severity::warning, "map_nearly_full"}.with("percent", 81));
  }
  EXPECT_THAT(content(), MatchesRegex("time=[0-9]+-[0-9]+-[0-9]+T[0-9]+:[0-9]+:[0-9]+\\.[0-9]+Z level=warning "
                                      "event=map_nearly_full percent=81\n"));
}

TEST_F(log_file, leaves_out_what_is_below_its_level) {
  auto log = log::open(settings(severity::warning));
  ASSERT_TRUE(log);
  EXPECT_FALSE((*log)->wants(severity::info));
  EXPECT_TRUE((*log)->wants(severity::error));
  (*log)->write(event{severity::info, "nobody_cares"});
  (*log)->write(event{severity::error, "somebody_does"});
  EXPECT_THAT(content(), Not(HasSubstr("nobody_cares")));
  EXPECT_THAT(content(), HasSubstr("level=error event=somebody_does\n"));
}

TEST_F(log_file, keeps_lines_of_several_threads_whole) {
  auto log = log::open(settings(severity::info));
  ASSERT_TRUE(log);
  std::vector<std::thread> writers;
  for (int i = 0; i < 4; ++i) {
    writers.emplace_back([&] {
      for (int n = 0; n < 100; ++n) (*log)->write(event{severity::info, "tick"}.with("text", "a b"));
    });
  }
  for (std::thread& writer : writers) writer.join();
  std::istringstream lines{content()};
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_THAT(line, HasSubstr(" level=info event=tick text=\"a b\""));
  }
  EXPECT_EQ(count, 400);
}

TEST_F(log_file, is_refused_by_name_when_it_cannot_be_opened) {
  const auto log = log::open({severity::info, config::log_target::file, directory_.string(), "muster"});
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().code, errc::unavailable);
  EXPECT_THAT(log.error().message, HasSubstr("Ice.LogFile=" + directory_.string()));
}

TEST_F(log_file, makes_no_directory_for_itself) {
  const auto file = directory_ / "missing" / "log";
  const auto log = log::open({severity::info, config::log_target::file, file.string(), "muster"});
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().message, fmt::format("Ice.LogFile={}: the directory '{}' does not exist; allowed is a file in "
                                             "one that does",
                                             file.string(), file.parent_path().string()));
  EXPECT_FALSE(std::filesystem::exists(file.parent_path()));
}

}  // namespace
}  // namespace muster::os
