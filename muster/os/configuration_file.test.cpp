#include "muster/os/configuration_file.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "muster/os/entropy.hpp"

namespace muster::os {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class configuration_file : public ::testing::Test {
 protected:
  configuration_file()
      : path_{std::filesystem::temp_directory_path() / fmt::format("muster-conf-{:016x}", entropy_seed())} {}
  ~configuration_file() override { std::filesystem::remove(path_); }
  void write(const std::string& text) const { std::ofstream{path_, std::ios::binary} << text; }

  const std::filesystem::path path_;
};

TEST_F(configuration_file, gives_its_values_by_their_names) {
  write("cluster { name = shop }\n");
  const auto read = read_configuration(path_);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_THAT(*read, ElementsAre(Pair("cluster.name", "shop")));
}

TEST_F(configuration_file, is_named_where_it_is_wrong_or_not_there) {
  write("cluster {\n  name = ${x}\n}\n");
  const auto wrong = read_configuration(path_);
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr(path_.string() + ", line 2, column 10: substitutions"));
  const auto missing = read_configuration(path_ / "none");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr(path_.string() + "/none"));
}

TEST_F(configuration_file, may_not_be_larger_than_a_configuration_is) {
  write(std::string(2'000'000, ' '));
  const auto read = read_configuration(path_);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, errc::limit_exceeded);
}

}  // namespace
}  // namespace muster::os
