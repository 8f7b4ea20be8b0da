#include "muster/catalog/apply.hpp"

#include <string>

#include <gtest/gtest.h>

#include "muster/catalog/any_change.test.hpp"

namespace muster::catalog {
namespace {

using sample::direct;

/// A state, the rows of its changes, and the number of the next one.
class applying : public testing::Test {
 protected:
  [[nodiscard]] result<void> apply(const change& one) {
    rows_.clear();
    return catalog::apply(state_, one, ++serial_, rows_);
  }

  /// Refused with this code, and with nothing changed.
  void expect_refused(const change& one, errc code) {
    const state before = state_;
    const auto refused = apply(one);
    ASSERT_FALSE(refused) << describe(one);
    EXPECT_EQ(refused.error().code, code) << refused.error().message;
    EXPECT_TRUE(rows_.empty());
    EXPECT_TRUE(state_ == before);
  }

  state state_;
  std::vector<row> rows_;
  std::uint64_t serial_{100};
};

using objects = applying;

TEST_F(objects, are_found_by_identity_and_by_type) {
  const auto proxy = direct({"o", "c"}, 1);
  ASSERT_TRUE(apply(add_object{"::T", proxy}));
  const auto* found = state_.find_object({"o", "c"});
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->type(), "::T");
  EXPECT_TRUE(std::ranges::equal(found->proxy(), proxy.content()));
  EXPECT_FALSE(found->is_deployed());
  EXPECT_EQ(found->row_key(), 101U);
  ASSERT_NE(state_.find_objects_of_type("::T"), nullptr);
  EXPECT_EQ(&state_.find_objects_of_type("::T")->nth(0), found);
  EXPECT_EQ(state_.find_object({"c", "o"}), nullptr);
  ASSERT_EQ(rows_.size(), 1U);
  EXPECT_EQ(rows_[0].table, static_cast<std::uint8_t>(table::objects));
  EXPECT_EQ(rows_[0].key, 101U);
  EXPECT_TRUE(rows_[0].value);
}

TEST_F(objects, may_have_no_type) {
  ASSERT_TRUE(apply(add_object{"", direct({"o", ""}, 1)}));
  ASSERT_NE(state_.find_objects_of_type(""), nullptr);
  EXPECT_EQ(state_.find_objects_of_type("")->size(), 1U);
}

TEST_F(objects, are_registered_once) {
  ASSERT_TRUE(apply(add_object{"::T", direct({"o", ""}, 1)}));
  expect_refused(add_object{"::U", direct({"o", ""}, 2)}, errc::already_exists);
}

TEST_F(objects, need_a_proxy_with_a_name) {
  expect_refused(add_object{"::T", {}}, errc::invalid_argument);
  expect_refused(add_object{"::T", direct({"", "category"}, 1)}, errc::invalid_argument);
  expect_refused(update_object{}, errc::invalid_argument);
}

TEST_F(objects, get_another_proxy_and_keep_their_type_and_row) {
  ASSERT_TRUE(apply(add_object{"::T", direct({"o", ""}, 1)}));
  const auto proxy = direct({"o", ""}, 2);
  ASSERT_TRUE(apply(update_object{proxy}));
  EXPECT_TRUE(std::ranges::equal(state_.find_object({"o", ""})->proxy(), proxy.content()));
  EXPECT_EQ(state_.find_object({"o", ""})->type(), "::T");
  ASSERT_EQ(rows_.size(), 1U);
  EXPECT_EQ(rows_[0].key, 101U) << "the row is rewritten in its place";
  expect_refused(update_object{direct({"other", ""}, 2)}, errc::not_found);
}

TEST_F(objects, go_with_their_row_and_their_type) {
  ASSERT_TRUE(apply(add_object{"::T", direct({"o", ""}, 1)}));
  ASSERT_TRUE(apply(remove_object{{"o", ""}}));
  EXPECT_EQ(state_.find_object({"o", ""}), nullptr);
  EXPECT_EQ(state_.find_objects_of_type("::T"), nullptr);
  EXPECT_EQ(rows_, (std::vector<row>{{1, 101, std::nullopt}}));
  expect_refused(remove_object{{"o", ""}}, errc::not_found);
}

using adapters = applying;

TEST_F(adapters, are_registered_and_registered_again_in_the_same_row) {
  ASSERT_TRUE(apply(set_adapter{"A", "", direct({"dummy", ""}, 1)}));
  ASSERT_TRUE(apply(set_adapter{"A", "", direct({"dummy", ""}, 2)}));
  const auto* found = state_.find_adapter("A");
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(std::ranges::equal(found->proxy(), direct({"dummy", ""}, 2).content()));
  ASSERT_EQ(rows_.size(), 1U);
  EXPECT_EQ(rows_[0].key, 101U);
  expect_refused(set_adapter{"", "", direct({"dummy", ""}, 1)}, errc::invalid_argument);
}

TEST_F(adapters, may_come_without_endpoints) {
  ASSERT_TRUE(apply(set_adapter{"null", "", {}}));
  ASSERT_TRUE(apply(set_adapter{"indirect", "", encoded_proxy::indirect({"x", ""}, "Other")}));
  EXPECT_TRUE(trusted_view(state_.find_adapter("null")->proxy()).is_null());
}

TEST_F(adapters, form_a_group_that_goes_with_its_last_member) {
  ASSERT_TRUE(apply(set_adapter{"A", "G", direct({"dummy", ""}, 1)}));
  ASSERT_TRUE(apply(set_adapter{"B", "G", direct({"dummy", ""}, 2)}));
  ASSERT_NE(state_.find_replica_group("G"), nullptr);
  EXPECT_EQ(state_.find_replica_group("G")->members.size(), 2U);
  ASSERT_TRUE(apply(set_adapter{"A", "H", direct({"dummy", ""}, 1)}));
  EXPECT_EQ(state_.find_replica_group("G")->members.size(), 1U) << "it moved";
  EXPECT_EQ(state_.find_replica_group("H")->members.size(), 1U);
  ASSERT_TRUE(apply(unset_adapter{"B"}));
  EXPECT_EQ(state_.find_replica_group("G"), nullptr);
  ASSERT_TRUE(apply(set_adapter{"A", "", direct({"dummy", ""}, 1)}));
  EXPECT_EQ(state_.find_replica_group("H"), nullptr);
}

TEST_F(adapters, may_share_an_id_with_a_dynamic_group) {
  ASSERT_TRUE(apply(set_adapter{"A", "A", direct({"dummy", ""}, 1)}));
  ASSERT_TRUE(apply(set_adapter{"B", "A", direct({"dummy", ""}, 2)}));
  EXPECT_NE(state_.find_adapter("A"), nullptr);
  EXPECT_EQ(state_.find_replica_group("A")->members.size(), 2U);
}

TEST_F(adapters, take_themselves_back_also_when_they_are_not_there) {
  ASSERT_TRUE(apply(set_adapter{"A", "", direct({"dummy", ""}, 1)}));
  ASSERT_TRUE(apply(unset_adapter{"A"}));
  EXPECT_EQ(state_.find_adapter("A"), nullptr);
  EXPECT_EQ(rows_, (std::vector<row>{{2, 101, std::nullopt}}));
  ASSERT_TRUE(apply(unset_adapter{"A"}));
  EXPECT_TRUE(rows_.empty());
}

TEST_F(adapters, are_removed_by_the_administrator) {
  ASSERT_TRUE(apply(set_adapter{"A", "", direct({"dummy", ""}, 1)}));
  ASSERT_TRUE(apply(remove_adapter{"A"}));
  EXPECT_EQ(state_.find_adapter("A"), nullptr);
  expect_refused(remove_adapter{"A"}, errc::not_found);
  expect_refused(remove_adapter{""}, errc::not_found);
}

TEST_F(adapters, stay_when_the_administrator_dissolves_their_group) {
  ASSERT_TRUE(apply(set_adapter{"A", "G", direct({"dummy", ""}, 1)}));
  ASSERT_TRUE(apply(set_adapter{"B", "G", direct({"dummy", ""}, 2)}));
  ASSERT_TRUE(apply(remove_adapter{"G"}));
  EXPECT_EQ(state_.find_replica_group("G"), nullptr);
  ASSERT_NE(state_.find_adapter("A"), nullptr);
  EXPECT_EQ(state_.find_adapter("A")->replica_group(), "");
  EXPECT_EQ(state_.find_adapter("B")->row_key(), 102U);
  EXPECT_EQ(rows_.size(), 2U);
}

TEST(changes_nothing, is_true_of_what_is_there_already) {
  state current;
  std::vector<row> rows;
  const auto proxy = direct({"o", ""}, 1);
  const auto other = direct({"o", ""}, 2);
  EXPECT_FALSE(changes_nothing(current, set_adapter{"A", "G", proxy}));
  EXPECT_TRUE(changes_nothing(current, unset_adapter{"A"}));
  ASSERT_TRUE(apply(current, set_adapter{"A", "G", proxy}, 1, rows));
  ASSERT_TRUE(apply(current, add_object{"::T", proxy}, 2, rows));
  EXPECT_TRUE(changes_nothing(current, set_adapter{"A", "G", proxy}));
  EXPECT_FALSE(changes_nothing(current, set_adapter{"A", "", proxy}));
  EXPECT_FALSE(changes_nothing(current, set_adapter{"A", "G", other}));
  EXPECT_FALSE(changes_nothing(current, unset_adapter{"A"}));
  EXPECT_TRUE(changes_nothing(current, update_object{proxy}));
  EXPECT_FALSE(changes_nothing(current, update_object{other}));
  EXPECT_FALSE(changes_nothing(current, add_object{"::T", proxy})) << "it is to be refused";
}

TEST(apply, shares_what_it_does_not_change) {
  state current;
  std::vector<row> rows;
  for (std::uint64_t i = 1; i != 2'000; ++i) {
    ASSERT_TRUE(apply(current, add_object{"::T", direct({std::to_string(i), ""}, 1)}, i, rows));
  }
  const state before = current;
  ASSERT_TRUE(apply(current, remove_object{{"7", ""}}, 2'000, rows));
  EXPECT_NE(before.find_object({"7", ""}), nullptr);
  EXPECT_EQ(before.find_objects_of_type("::T")->size(), 1'999U);
  EXPECT_EQ(current.find_objects_of_type("::T")->size(), 1'998U);
  EXPECT_EQ(before.find_object({"8", ""}), current.find_object({"8", ""}));
}

}  // namespace
}  // namespace muster::catalog
