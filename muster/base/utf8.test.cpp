#include "muster/base/utf8.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace muster {
namespace {

RC_GTEST_PROP(utf8, takes_what_it_has_written, ()) {
  auto number = *rc::gen::inRange<std::uint32_t>(0, 0x110000);
  if (number >= 0xd800 && number <= 0xdfff) number = 0xfffd;
  std::string text;
  append_utf8(text, static_cast<char32_t>(number));
  RC_ASSERT(utf8_length(text) == text.size());
  RC_ASSERT(utf8_length(std::string_view{text}.substr(0, text.size() - 1)) == 0U);
}

TEST(utf8, refuses_overlong_forms_surrogates_and_what_is_beyond_the_last_character) {
  for (const char* text : {"\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
                           "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\x80", "\xff", "\xc3(", ""}) {
    EXPECT_EQ(utf8_length(text), 0U) << text;
  }
  EXPECT_EQ(utf8_length("\xf4\x8f\xbf\xbf"), 4U);
}

TEST(utf8, says_how_much_of_a_text_is_good) {
  EXPECT_EQ(utf8_prefix("na\xc3\xafve"), 6U);
  EXPECT_EQ(utf8_prefix("ab\xc3"), 2U);
  EXPECT_EQ(utf8_prefix(std::string_view{"a\0b", 3}), 3U);
}

}  // namespace
}  // namespace muster
