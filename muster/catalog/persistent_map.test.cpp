#include "muster/catalog/persistent_map.hpp"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "muster/catalog/hash.hpp"

namespace muster::catalog {
namespace {

struct entry final : counted<entry> {
  entry(int in_key, int in_value) : key{in_key}, value{in_value} {}
  int key;
  int value;
};

/// Hashes of which only `Bits` bits say something, so that small keys collide as seldom or as often as a test wants.
template <unsigned Bits>
struct by_key {
  using record = entry;
  using key = int;
  static key key_of(const entry& one) { return one.key; }
  static std::uint64_t hash(key of) {
    const auto whole = hash_bytes({reinterpret_cast<const char*>(&of), sizeof of});
    return Bits == 64 ? whole : whole & ((std::uint64_t{1} << (Bits % 64)) - 1);
  }
};

using model = std::map<int, int>;

template <typename Map>
[[nodiscard]] model contents_of(const Map& map) {
  model contents;
  for (const auto& one : map) {
    EXPECT_TRUE(contents.emplace(one.key, one.value).second) << "the key " << one.key << " came twice";
  }
  return contents;
}

template <typename Map>
[[nodiscard]] std::vector<int> order_of(const Map& map) {
  std::vector<int> keys;
  for (const auto& one : map) keys.push_back(one.key);
  return keys;
}

template <typename Map>
void put(Map& map, int key, int value) {
  map.set(ref<entry>{new entry{key, value}});
}

/// A positive number sets that key, a negative one erases it; every eighth keeps a copy of the map.
template <unsigned Bits>
void behaves_like_a_map(const std::vector<int>& steps) {
  persistent_map<by_key<Bits>> map;
  model expected;
  std::vector<std::pair<persistent_map<by_key<Bits>>, model>> kept;
  int value = 0;
  for (const int step : steps) {
    const int key = std::abs(step);
    if (step >= 0) {
      const auto before = map.set(ref<entry>{new entry{key, ++value}});
      RC_ASSERT((before != nullptr) == expected.contains(key));
      if (before != nullptr) RC_ASSERT(before->value == expected[key]);
      expected[key] = value;
    } else {
      const auto before = map.erase(key);
      RC_ASSERT((before != nullptr) == (expected.erase(key) != 0));
    }
    RC_ASSERT(map.size() == expected.size());
    if (key % 8 == 0) kept.emplace_back(map, expected);
  }
  kept.emplace_back(map, expected);

  for (const auto& [copy, content] : kept) {
    RC_ASSERT(contents_of(copy) == content);
    for (int key = 0; key != 64; ++key) {
      const auto* found = copy.find(key);
      RC_ASSERT((found != nullptr) == content.contains(key));
      if (found != nullptr) RC_ASSERT(found->value == content.at(key));
    }
    const auto order = order_of(copy);
    for (std::size_t k = 0; k != order.size(); ++k) RC_ASSERT(copy.nth(k).key == order[k]);

    // Equal content has equal order, whatever came and went before.
    persistent_map<by_key<Bits>> fresh;
    for (auto at = content.rbegin(); at != content.rend(); ++at) put(fresh, at->first, at->second);
    RC_ASSERT(order_of(fresh) == order);
  }
}

[[nodiscard]] std::vector<int> any_steps() {
  return *rc::gen::scale(4.0, rc::gen::container<std::vector<int>>(rc::gen::inRange(-63, 64)));
}

RC_GTEST_PROP(persistent_map, behaves_like_a_map_whatever_is_done_to_it, ()) { behaves_like_a_map<64>(any_steps()); }

RC_GTEST_PROP(persistent_map, behaves_like_a_map_when_most_hashes_collide, ()) { behaves_like_a_map<3>(any_steps()); }

RC_GTEST_PROP(persistent_map, behaves_like_a_map_when_all_hashes_are_equal, ()) { behaves_like_a_map<0>(any_steps()); }

TEST(persistent_map, is_empty_at_first) {
  persistent_map<by_key<64>> map;
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(map.size(), 0U);
  EXPECT_EQ(map.find(1), nullptr);
  EXPECT_EQ(map.erase(1), nullptr);
  EXPECT_TRUE(order_of(map).empty());
}

TEST(persistent_map, shares_all_but_one_path_with_its_copy) {
  persistent_map<by_key<64>> map;
  for (int key = 0; key != 10'000; ++key) put(map, key, key);
  const auto copy = map;
  put(map, 1, -1);
  map.erase(2);
  EXPECT_EQ(copy.find(1)->value, 1);
  EXPECT_NE(copy.find(2), nullptr);
  EXPECT_EQ(map.find(1)->value, -1);
  EXPECT_EQ(map.find(2), nullptr);
  for (int key = 3; key != 10'000; ++key) ASSERT_EQ(copy.find(key), map.find(key)) << "the record itself is shared";
}

TEST(persistent_map, gives_a_record_to_change_only_where_nobody_else_sees_it) {
  persistent_map<by_key<64>> map;
  for (int key = 0; key != 1'000; ++key) put(map, key, key);
  auto* mine = map.find_unshared(7);
  ASSERT_NE(mine, nullptr);
  mine->value = 70;
  EXPECT_EQ(map.find(7)->value, 70);
  {
    const auto copy = map;
    EXPECT_EQ(map.find_unshared(7), nullptr);
  }
  EXPECT_NE(map.find_unshared(7), nullptr) << "the copy is gone";
  const ref<entry> held{map.find(7)};
  EXPECT_EQ(map.find_unshared(7), nullptr) << "the record itself is held";
  EXPECT_EQ(map.find_unshared(5'000), nullptr) << "there is no such record";
}

TEST(persistent_map, changes_nothing_when_an_absent_key_is_erased) {
  persistent_map<by_key<64>> map;
  for (int key = 0; key != 100; ++key) put(map, key, key);
  const auto copy = map;
  EXPECT_EQ(map.erase(1'000), nullptr);
  EXPECT_EQ(map.size(), 100U);
  EXPECT_EQ(order_of(map), order_of(copy));
}

TEST(persistent_map, is_moved_and_assigned_like_a_value) {
  persistent_map<by_key<64>> map;
  put(map, 1, 1);
  auto moved = std::move(map);
  EXPECT_EQ(moved.size(), 1U);
  persistent_map<by_key<64>> assigned;
  put(assigned, 2, 2);
  assigned = moved;
  EXPECT_NE(assigned.find(1), nullptr);
  EXPECT_EQ(assigned.find(2), nullptr);
  moved = {};
  EXPECT_EQ(assigned.size(), 1U);
}

}  // namespace
}  // namespace muster::catalog
