#include "muster/os/user_account_file.hpp"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace muster::os {
namespace {

using ::testing::HasSubstr;

TEST(user_account_file, has_an_account_and_the_user_of_it_in_each_line) {
  const auto read = parse_user_accounts(
      "# who runs what\n"
      "web alice\n"
      "\n"
      "  jobs \t bob  \r\n"
      "web CN=Carol Doe, O=Shop   # of the certificate\n"
      "jobs \"quoted user\"\n"
      "old dave\n"
      "new dave",
      "accounts");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, (user_accounts{{"alice", "web"},
                                  {"bob", "jobs"},
                                  {"CN=Carol Doe, O=Shop", "web"},
                                  {"\"quoted user\"", "jobs"},
                                  {"dave", "new"}}));
}

TEST(user_account_file, names_the_line_that_is_wrong) {
  const auto read = parse_user_accounts("web alice\n\njobs # bob\n", "/etc/accounts");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, errc::invalid_argument);
  EXPECT_EQ(read.error().message,
            "/etc/accounts line 3: 'jobs' stands alone; allowed is an account, a blank and a user");
}

TEST(user_account_file, is_refused_by_name_when_it_is_not_there) {
  const auto read = load_user_accounts("/nowhere/accounts");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("/nowhere/accounts"));
}

RC_GTEST_PROP(user_account_file, is_read_or_refused_whatever_it_holds, (const std::string& text)) {
  const auto read = parse_user_accounts(text, "accounts");
  RC_ASSERT((!read || std::ranges::none_of(*read, [](const auto& one) { return one.second.empty(); })));
}

}  // namespace
}  // namespace muster::os
