#include "muster/catalog/loader.hpp"

#include <map>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "muster/catalog/any_change.test.hpp"
#include "muster/catalog/apply.hpp"
#include "muster/catalog/row_codec.hpp"
#include "muster/catalog/row_cursor.hpp"

namespace muster::catalog {
namespace {

/// What a store would hold.
using stored = std::map<std::pair<std::uint8_t, std::uint64_t>, bytes>;

void write(stored& store, const std::vector<row>& rows) {
  for (const auto& one : rows) {
    if (one.value) {
      store[{one.table, one.key}] = *one.value;
    } else {
      RC_ASSERT(store.erase({one.table, one.key}) == 1U);
    }
  }
}

[[nodiscard]] state load(const stored& store) {
  loader loading;
  for (const auto& [place, value] : store) RC_ASSERT(loading.add(place.first, place.second, value).has_value());
  auto loaded = loading.finish();
  if (!loaded) RC_FAIL(loaded.error().message);
  return *loaded;
}

[[nodiscard]] stored rows_of(const state& current) {
  stored rows;
  row_cursor cursor{current};
  while (auto one = cursor.next()) {
    RC_ASSERT(rows.emplace(std::pair{one->table, one->key}, one->value.value()).second);
  }
  return rows;
}

/// What the class comment of `state` promises.
void expect_coherent(const state& current) {
  std::size_t typed = 0;
  for (const auto& type : current.types()) {
    RC_ASSERT(!type.objects.empty());
    for (const auto& one : type.objects)
      RC_ASSERT((one.type() == type.id() && current.find_object(one.identity()) == &one));
    typed += type.objects.size();
  }
  RC_ASSERT(typed == current.objects().size());
  std::size_t members = 0;
  std::size_t deployed_members = 0;
  for (const auto& group : current.replica_groups()) {
    RC_ASSERT(group.members.empty() == group.is_deployed());
    if (!group.is_deployed()) RC_ASSERT(group.deployed_members.empty());
    if (group.is_deployed()) RC_ASSERT(current.find_adapter(group.id()) == nullptr);
    for (const auto& one : group.members) RC_ASSERT(current.find_adapter(one.id()) == &one);
    members += group.members.size();
    deployed_members += group.deployed_members.size();
  }
  std::size_t grouped = 0;
  for (const auto& one : current.adapters()) {
    if (!one.replica_group().empty()) ++grouped;
    RC_ASSERT(current.find_deployed_adapter(one.id()) == nullptr);
  }
  RC_ASSERT(members == grouped);
  std::size_t deployed_grouped = 0;
  for (const auto& one : current.deployed_adapters()) {
    RC_ASSERT(current.find_replica_group(one.id()) == nullptr);
    if (!one.entry.replica_group.empty()) ++deployed_grouped;
  }
  RC_ASSERT(deployed_members == deployed_grouped);
}

RC_GTEST_PROP(catalog, has_the_same_state_and_rows_wherever_its_history_is_applied, ()) {
  state one;
  state two;
  std::vector<state> kept;
  stored store;
  const auto steps = *rc::gen::inRange(0, 150);
  std::size_t taken = 0;
  for (std::uint64_t serial = 1; serial <= static_cast<std::uint64_t>(steps); ++serial) {
    const auto next = sample::any_change();
    const bool idle = changes_nothing(one, next);
    const state before = one;
    std::vector<row> rows;
    std::vector<row> rows_two;
    const auto applied = apply(one, next, serial, rows);
    const auto applied_two = apply(two, decode(encode(next)).value(), serial, rows_two);
    RC_ASSERT(applied.has_value() == applied_two.has_value());
    if (!applied) RC_ASSERT(applied.error() == applied_two.error());
    RC_ASSERT(rows == rows_two);
    if (!applied || idle) RC_ASSERT(one == before);
    if (!applied) RC_ASSERT(rows.empty());
    if (applied) ++taken;
    write(store, rows);
    expect_coherent(one);
    if (serial % 5 == 0) kept.push_back(one);  // so that some changes are made in place and some on a copy
  }
  RC_ASSERT(one == two);
  RC_ASSERT(rows_of(one) == store);
  const auto loaded = load(store);
  RC_ASSERT(loaded == one);
  expect_coherent(loaded);
  RC_CLASSIFY(taken > 20, "long histories");
}

TEST(loader, gives_an_empty_state_of_no_rows) {
  loader loading;
  EXPECT_TRUE(loading.finish().value() == state{});
}

TEST(row, keeps_its_format) {
  // Databases hold these bytes: another layout is another version (docs/protocols/catalog.md).
  const auto proxy = encoded_proxy::indirect({"o", ""}, "A");
  const bytes encoded{13, 1, 'o', 0, 0, 0, 0, 1, 0, 1, 1, 0, 1, 'A'};
  bytes object_value{1, 1, 'T'};
  object_value.insert(object_value.end(), encoded.begin(), encoded.end());
  EXPECT_EQ(row_of(*object::make(interned::make("T"), proxy.content(), 7)), (row{1, 7, object_value}));
  bytes adapter_value{1, 1, 'A', 1, 'G'};
  adapter_value.insert(adapter_value.end(), encoded.begin(), encoded.end());
  EXPECT_EQ(row_of(*adapter::make("A", "G", proxy.content(), 8)), (row{2, 8, adapter_value}));
}

TEST(loader, refuses_a_row_that_is_damaged_and_names_it) {
  loader loading;
  const auto refused = loading.add(1, 77, bytes{1, 200});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, errc::corrupt);
  EXPECT_EQ(refused.error().message.find("table 1, key 77: "), 0U) << refused.error().message;
}

TEST(loader, refuses_tables_and_versions_that_it_does_not_know) {
  EXPECT_EQ(loader{}.add(9, 1, bytes{1}).error().code, errc::incompatible);
  EXPECT_EQ(loader{}.add(1, 1, bytes{2, 0, 0}).error().code, errc::incompatible);
}

TEST(loader, refuses_the_same_record_twice) {
  loader loading;
  const auto object = row_of(*object::make(interned::make("::T"), sample::direct({"o", ""}, 1).content(), 1));
  ASSERT_TRUE(loading.add(object.table, 1, *object.value));
  EXPECT_EQ(loading.add(object.table, 2, *object.value).error().code, errc::corrupt);
  const auto adapter = row_of(*adapter::make("A", "", sample::direct({"o", ""}, 1).content(), 1));
  ASSERT_TRUE(loading.add(adapter.table, 1, *adapter.value));
  EXPECT_EQ(loading.add(adapter.table, 2, *adapter.value).error().code, errc::corrupt);
}

TEST(loader, finds_applications_that_contradict_each_other) {
  state first;
  std::vector<row> rows;
  const auto descriptor =
      std::make_shared<const IceGrid::ApplicationDescriptor>(sample::descriptors::application("app"));
  ASSERT_TRUE(apply(first, add_application{"u", {}, descriptor}, 1, rows));
  loader loading;
  ASSERT_TRUE(loading.add(rows[0].table, 1, *rows[0].value));
  ASSERT_TRUE(loading.add(rows[0].table, 2, *rows[0].value));
  EXPECT_EQ(loading.finish().error().code, errc::corrupt);
}

RC_GTEST_PROP(loader, reads_damaged_rows_without_harm, ()) {
  auto damaged = row_of(*adapter::make("A", "G", sample::direct({"o", ""}, 1).content(), 1)).value.value();
  damaged[*rc::gen::inRange<std::size_t>(0, damaged.size())] = *rc::gen::arbitrary<std::uint8_t>();
  loader loading;
  const auto added = loading.add(*rc::gen::inRange<std::uint8_t>(0, 5), 1, damaged);
  const auto finished = loading.finish();
  if (finished) expect_coherent(*finished);
  RC_ASSERT((added.has_value() || !added.error().message.empty()));
}

TEST(row_cursor, goes_on_with_its_own_copy_while_the_catalog_changes) {
  state current;
  std::vector<row> rows;
  for (std::uint64_t i = 1; i <= 100; ++i) {
    ASSERT_TRUE(apply(current, add_object{"::T", sample::direct({std::to_string(i), ""}, 1)}, i, rows));
  }
  row_cursor cursor{current};
  std::set<std::uint64_t> keys;
  keys.insert(cursor.next()->key);
  for (int i = 1; i <= 100; ++i) ASSERT_TRUE(apply(current, remove_object{{std::to_string(i), ""}}, 200, rows));
  row_cursor moved = std::move(cursor);
  while (const auto one = moved.next()) keys.insert(one->key);
  EXPECT_EQ(keys.size(), 100U);
}

TEST(state, is_read_by_other_threads_while_it_changes) {
  state current;
  std::vector<row> rows;
  for (std::uint64_t i = 0; i != 200; ++i) {
    ASSERT_TRUE(apply(current, set_adapter{std::to_string(i), "G", sample::direct({"d", ""}, 1)}, i + 1, rows));
  }
  constexpr int rounds = 50;
  for (int round = 0; round != rounds; ++round) {
    // As when a new view is published: a reader has its own copy, and drops it when it likes.
    std::thread reader{[copy = current]() mutable {
      std::size_t found = 0;
      for (int i = 0; i != 200; ++i) found += copy.find_adapter(std::to_string(i)) != nullptr ? 1U : 0U;
      EXPECT_EQ(found, 200U);
      EXPECT_EQ(copy.find_replica_group("G")->members.size(), 200U);
      copy = {};
    }};
    for (std::uint64_t i = 0; i != 20; ++i) {
      const auto port = static_cast<std::uint16_t>(round * 20 + static_cast<int>(i));
      EXPECT_TRUE(
          apply(current, set_adapter{std::to_string(i * 7), "G", sample::direct({"d", ""}, port)}, 1'000, rows));
    }
    reader.join();
  }
}

}  // namespace
}  // namespace muster::catalog
