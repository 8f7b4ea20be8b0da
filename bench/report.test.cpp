#include "bench/report.hpp"

#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace muster::bench {
namespace {

TEST(median, lies_between_the_two_middle_samples_of_an_even_number) {
  EXPECT_DOUBLE_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_DOUBLE_EQ(median({9, 1, 5}), 5);
}

TEST(quantile, is_the_smallest_sample_that_so_many_do_not_exceed) {
  EXPECT_DOUBLE_EQ(quantile({10, 20, 30, 40}, 0.5), 20);
  EXPECT_DOUBLE_EQ(quantile({10, 20, 30, 40}, 0.99), 40);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.001), 7);
  EXPECT_THROW((void)quantile({}, 0.5), std::runtime_error);
}

TEST(ratio, is_the_median_of_the_pairs_quotients_where_samples_come_in_pairs) {
  EXPECT_DOUBLE_EQ(*ratio({10, 30, 90}, {10, 10, 10}), 3);
  EXPECT_DOUBLE_EQ(*ratio({10, 30, 90}, {15}), 2);
  EXPECT_FALSE(ratio({10}, {}));
  EXPECT_FALSE(ratio({10}, {0}));
}

TEST(target, is_not_judged_before_what_it_needs_was_measured) {
  row line{.measurement = "m", .what = "w", .unit = "1/s"};
  EXPECT_FALSE(is_met(line, at_least(2)));
  line.muster = {20};
  EXPECT_FALSE(is_met(line, at_least(2)));
  line.stock = {10};
  EXPECT_EQ(is_met(line, at_least(2)), true);
  EXPECT_EQ(is_met(line, at_most(1.9)), false);
  EXPECT_EQ(is_met(line, at_most(20, target::kind::absolute)), true);
}

TEST(table, shows_a_dash_for_what_was_not_measured) {
  row line{.measurement = "m", .what = "locate", .unit = "1/s"};
  line.muster = {1234};
  line.targets = {at_least(1.9)};
  EXPECT_NE(as_table({line}).find("| locate | 1/s | – | 1234 | – | – | – | ≥ 1.9 × stock | – |"), std::string::npos);
}

TEST(table, calls_the_sides_by_the_names_that_it_is_given) {
  row line{.measurement = "m", .what = "find", .unit = "1/s"};
  line.targets = {at_least(3), at_least(0.7, target::kind::of_constant)};
  const auto table = as_table({line}, {.stock = "pg", .constant = "limit"});
  EXPECT_NE(table.find("| pg | muster | muster / pg | limit | muster / limit |"), std::string::npos);
  EXPECT_NE(table.find("≥ 3 × pg, ≥ 0.7 × limit"), std::string::npos);
}

}  // namespace
}  // namespace muster::bench
