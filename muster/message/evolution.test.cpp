// Nodes of two builds talk to each other: members are added at the end of an aggregate.

#include <gtest/gtest.h>

#include "muster/message/test_content.hpp"

namespace muster::message::testing {
namespace {

namespace before {

struct item {
  std::string name;
};
struct order {
  static constexpr std::string_view message_name = "test.order";
  std::string customer;
  std::vector<item> items;
  std::int32_t after_items{0};
};
struct empty {
  static constexpr std::string_view message_name = "test.grows";
};

}  // namespace before

namespace after {

struct item {
  std::string name;
  std::int32_t count{1};
  std::optional<std::string> note;
};
struct order {
  static constexpr std::string_view message_name = "test.order";
  std::string customer;
  std::vector<item> items;
  std::int32_t after_items{0};
  std::string currency{"EUR"};
  std::map<std::string, std::string> labels;
};
struct grown {
  static constexpr std::string_view message_name = "test.grows";
  std::string what{"nothing"};
};

}  // namespace after

TEST(message_of_a_later_build, is_read_without_the_members_that_were_added) {
  const after::order sent{"ann", {{"tea", 2, "hot"}, {"cake", 1, {}}}, 7, "USD", {{"a", "b"}}};
  const auto read = message_of<before::order>(content_of(sent));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->customer, "ann");
  ASSERT_EQ(read->items.size(), 2U);
  EXPECT_EQ(read->items[1].name, "cake") << "each aggregate is passed over by itself";
  EXPECT_EQ(read->after_items, 7);
}

TEST(message_of_an_earlier_build, leaves_added_members_as_a_new_value_has_them) {
  const before::order sent{"ann", {{"tea"}, {"cake"}}, 7};
  const auto read = message_of<after::order>(content_of(sent));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->customer, "ann");
  ASSERT_EQ(read->items.size(), 2U);
  EXPECT_EQ(read->items[0].name, "tea");
  EXPECT_EQ(read->items[0].count, 1);
  EXPECT_EQ(read->items[1].name, "cake");
  EXPECT_FALSE(read->items[1].note);
  EXPECT_EQ(read->after_items, 7);
  EXPECT_EQ(read->currency, "EUR");
  EXPECT_TRUE(read->labels.empty());
}

TEST(message_of_an_earlier_build, may_have_had_no_members_at_all) {
  const auto read = message_of<after::grown>(content_of(before::empty{}));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->what, "nothing");
  EXPECT_TRUE(message_of<before::empty>(content_of(after::grown{"more"})));
}

TEST(message_of_a_later_build, with_a_version_of_content_that_is_unknown_is_not_taken) {
  bytes content = content_of(before::order{"ann", {}, 7});
  content[0] = content_version + 1;
  EXPECT_FALSE(message_of<before::order>(content));
}

TEST(message_of_an_earlier_build, is_not_taken_when_it_ends_within_a_member) {
  bytes content = content_of(before::order{"ann", {}, 7});
  content.pop_back();
  --content[1];  // the block is as long as what is there
  EXPECT_FALSE(message_of<after::order>(content));
}

}  // namespace
}  // namespace muster::message::testing
