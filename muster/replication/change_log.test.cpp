#include "muster/replication/change_log.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace muster::replication {
namespace {

log_entry entry(std::uint64_t number, std::size_t size = 10) { return {serial{number}, shared_bytes{bytes(size, 7)}}; }

change_log filled(std::uint64_t from, std::uint64_t to) {
  change_log out{serial{from - 1}};
  for (std::uint64_t i = from; i <= to; ++i) {
    out.append(entry(i));
  }
  return out;
}

TEST(change_log, is_read_from_entries_without_a_gap_up_to_the_last_change) {
  EXPECT_TRUE(change_log::from_entries({entry(4), entry(5)}, serial{5}));
  EXPECT_FALSE(change_log::from_entries({entry(4), entry(5)}, serial{6}));
  EXPECT_FALSE(change_log::from_entries({entry(4), entry(6)}, serial{6}));
  EXPECT_FALSE(change_log::from_entries({entry(1), entry(2)}, serial{1}));
  EXPECT_EQ(change_log::from_entries({}, serial{9})->first(), serial{10});
}

TEST(change_log, reaches_back_to_just_before_its_first_change) {
  const auto log = filled(5, 9);
  EXPECT_TRUE(log.reaches_back_to(serial{4}));
  EXPECT_FALSE(log.reaches_back_to(serial{3}));
  EXPECT_TRUE(log.reaches_back_to(serial{9}));
}

TEST(change_log, copies_at_least_one_change_and_then_so_many_bytes) {
  const auto log = filled(5, 9);
  std::vector<log_entry> out;
  log.copy_after(serial{5}, 1, out);
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].number, serial{6});
  out.clear();
  log.copy_after(serial{4}, 25, out);
  EXPECT_EQ(out.size(), 2U);
  out.clear();
  log.copy_after(serial{9}, 100, out);
  EXPECT_TRUE(out.empty());
}

TEST(change_log, keeps_what_is_read_beyond_the_soft_bound_but_not_the_hard_one) {
  const auto log = filled(1, 100);
  change_log::bounds limits{.entries_max = 10,
                            .bytes_max = 1'000'000,
                            .bytes_hard_max = 1'000'000,
                            .keep_after = serial{100},
                            .never_beyond = serial{100}};
  EXPECT_EQ(log.trim_point(limits, {}), serial{91});
  limits.keep_after = serial{40};
  EXPECT_EQ(log.trim_point(limits, {}), serial{41});
  limits.bytes_hard_max = 300;
  EXPECT_EQ(log.trim_point(limits, {}), serial{71});
  limits.never_beyond = serial{20};
  EXPECT_EQ(log.trim_point(limits, {}), serial{21}) << "what is not acknowledged may have to be saved as a tail";
}

RC_GTEST_PROP(change_log, keeps_its_bounds_and_never_cuts_what_it_must_keep, ()) {
  const auto number = [](int max) { return static_cast<std::uint64_t>(*rc::gen::inRange(0, max)); };
  change_log log;
  for (int step = 0; step < 20; ++step) {
    std::vector<log_entry> added;
    for (std::uint64_t i = number(5); i > 0; --i) {
      added.push_back(entry(log.last().value() + added.size() + 1, number(30)));
    }
    const std::uint64_t end = log.last().value() + added.size();
    const change_log::bounds limits{.entries_max = 10,
                                    .bytes_max = 150,
                                    .bytes_hard_max = 400,
                                    .keep_after = serial{number(static_cast<int>(end) + 1)},
                                    .never_beyond = serial{number(static_cast<int>(end) + 1)}};
    const serial cut = log.trim_point(limits, added);
    RC_ASSERT(cut.value() <= std::max(limits.never_beyond.value() + 1, log.first().value()));
    for (auto& one : added) {
      log.append(std::move(one));
    }
    log.trim_below(cut);
    RC_ASSERT(log.last() == serial{end});
    const bool may_be_cut = log.first() <= limits.never_beyond && log.size() > 0;
    RC_ASSERT((!may_be_cut || log.held_bytes() <= limits.bytes_hard_max || log.first().value() > end - 5));
  }
}

}  // namespace
}  // namespace muster::replication
