#include "muster/locator/pattern.hpp"

#include <gtest/gtest.h>

namespace muster::locator {
namespace {

TEST(pattern, that_is_empty_matches_everything) {
  EXPECT_TRUE(pattern{""}.matches(""));
  EXPECT_TRUE(pattern{""}.matches("Demo/hello"));
}

TEST(pattern, without_a_star_is_the_text_itself) {
  EXPECT_TRUE(pattern{"Demo/hello"}.matches("Demo/hello"));
  EXPECT_FALSE(pattern{"Demo/hello"}.matches("Demo/hello2"));
  EXPECT_FALSE(pattern{"Demo/hello"}.matches("Demo/hell"));
  EXPECT_FALSE(pattern{"x"}.matches(""));
}

TEST(pattern, star_stands_for_any_run_of_characters_wherever_it_is) {
  EXPECT_TRUE(pattern{"*"}.matches("anything"));
  EXPECT_TRUE(pattern{"Demo*"}.matches("Demo/hello"));
  EXPECT_TRUE(pattern{"*hello"}.matches("Demo/hello"));
  EXPECT_TRUE(pattern{"De*lo"}.matches("Demo/hello"));
  EXPECT_FALSE(pattern{"De*la"}.matches("Demo/hello"));
  EXPECT_TRUE(pattern{"Demo/hello*"}.matches("Demo/hello")) << "also for none";
}

TEST(pattern, star_does_not_let_the_two_ends_overlap) {
  EXPECT_FALSE(pattern{"abc*bcd"}.matches("abcd"));
  EXPECT_TRUE(pattern{"abc*bcd"}.matches("abcbcd"));
}

TEST(pattern, second_star_stands_for_itself) {
  EXPECT_TRUE(pattern{"a*b*"}.matches("a-b*"));
  EXPECT_FALSE(pattern{"a*b*"}.matches("a-b-c"));
}

}  // namespace
}  // namespace muster::locator
