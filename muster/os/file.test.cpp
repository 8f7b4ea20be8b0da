#include "muster/os/file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/scratch_directory.hpp"

namespace muster::os {
namespace {

bytes of(std::string_view text) { return {text.begin(), text.end()}; }

TEST(save_file, replaces_the_content_and_leaves_nothing_beside_it) {
  const tests::scratch_directory scratch;
  const auto file = scratch.path() / "tail";
  ASSERT_TRUE(save_file(file, of("first")));
  ASSERT_TRUE(save_file(file, of("second")));
  EXPECT_EQ(read_file(file, 100).value(), of("second"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator{scratch.path()}, {}), 1);
}

TEST(save_file, says_what_it_could_not_write) {
  const tests::scratch_directory scratch;
  const auto saved = save_file(scratch.path() / "missing" / "tail", of("x"));
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code, errc::io_error);
  EXPECT_NE(saved.error().message.find("missing/tail.new"), std::string::npos) << saved.error().message;
}

TEST(save_file, keeps_what_was_there_when_the_disk_is_full) {
  // /dev/full takes no byte: a name in it cannot be made, a write to it fails as on a full disk.
  const tests::scratch_directory scratch;
  const auto file = scratch.path() / "tail";
  ASSERT_TRUE(save_file(file, of("good")));
  std::filesystem::create_symlink("/dev/full", scratch.path() / "tail.new");
  const auto saved = save_file(file, of("better"));
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code, errc::storage_full);
  EXPECT_EQ(read_file(file, 100).value(), of("good"));
}

TEST(read_file, stops_at_its_bound) {
  const tests::scratch_directory scratch;
  const auto file = scratch.path() / "large";
  ASSERT_TRUE(save_file(file, bytes(1000)));
  EXPECT_EQ(read_file(file, 1000).value().size(), 1000U);
  EXPECT_EQ(read_file(file, 999).error().code, errc::limit_exceeded);
  EXPECT_EQ(read_file(scratch.path() / "none", 1).error().code, errc::not_found);
}

}  // namespace
}  // namespace muster::os
