#include "muster/base/uuid.hpp"

#include <set>

#include <gtest/gtest.h>

namespace {

using muster::errc;
using muster::prng;
using muster::uuid;

TEST(uuid, random_ones_are_version_4_and_read_back_from_their_text) {
  prng source{42};
  std::set<uuid> seen;
  for (int i = 0; i < 1000; ++i) {
    const auto id = uuid::random(source);
    const auto text = id.str();
    EXPECT_EQ(text[14], '4') << text;
    EXPECT_NE(std::string_view{"89ab"}.find(text[19]), std::string_view::npos) << text;
    const auto read = uuid::parse(text);
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(*read, id);
    seen.insert(id);
  }
  EXPECT_EQ(seen.size(), 1000U);
}

TEST(uuid, other_texts_are_refused_by_name) {
  for (const auto* text :
       {"", "0123", "01234567-89ab-4cde-8f01-23456789abcg", "0123456789ab-4cde-8f01-23456789abcd0-"}) {
    const auto read = uuid::parse(text);
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_EQ(read.error().code, errc::invalid_argument);
    EXPECT_NE(read.error().message.find(text), std::string::npos);
  }
}

TEST(uuid, the_default_one_is_none) {
  EXPECT_TRUE(uuid{}.is_none());
  EXPECT_EQ(uuid{}.str(), "00000000-0000-0000-0000-000000000000");
}

}  // namespace
