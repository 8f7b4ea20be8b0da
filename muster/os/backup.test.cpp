#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "muster/os/data_directory.hpp"
#include "muster/os/database_tools.hpp"
#include "muster/os/lmdb_store.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/numbered_steps.hpp"
#include "tests/support/scratch_directory.hpp"
#include "tests/support/store_content.hpp"

namespace muster::os {
namespace {

using tests::child_process;
using tests::content_after;
using tests::content_reader;
using tests::scratch_directory;
using tests::store_content;

/// Makes a database that has taken so many steps, and closes it.
void make_database(const std::filesystem::path& directory, std::uint64_t steps) {
  auto taken = data_directory::take(directory);
  ASSERT_TRUE(taken) << taken.error().message;
  auto store = lmdb_store::open(*taken, {});
  ASSERT_TRUE(store) << store.error().message;
  for (std::uint64_t number = 1; number <= steps; ++number) {
    for (auto& step : tests::numbered_step(number)) {
      ASSERT_TRUE((*store)->commit(std::move(step)));
    }
  }
}

store_content content_of(const std::filesystem::path& directory) {
  auto taken = data_directory::take(directory);
  EXPECT_TRUE(taken) << taken.error().message;
  auto store = lmdb_store::open(*taken, {});
  EXPECT_TRUE(store) << store.error().message;
  content_reader reader;
  EXPECT_TRUE((*store)->load(reader));
  return reader.content();
}

template <typename T>
std::string sentence_of(const result<T>& outcome) {
  return outcome ? "it succeeded" : outcome.error().message;
}

TEST(backup, of_a_database_being_written_is_its_state_at_one_instant) {
  const scratch_directory scratch;
  child_process writer{{STORE_WRITER, (scratch.path() / "live").string()}};
  ASSERT_EQ(writer.hear(), "ready");
  writer.say("steps 1000000");
  std::uint64_t last = 0;
  for (int i = 0; i < 5; ++i) {
    std::string acknowledged = writer.hear().value_or("gone");
    ASSERT_TRUE(acknowledged.starts_with("ack ")) << acknowledged;
    const std::uint64_t before = std::stoull(acknowledged.substr(4));
    const auto folder = scratch.path() / ("backup" + std::to_string(i));
    const auto copied = backup_database(scratch.path() / "live", folder);
    ASSERT_TRUE(copied) << copied.error().message;
    EXPECT_EQ(*copied, std::filesystem::file_size(folder / "data.mdb"));
    const store_content found = content_of(folder);
    const std::uint64_t number = tests::last_step_in(found);
    EXPECT_GE(number, before);
    EXPECT_GE(number, last);
    EXPECT_TRUE(found == content_after(number)) << "not the content after step " << number;
    last = number;
  }
  content_reader reader;
  const auto checked = check_database(scratch.path() / "live", reader);
  EXPECT_TRUE(checked) << sentence_of(checked);
}

TEST(backup, becomes_a_replicas_database_by_being_restored) {
  const scratch_directory scratch;
  make_database(scratch.path() / "db", 30);
  ASSERT_TRUE(backup_database(scratch.path() / "db", scratch.path() / "backup"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator{scratch.path() / "backup"}, {}), 1) << "only the data";
  const auto restored = restore_database(scratch.path() / "backup", scratch.path() / "again");
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_TRUE(content_of(scratch.path() / "again") == content_after(30));
}

TEST(backup, overwrites_nothing) {
  const scratch_directory scratch;
  make_database(scratch.path() / "db", 1);
  std::filesystem::create_directory(scratch.path() / "full");
  std::ofstream{scratch.path() / "full" / "letters"} << "dear";
  const std::string full = (scratch.path() / "full").string();
  EXPECT_EQ(sentence_of(backup_database(scratch.path() / "db", full)),
            "'" + full + "' is not empty: a backup goes into a new or an empty directory");
  EXPECT_EQ(sentence_of(restore_database(scratch.path() / "db", full)),
            "'" + full + "' is not empty: a restored database goes into a new or an empty directory");
  make_database(scratch.path() / "other", 2);
  const auto refused = restore_database(scratch.path() / "db", scratch.path() / "other");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, errc::already_exists);
  EXPECT_TRUE(content_of(scratch.path() / "other") == content_after(2));
}

TEST(backup, says_where_there_is_no_database) {
  const scratch_directory scratch;
  EXPECT_EQ(sentence_of(backup_database(scratch.path() / "none", scratch.path() / "to")),
            "there is no database in '" + (scratch.path() / "none").string() + "'");
  EXPECT_FALSE(std::filesystem::exists(scratch.path() / "to"));
}

TEST(restore, refuses_a_directory_that_a_replica_owns) {
  const scratch_directory scratch;
  make_database(scratch.path() / "db", 1);
  const auto owner = data_directory::take(scratch.path() / "owned");
  const auto refused = restore_database(scratch.path() / "db", scratch.path() / "owned");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, errc::locked);
}

TEST(measure, counts_records_pages_and_the_log) {
  const scratch_directory scratch;
  make_database(scratch.path(), 31);
  const auto report = measure_database(scratch.path());
  ASSERT_TRUE(report) << report.error().message;
  const store_content expected = content_after(31);
  std::uint64_t rows = 0;
  for (const auto& table : report->tables) {
    rows += table.name.starts_with("rows-") ? table.records : 0;
  }
  EXPECT_EQ(rows, expected.rows.size());
  EXPECT_EQ(report->log_first, expected.log.begin()->first);
  EXPECT_EQ(report->log_last, expected.log.rbegin()->first);
  EXPECT_EQ(report->state, expected.meta);
  EXPECT_EQ(report->pages_lost, 0U);
  EXPECT_GT(report->pages_used, 10U);
  EXPECT_GE(report->file_bytes, (report->pages_used + report->pages_free) * report->page_bytes);
}

TEST(check, hands_every_record_to_its_visitor_and_reports_what_that_finds) {
  class finds_fault final : public replication::load_visitor {
    result<void> meta(byte_view) override { return {}; }
    result<void> row(std::uint8_t table, std::uint64_t key, byte_view) override {
      return key == 31 ? fail(errc::corrupt, "row {} of table {} is odd", key, table) : result<void>{};
    }
    result<void> log(replication::serial, byte_view) override { return {}; }
  };
  const scratch_directory scratch;
  make_database(scratch.path(), 31);
  finds_fault visitor;
  EXPECT_EQ(sentence_of(check_database(scratch.path(), visitor)), "row 31 of table 1 is odd");
}

TEST(check, finds_a_hole_in_the_log) {
  const scratch_directory scratch;
  {
    auto taken = data_directory::take(scratch.path());
    auto store = lmdb_store::open(*taken, {});
    replication::commit step;
    for (const std::uint64_t number : {3U, 4U, 6U}) {
      step.log_append.push_back({replication::serial{number}, replication::shared_bytes{bytes{1}}});
    }
    ASSERT_TRUE((*store)->commit(std::move(step)));
  }
  content_reader reader;
  EXPECT_EQ(sentence_of(check_database(scratch.path(), reader)),
            "the log goes from change 4 to 6: what is between is missing");
}

TEST(check, reports_any_damaged_page_and_does_not_die_of_it) {
  const scratch_directory scratch;
  make_database(scratch.path() / "db", 17);
  const auto report = measure_database(scratch.path() / "db");
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_TRUE(backup_database(scratch.path() / "db", scratch.path() / "copy"));
  const auto file = scratch.path() / "copy" / "data.mdb";
  const std::uint64_t pages = std::filesystem::file_size(file) / report->page_bytes;
  std::vector<char> page(report->page_bytes);
  std::uint64_t reported = 0;
  for (std::uint64_t number = 2; number < pages; ++number) {
    const auto at = static_cast<std::streamoff>(number * page.size());
    std::fstream data{file, std::ios::in | std::ios::out | std::ios::binary};
    data.seekg(at);
    data.read(page.data(), static_cast<std::streamsize>(page.size()));
    const std::string rubbish(page.size(), '\x5a');
    data.seekp(at).write(rubbish.data(), static_cast<std::streamsize>(rubbish.size())).flush();
    content_reader reader;
    reported += check_database(scratch.path() / "copy", reader) ? 0U : 1U;
    data.seekp(at).write(page.data(), static_cast<std::streamsize>(page.size())).flush();
  }
  // What lies in the middle of a long value is no structure: only its reader can tell.
  EXPECT_GE(reported, 5U) << "of " << pages;
  content_reader reader;
  EXPECT_TRUE(check_database(scratch.path() / "copy", reader));
}

}  // namespace
}  // namespace muster::os
