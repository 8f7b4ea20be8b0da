#include "muster/base/duration_text.hpp"

#include <chrono>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace muster {
namespace {

using namespace std::chrono_literals;

TEST(duration_text, knows_the_units_of_hocon_short_and_long) {
  EXPECT_EQ(parse_duration("7ns"), 7ns);
  EXPECT_EQ(parse_duration("7 micros"), 7us);
  EXPECT_EQ(parse_duration("500ms"), 500ms);
  EXPECT_EQ(parse_duration("1  second"), 1s);
  EXPECT_EQ(parse_duration("2 minutes"), 2min);
  EXPECT_EQ(parse_duration("3h"), 3h);
  EXPECT_EQ(parse_duration("1 day"), 24h);
}

TEST(duration_text, takes_a_number_alone_for_milliseconds) { EXPECT_EQ(parse_duration("250"), 250ms); }

TEST(duration_text, takes_a_fraction) {
  EXPECT_EQ(parse_duration("1.5 s"), 1500ms);
  EXPECT_EQ(parse_duration("0.25ms"), 250us);
  EXPECT_EQ(parse_duration("0.0000000019s"), 1ns);
}

TEST(duration_text, refuses_what_is_none) {
  for (const char* text : {"", "s", "-1s", "1 parsec", "1.s", ".5s", "1 s s", "1s ", " 1s", "106752d", "1e3",
                           "99999999999999999999", "+1s"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

RC_GTEST_PROP(duration_text, reads_back_what_it_has_written, ()) {
  const duration value{*rc::gen::inRange<std::int64_t>(0, 9'000'000'000'000'000'000)};
  RC_ASSERT(parse_duration(to_duration_text(value)) == value);
}

TEST(duration_text, writes_the_greatest_unit_that_fits) {
  EXPECT_EQ(to_duration_text(1500ms), "1500ms");
  EXPECT_EQ(to_duration_text(60s), "1m");
  EXPECT_EQ(to_duration_text(0s), "0s");
}

}  // namespace
}  // namespace muster
