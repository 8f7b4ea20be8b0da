#include "muster/os/lmdb_store.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "muster/base/prng.hpp"
#include "tests/support/scratch_directory.hpp"
#include "tests/support/store_content.hpp"

namespace muster::os {
namespace {

using replication::commit;
using replication::log_entry;
using replication::row_write;
using replication::serial;
using replication::shared_bytes;
using tests::content_reader;
using tests::scratch_directory;
using tests::store_content;

/// The error's sentence, so that a failed expectation shows it.
std::string outcome(const result<void>& done) { return done ? "done" : done.error().message; }

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20U;

bytes of(std::string_view text) { return {text.begin(), text.end()}; }
bytes filled(std::size_t size, std::uint64_t with) { return bytes(size, static_cast<std::uint8_t>(with)); }

/// A directory and the store in it, which can be closed and opened again.
class database {
 public:
  explicit database(lmdb_store::options options = {}) : options_{std::move(options)} { open(); }

  void open() {
    auto taken = data_directory::take(scratch_.path());
    ASSERT_TRUE(taken) << taken.error().message;
    directory_.emplace(std::move(*taken));
    auto opened = lmdb_store::open(*directory_, options_);
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = std::move(*opened);
  }
  void reopen() {
    store_.reset();
    directory_.reset();
    open();
  }
  lmdb_store& operator*() { return *store_; }
  lmdb_store* operator->() { return store_.get(); }

  store_content content() {
    content_reader reader;
    const auto loaded = store_->load(reader);
    EXPECT_TRUE(loaded) << loaded.error().message;
    return reader.content();
  }

 private:
  scratch_directory scratch_;
  lmdb_store::options options_;
  std::optional<data_directory> directory_;
  std::unique_ptr<lmdb_store> store_;
};

commit change(std::uint64_t number, std::vector<row_write> rows) {
  commit out;
  out.rows = std::move(rows);
  out.log_append = {{serial{number}, shared_bytes{filled(60, number)}}};
  out.meta = of("meta " + std::to_string(number));
  return out;
}

commit replacement(commit::kind what, bool begins, std::vector<row_write> rows) {
  commit out;
  out.what = what;
  out.replacement_begins = begins;
  out.rows = std::move(rows);
  out.meta = of("after the swap");
  return out;
}

TEST(lmdb_store, is_empty_when_it_has_never_been_written) {
  database db;
  EXPECT_EQ(db.content(), store_content{});
  db.reopen();
  EXPECT_EQ(db.content(), store_content{});
}

TEST(lmdb_store, gives_back_what_was_committed_after_a_restart) {
  database db;
  store_content expected;
  std::vector<commit> steps;
  steps.push_back(change(1, {{1, 1, of("one")}, {2, 1, of("other table")}}));
  steps.push_back(change(2, {{1, 2, bytes{}}, {255, 0, of("lowest key, highest table")}}));
  steps.push_back(change(3, {{1, 1, std::nullopt}, {1, 77, std::nullopt}, {3, 3, filled(2'000'000, 7)}}));
  steps.push_back(change(4, {{2, 1, of("written again")}, {1, 4, of("a")}, {1, 4, of("b")}}));
  steps.back().log_trim_below = serial{3};
  for (auto& step : steps) {
    expected.change(step);
    ASSERT_TRUE(db->commit(std::move(step)));
  }
  EXPECT_EQ(db.content(), expected);
  db.reopen();
  EXPECT_EQ(db.content(), expected);
}

TEST(lmdb_store, shows_a_replacement_only_after_the_swap) {
  database db;
  ASSERT_TRUE(db->commit(change(1, {{1, 1, of("old")}, {9, 1, of("old")}})));
  const store_content before = db.content();
  ASSERT_TRUE(db->commit(replacement(commit::kind::replacement_rows, true, {{1, 5, of("new")}, {1, 3, of("new")}})));
  ASSERT_TRUE(db->commit(replacement(commit::kind::replacement_rows, false, {{2, 1, of("new")}})));
  store_content expected;
  expected.rows = {{{1, 3}, of("new")}, {{1, 5}, of("new")}, {{2, 1}, of("new")}, {{4, 4}, of("last")}};
  expected.meta = of("after the swap");
  EXPECT_EQ(db.content(), before);
  commit swap = replacement(commit::kind::replacement_swap, false, {{4, 4, of("last")}});
  swap.log_append = {{serial{900}, shared_bytes{of("recent")}}};
  expected.log = {{900, of("recent")}};
  ASSERT_TRUE(db->commit(std::move(swap)));
  EXPECT_EQ(db.content(), expected) << "the former log has gone with the former copy";
  db.reopen();
  EXPECT_EQ(db.content(), expected);
}

TEST(lmdb_store, drops_an_unfinished_replacement_when_it_is_opened) {
  database db;
  ASSERT_TRUE(db->commit(change(1, {{1, 1, of("old")}})));
  ASSERT_TRUE(db->commit(replacement(commit::kind::replacement_rows, true, {{1, 5, of("new")}})));
  // A change between the steps makes the rows so far durable, though not visible.
  ASSERT_TRUE(db->commit(change(2, {{1, 2, of("between")}})));
  const store_content before = db.content();
  db.reopen();
  EXPECT_EQ(db.content(), before);
  const auto added = db->commit(replacement(commit::kind::replacement_swap, false, {{1, 6, of("new")}}));
  ASSERT_FALSE(added) << "rows without the ones that were dropped would be a copy with a hole";
  EXPECT_EQ(added.error().code, errc::conflict);
  EXPECT_EQ(db.content(), before);
}

TEST(lmdb_store, keeps_the_rows_of_a_replacement_over_a_change_between_its_steps) {
  database db;
  ASSERT_TRUE(db->commit(replacement(commit::kind::replacement_rows, true, {{1, 5, of("new")}})));
  ASSERT_TRUE(db->commit(change(1, {{1, 1, of("between")}})));
  ASSERT_TRUE(db->commit(replacement(commit::kind::replacement_swap, false, {{1, 6, of("new")}})));
  const store_content found = db.content();
  EXPECT_EQ(found.rows.size(), 2U);
  EXPECT_TRUE(found.log.empty());
}

TEST(lmdb_store, begins_a_replacement_anew_without_what_the_former_one_left) {
  database db;
  ASSERT_TRUE(db->commit(replacement(commit::kind::replacement_rows, true, {{1, 5, of("first try")}})));
  ASSERT_TRUE(db->commit(change(1, {})));
  ASSERT_TRUE(db->commit(replacement(commit::kind::replacement_rows, true, {{1, 6, of("second try")}})));
  ASSERT_TRUE(db->commit(replacement(commit::kind::replacement_swap, false, {})));
  EXPECT_EQ(db.content().rows.size(), 1U);
  ASSERT_TRUE(db->commit(replacement(commit::kind::replacement_swap, true, {})));
  EXPECT_TRUE(db.content().rows.empty()) << "an empty copy is a copy as well";
}

TEST(lmdb_store, takes_a_large_replacement_whose_keys_come_in_any_order) {
  database db{{.map_bytes = mebibyte}};
  constexpr std::uint64_t rows = 60'000;
  std::vector<std::uint64_t> keys(rows);
  for (std::uint64_t i = 0; i < rows; ++i) {
    keys[i] = i * 7919 % rows;
  }
  ASSERT_TRUE(db->commit(change(1, {{1, 1, of("old")}})));
  bool begins = true;
  for (std::size_t from = 0; from < rows; from += 2000) {
    std::vector<row_write> part;
    for (std::size_t i = from; i < from + 2000; ++i) {
      part.push_back({1, keys[i], filled(150, keys[i])});
    }
    ASSERT_TRUE(db->commit(replacement(commit::kind::replacement_rows, std::exchange(begins, false), std::move(part))));
  }
  ASSERT_TRUE(db->commit(replacement(commit::kind::replacement_swap, false, {})));
  const store_content found = db.content();
  ASSERT_EQ(found.rows.size(), rows);
  EXPECT_EQ(found.rows.at({1, 12'345}), filled(150, 12'345));
  EXPECT_GT(db->measure().map_bytes, mebibyte) << "the map has grown";
}

TEST(lmdb_store, grows_its_map_up_to_the_bound) {
  database db{{.map_bytes = mebibyte, .map_limit_bytes = 64 * mebibyte}};
  for (std::uint64_t i = 1; i <= 40; ++i) {
    ASSERT_TRUE(db->commit(change(i, {{1, i, filled(500'000, i)}}))) << i;
  }
  EXPECT_GE(db->measure().map_bytes, 20 * mebibyte);
  EXPECT_LE(db->measure().map_bytes, 64 * mebibyte);
  db.reopen();
  EXPECT_EQ(db.content().rows.size(), 40U);
}

TEST(lmdb_store, refuses_in_a_full_map_and_lets_deletions_make_room) {
  database db{{.map_bytes = mebibyte / 2, .map_limit_bytes = mebibyte}};
  std::uint64_t number = 0;
  std::vector<std::uint64_t> held;
  const auto add = [&](std::size_t count) {
    commit step = change(number + count, {});
    for (std::size_t i = 0; i < count; ++i) {
      step.rows.push_back({1, ++number, filled(150, number)});
    }
    auto done = db->commit(std::move(step));
    for (std::uint64_t i = number - count + 1; done && i <= number; ++i) {
      held.push_back(i);
    }
    return done;
  };
  const auto fill = [&] {
    while (add(10)) {
    }
    auto done = add(1);
    while (done) {
      done = add(1);
    }
    return done;
  };
  const auto refused = fill();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, errc::storage_full);
  EXPECT_NE(refused.error().message.find("its map has reached its bound of 1 MiB"), std::string::npos)
      << refused.error().message;
  EXPECT_GT(held.size(), 1'000U);
  EXPECT_EQ(db->measure().refused_full, 2U);
  const store_content full = db.content();
  EXPECT_EQ(full.rows.size(), held.size());
  EXPECT_FALSE(add(1)) << "full stays full";
  EXPECT_EQ(db.content(), full);

  // Rewriting a record by one of its own size is no growth; deletions go on, in any order, for as long as there are
  // records.
  ASSERT_TRUE(db->commit(change(++number, {{1, held.front(), filled(150, 1)}})));
  prng random{1};
  for (std::size_t i = held.size(); i > 1; --i) {
    std::swap(held[i - 1], held[random.below(i)]);
  }
  const std::size_t before = held.size();
  while (held.size() > before / 20) {
    commit step = change(number + 5, {});
    step.log_append.clear();
    for (int i = 0; i < 5; ++i) {
      step.rows.push_back({1, held.back(), std::nullopt});
      step.log_append.push_back({serial{++number}, shared_bytes{filled(60, number)}});
      held.pop_back();
    }
    const auto deleted = db->commit(std::move(step));
    ASSERT_TRUE(deleted) << deleted.error().message << " with " << held.size() << " of " << before << " left";
  }
  db.reopen();
  EXPECT_EQ(db.content().rows.size(), held.size());
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(add(10)) << "there is room again, at step " << i;
  }
}

TEST(lmdb_store, refuses_a_replacement_that_does_not_fit_and_keeps_the_old_copy) {
  database db{{.map_bytes = mebibyte, .map_limit_bytes = 4 * mebibyte}};
  ASSERT_TRUE(db->commit(change(1, {{1, 1, of("old")}})));
  const store_content before = db.content();
  result<void> last;
  bool begins = true;
  for (std::uint64_t i = 0; i < 100 && last; ++i) {
    last = db->commit(
        replacement(commit::kind::replacement_rows, std::exchange(begins, false), {{1, i, filled(100'000, i)}}));
  }
  ASSERT_FALSE(last);
  EXPECT_EQ(last.error().code, errc::storage_full);
  EXPECT_EQ(db.content(), before);
  EXPECT_EQ(outcome(db->commit(change(2, {{1, 2, of("goes on")}}))), "done");
  ASSERT_TRUE(db->commit(replacement(commit::kind::replacement_swap, true, {{1, 9, of("a smaller copy")}})));
  EXPECT_EQ(db.content().rows.size(), 1U);
}

TEST(lmdb_store, warns_before_it_refuses_however_small_its_map_and_however_fast_it_fills) {
  for (const std::uint64_t limit : {mebibyte, 3 * mebibyte, 12 * mebibyte}) {
    std::vector<event> reported;
    database db{{.map_bytes = mebibyte / 2, .map_limit_bytes = limit, .report = [&](const event& what) {
                   if (what.fields.at(1).value == "map") reported.push_back(what);
                 }}};
    std::uint64_t number = 0;
    result<void> done;
    while (done) {
      ++number;
      done = db->commit(change(number, {{1, number, filled(3000, number)}}));
    }
    EXPECT_EQ(done.error().code, errc::storage_full);
    EXPECT_FALSE(reported.empty()) << "with a bound of " << limit << " bytes";
  }
}

TEST(lmdb_store, warns_before_its_map_is_full_and_once_a_threshold) {
  std::vector<event> reported;
  storage_watch watch{"db", 80, [&](const event& what) { reported.push_back(what); }};
  storage_usage usage;
  usage.map_limit_bytes = 1000;
  usage.disk_free_bytes = 1'000'000;
  for (const std::uint64_t used : {100U, 790U, 800U, 850U, 899U, 900U, 949U, 950U, 999U, 1000U}) {
    usage.used_bytes = used;
    watch.look(usage);
  }
  ASSERT_EQ(reported.size(), 3U);
  EXPECT_EQ(reported[0].name, "storage_filling");
  EXPECT_EQ(reported[0].level, severity::warning);
  for (const std::uint64_t used : {880U, 700U, 810U}) {
    usage.used_bytes = used;
    watch.look(usage);
  }
  EXPECT_EQ(reported.size(), 4U) << "after a fall it is news again";
  usage.file_bytes = 19'000'000;
  watch.look(usage);
  ASSERT_EQ(reported.size(), 5U) << "of the disk, one event for the highest threshold passed";
}

/// Steps made by chance, and a model to compare with.
RC_GTEST_PROP(lmdb_store, holds_what_a_plain_map_would_hold, ()) {
  database db{{.map_bytes = mebibyte, .map_limit_bytes = 256 * mebibyte}};
  prng random{*rc::gen::arbitrary<std::uint64_t>()};
  const int steps = *rc::gen::inRange(1, 16);
  store_content expected;
  std::optional<store_content> building;
  std::uint64_t number = 0;
  const auto some_rows = [&] {
    std::vector<row_write> rows;
    for (std::uint64_t n = random.below(20); n > 0; --n) {
      const auto table = static_cast<std::uint8_t>(random.below(3));
      const std::uint64_t key = random.chance(1, 2) ? number * 8 + n : random.below(100);
      const std::size_t size = random.chance(1, 20) ? random.below(100'000) : random.below(300);
      rows.push_back({table, key, random.chance(1, 3) ? std::nullopt : std::optional{filled(size, number + n)}});
    }
    return rows;
  };
  for (int i = 0; i < steps; ++i) {
    const std::uint64_t choice = random.below(10);
    if (choice < 6) {
      commit step;
      step.rows = some_rows();
      for (std::uint64_t n = random.below(4); n > 0; --n) {
        step.log_append.push_back({serial{++number}, shared_bytes{filled(random.below(500), number)}});
      }
      step.log_trim_below = serial{random.below(number + 2)};
      step.meta = filled(random.below(5000), number);
      expected.change(step);
      RC_ASSERT(outcome(db->commit(std::move(step))) == "done");
    } else if (choice < 9) {
      const bool begins = !building || random.chance(1, 5);
      const bool swaps = random.chance(1, 3);
      auto step =
          replacement(swaps ? commit::kind::replacement_swap : commit::kind::replacement_rows, begins, some_rows());
      if (begins) {
        building.emplace();
      }
      building->write(step.rows);
      if (swaps) {
        for (std::uint64_t n = random.below(4); n > 0; --n) {
          step.log_append.push_back({serial{++number}, shared_bytes{filled(random.below(500), number)}});
        }
        building->append_log(step.log_append);
        building->meta = step.meta;
        expected = *std::exchange(building, std::nullopt);
      }
      RC_ASSERT(outcome(db->commit(std::move(step))) == "done");
    } else {
      db.reopen();
      building.reset();
    }
    RC_ASSERT(db.content() == expected);
  }
}

}  // namespace
}  // namespace muster::os
