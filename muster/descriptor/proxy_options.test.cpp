#include "muster/descriptor/proxy_options.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace muster::descriptor {
namespace {

TEST(proxy_options, are_those_of_a_plain_proxy_when_empty) {
  EXPECT_EQ(parse_proxy_options("").value(), proxy_options{});
  EXPECT_EQ(parse_proxy_options("  \t").value(), proxy_options{});
}

TEST(proxy_options, are_read_in_any_order) {
  const auto read = parse_proxy_options("-s -e 1.0 -o -f facet -p 1.0").value();
  EXPECT_EQ(read, (proxy_options{.facet = "facet", .mode = proxy_mode::oneway, .secure = true, .encoding = {1, 0}}));
}

TEST(proxy_options, may_quote_a_facet) {
  EXPECT_EQ(parse_proxy_options(R"(-f "a \"b\" c" -d)").value().facet, "a \"b\" c");
  EXPECT_EQ(parse_proxy_options("-f 'a b'").value().facet, "a b");
}

TEST(proxy_options, name_the_part_that_is_none_of_them) {
  for (const auto* text :
       {"-x", "oneway", "-f", "-e", "-e 2.0", "-e 1", "-e 1.1.1", "-f \"open", ":tcp", "@ adapter"}) {
    const auto refused = parse_proxy_options(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().code, errc::invalid_argument);
    EXPECT_NE(refused.error().message.find(text), std::string::npos) << refused.error().message;
  }
}

RC_GTEST_PROP(proxy_options, read_any_text_without_harm, (const std::string& text)) {
  RC_ASSERT((parse_proxy_options(text).has_value() || !text.empty()));
}

}  // namespace
}  // namespace muster::descriptor
