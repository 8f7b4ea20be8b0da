#include "muster/descriptor/variables.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace muster::descriptor {
namespace {

TEST(variables, are_replaced_by_their_values) {
  variables scope;
  scope.define("server", "s1");
  scope.define("dir", "/var/${server}");
  EXPECT_EQ(scope.substitute("${server}.Hello"), "s1.Hello");
  EXPECT_EQ(scope.substitute("${dir}/db"), "/var/s1/db") << "a value may refer to others";
  EXPECT_EQ(scope.substitute("no variables, no } harm $"), "no variables, no } harm $");
  EXPECT_EQ(scope.substitute("$${server} is literal"), "${server} is literal");
}

TEST(variables, of_an_inner_scope_hide_those_of_an_outer_one) {
  variables outer;
  outer.define("a", "outer a");
  outer.define("b", "outer b");
  variables inner{outer};
  inner.define("a", "inner a");
  EXPECT_EQ(inner.substitute("${a}, ${b}"), "inner a, outer b");
  EXPECT_EQ(outer.substitute("${a}"), "outer a");
}

TEST(variables, that_are_not_defined_or_not_closed_give_nothing) {
  const variables scope;
  EXPECT_EQ(scope.substitute("${x}"), std::nullopt);
  EXPECT_EQ(scope.substitute("${x"), std::nullopt);
}

TEST(variables, that_refer_to_themselves_give_nothing) {
  variables scope;
  scope.define("a", "${b}");
  scope.define("b", "${a}");
  EXPECT_EQ(scope.substitute("${a}"), std::nullopt);
}

TEST(variables, that_grow_beyond_reason_give_nothing) {
  variables scope;
  scope.define("0", "");
  for (int i = 1; i != 31; ++i) {
    const auto below = "${" + std::to_string(i - 1) + "}";
    scope.define(std::to_string(i), below + below);
  }
  EXPECT_EQ(scope.substitute("${30}"), std::nullopt) << "a thousand million replacements, even of nothing";
}

RC_GTEST_PROP(variables, read_any_text_without_harm, (const std::string& text)) {
  variables scope;
  scope.define("a", text);
  const auto read = scope.substitute("${a}");
  if (text.find("${") == std::string::npos) RC_ASSERT(read == text);
}

}  // namespace
}  // namespace muster::descriptor
