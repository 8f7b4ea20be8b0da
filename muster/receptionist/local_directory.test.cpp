#include "muster/receptionist/local_directory.hpp"

#include <gtest/gtest.h>

#include <string>

namespace muster::receptionist {
namespace {

gossip::entry entry_of_actor(std::string_view path) {
  return {gossip::shared_text{path}, 1, gossip::shared_text{"test.api"}};
}
gossip::shared_text text_of(std::string_view text) { return gossip::shared_text{text}; }

TEST(local_directory, holds_the_bounds_that_a_node_has_in_a_cluster) {
  const auto alone = local_directory::make({.registrations_per_origin_max = 2, .key_bytes_max = 10}, "alone").value();
  EXPECT_EQ(alone->add(text_of(""), entry_of_actor("/user/a")).error().code, errc::invalid_argument);
  EXPECT_EQ(alone->add(text_of("a key too long"), entry_of_actor("/user/a")).error().message,
            "the key of a registration has 14 bytes; at most 10 are taken");
  EXPECT_TRUE(alone->add(text_of("one"), entry_of_actor("/user/a")));
  EXPECT_TRUE(alone->add(text_of("two"), entry_of_actor("/user/a")));
  EXPECT_EQ(alone->add(text_of("three"), entry_of_actor("/user/a")).error().message,
            "this node has 2 registrations, as many as may be (registrations_per_origin_max)");
  alone->remove(text_of("one"), entry_of_actor("/user/a"));
  EXPECT_TRUE(alone->add(text_of("three"), entry_of_actor("/user/a"))) << "there is room again";
}

TEST(local_directory, refuses_a_name_that_no_node_may_have) {
  EXPECT_EQ(local_directory::make({}, std::string(300, 'n')).error().message,
            "the node's name has 300 bytes; allowed are 1 to 255");
}

}  // namespace
}  // namespace muster::receptionist
