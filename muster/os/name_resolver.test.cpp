#include "muster/os/name_resolver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>

namespace muster::os {
namespace {

result<std::vector<std::string>> ask(name_resolver& whom, const std::string& host) {
  std::promise<result<std::vector<std::string>>> answered;
  EXPECT_TRUE(whom.look_up(host, [&](auto found) { answered.set_value(std::move(found)); }));
  return answered.get_future().get();
}

TEST(name_resolver, gives_all_addresses_of_a_host) {
  name_resolver names;
  const auto found = ask(names, "localhost");
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_TRUE(std::ranges::all_of(*found, is_numeric_host));
  EXPECT_NE(std::ranges::find(*found, "127.0.0.1"), found->end());
  EXPECT_EQ(std::ranges::count(*found, "127.0.0.1"), 1);
}

TEST(name_resolver, says_which_name_is_unknown) {
  name_resolver names;
  const auto found = ask(names, "nowhere.invalid");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, errc::not_found);
  EXPECT_NE(found.error().message.find("nowhere.invalid"), std::string::npos);
}

TEST(name_resolver, ends_while_names_wait) {
  name_resolver names;
  std::promise<void> entered;
  ASSERT_TRUE(names.look_up("localhost", [&](const auto&) { entered.set_value(); }));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(names.look_up("localhost", [](const auto&) {}));
  entered.get_future().get();
}

TEST(name_resolver, tells_numbers_from_names) {
  for (const char* number : {"127.0.0.1", "::1", "fe80::1%eth0", "2001:db8::7"}) EXPECT_TRUE(is_numeric_host(number));
  for (const char* name : {"localhost", "10.0.0", "node7.example", ""}) EXPECT_FALSE(is_numeric_host(name)) << name;
  EXPECT_FALSE(host_name().empty());
}

}  // namespace
}  // namespace muster::os
