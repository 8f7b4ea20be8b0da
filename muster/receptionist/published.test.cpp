#include "muster/receptionist/published.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "muster/base/prng.hpp"

namespace muster::receptionist {
namespace {

roster_ptr rows_of(const any_key& key, const origin_ptr& origin, std::uint64_t first, std::size_t count) {
  std::vector<edit> edits;
  for (std::size_t i = 0; i < count; ++i) {
    edits.push_back({{origin, gossip::shared_text{"/a"}, first + i, gossip::shared_text{"t"}}, false});
  }
  return roster::merged(key.text(), nullptr, edits, nullptr);
}

class published_rosters : public ::testing::Test {
 protected:
  origin_ptr origin_{new origin_record{gossip::make_origin("n", 1), false, nullptr}};
};

TEST_F(published_rosters, are_found_by_key_until_they_are_taken_away) {
  published all;
  EXPECT_EQ(all.find(any_key{"a"}), nullptr);
  std::vector<roster_ptr> rows;
  for (int i = 0; i < 1000; ++i) {
    const any_key key{std::to_string(i)};
    rows.push_back(rows_of(key, origin_, 1, 1));
    all.put(key, rows.back());
  }
  EXPECT_EQ(all.key_count(), 1000U);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(all.find(any_key{std::to_string(i)}), rows[static_cast<std::size_t>(i)]);
  for (int i = 0; i < 1000; i += 2) all.put(any_key{std::to_string(i)}, nullptr);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(all.find(any_key{std::to_string(i)}) == nullptr, i % 2 == 0);
  all.put(any_key{"never"}, nullptr);
  EXPECT_EQ(all.key_count(), 500U);
}

TEST_F(published_rosters, are_found_while_the_table_changes_its_size) {
  published all;
  const auto all_found = [&](int first, int last, int step) {
    for (int i = first; i < last; i += step) {
      if (all.find(any_key{std::to_string(i)}) == nullptr) return false;
    }
    return true;
  };
  for (int i = 0; i < 500; ++i) {
    const any_key key{std::to_string(i)};
    all.put(key, rows_of(key, origin_, 1, 1));
    ASSERT_TRUE(all_found(0, i + 1, 1)) << i;
  }
  const std::size_t largest = all.bucket_count();
  for (int i = 0; i < 500; ++i) {
    all.put(any_key{std::to_string(i)}, nullptr);
    ASSERT_TRUE(all_found(i + 1, 500, 1)) << i;
    ASSERT_EQ(all.find(any_key{std::to_string(i)}), nullptr);
    all.sweep();
  }
  while (!all.is_settled_after(16)) continue;
  EXPECT_LT(all.bucket_count(), largest / 4);
}

TEST_F(published_rosters, are_given_back_when_nobody_reads_them) {
  published all;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    all.put(any_key{"a"}, rows_of(any_key{"a"}, origin_, i + 1, 3));
    all.sweep();
    EXPECT_LE(all.kept(), 2U);
  }
  all.put(any_key{"a"}, nullptr);
  all.sweep();
  all.sweep();
  EXPECT_EQ(all.kept(), 0U);
  EXPECT_EQ(origin_->use_count(), 1U) << "no row is left anywhere";
}

TEST_F(published_rosters, show_to_any_thread_who_is_unreachable_now) {
  published all;
  const any_key key{"a"};
  const origin_ptr other{new origin_record{gossip::make_origin("m", 1), false, nullptr}};
  std::vector<edit> edits{{{other, gossip::shared_text{"/b"}, 1, gossip::shared_text{"t"}}, false},
                          {{origin_, gossip::shared_text{"/a"}, 1, gossip::shared_text{"t"}}, false}};
  all.put(key, roster::merged(key.text(), nullptr, edits, nullptr));
  std::atomic<bool> done{false};
  std::atomic<std::uint64_t> both_down{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (!done.load()) {
        const auto rows = all.find(key);
        std::uint64_t down = 0;
        rows->for_each([&](const row& one) { down += rows->is_reachable(one) ? 0U : 1U; });
        both_down += down > 1 ? 1U : 0U;
      }
    });
  }
  for (int i = 0; i < 20'000; ++i) {
    const boost::intrusive_ptr<unreachable_origins> now{new unreachable_origins};
    now->origins.push_back(i % 2 == 0 ? origin_ptr{origin_} : other);
    all.set_unreachable(now);
    if (i % 3 == 0) all.put(key, seen_with(roster_ptr{all.peek(key)}, now));
    all.sweep();
  }
  done = true;
  for (auto& one : readers) one.join();
  EXPECT_EQ(both_down.load(), 0U) << "never more than one at a time was unreachable";
  all.set_unreachable(nullptr);
  const auto rows = all.find(key);
  rows->for_each([&](const row& one) { EXPECT_TRUE(rows->is_reachable(one)); });
}

TEST_F(published_rosters, may_be_read_by_any_thread_while_they_change) {
  published all;
  constexpr std::size_t keys = 64;
  std::vector<any_key> names;
  for (std::size_t i = 0; i < keys; ++i) names.emplace_back(std::to_string(i));
  std::atomic<bool> done{false};
  std::atomic<std::uint64_t> torn{0};
  std::atomic<std::uint64_t> older{0};
  std::vector<std::thread> readers;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    readers.emplace_back([&, seed] {
      prng random{seed};
      std::vector<std::uint64_t> newest(keys);
      while (!done.load()) {
        const auto which = static_cast<std::size_t>(random.below(keys));
        const auto rows = all.find(names[which]);
        if (!rows) continue;
        // Each has two rows of one generation.
        const std::uint64_t generation = rows->front().incarnation;
        rows->for_each([&](const row& one) { torn += one.incarnation / 2 != generation / 2 ? 1U : 0U; });
        older += generation < newest[which] ? 1U : 0U;
        newest[which] = generation;
      }
    });
  }
  prng random{99};
  for (std::uint64_t i = 1; i < 40'000; ++i) {
    const auto& key = names[static_cast<std::size_t>(random.below(keys))];
    all.put(key, random.chance(1, 3) ? nullptr : rows_of(key, origin_, i * 2, 2));
    all.sweep();
  }
  done = true;
  for (auto& one : readers) one.join();
  EXPECT_EQ(torn.load(), 0U);
  EXPECT_EQ(older.load(), 0U);
}

}  // namespace
}  // namespace muster::receptionist
