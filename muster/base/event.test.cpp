#include "muster/base/event.hpp"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(event, keeps_its_values_when_more_are_added_under_a_condition) {
  auto what = event{severity::info, "slave_active"}.with("slave", "S1");
  what.with("serial", 7);
  ASSERT_EQ(what.fields.size(), 2U);
  EXPECT_EQ(what.fields[0].value, "S1");
  EXPECT_EQ(what.fields[1].value, "7");
}

}  // namespace
}  // namespace muster
