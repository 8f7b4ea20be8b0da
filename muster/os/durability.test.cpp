#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "muster/base/prng.hpp"
#include "muster/os/data_directory.hpp"
#include "muster/os/lmdb_store.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/numbered_steps.hpp"
#include "tests/support/scratch_directory.hpp"
#include "tests/support/store_content.hpp"

namespace muster::os {
namespace {

using tests::child_process;
using tests::scratch_directory;
using tests::store_content;

/// The directory of a writer and the disk below it.
class bench {
 public:
  bench() : root_{std::filesystem::canonical(scratch_.path())} { std::filesystem::create_directory(data()); }

  [[nodiscard]] std::filesystem::path data() const { return root_ / "data"; }
  [[nodiscard]] std::filesystem::path survivors() const { return root_ / "survivors"; }
  [[nodiscard]] std::filesystem::path file(const std::string& name) const { return root_ / name; }

  [[nodiscard]] std::map<std::string, std::string> on_this_disk(std::map<std::string, std::string> more) const {
    more["LD_PRELOAD"] = POWER_CUT_SHIM;
    more["POWER_CUT_DIR"] = data().string();
    more["POWER_CUT_SHADOW"] = survivors().string();
    // The shim has to come before the sanitizer's own library.
    const char* const asan = std::getenv("ASAN_OPTIONS");
    more["ASAN_OPTIONS"] = std::string{asan == nullptr ? "" : asan} + ":verify_asan_link_order=0:detect_leaks=0";
    return more;
  }

  [[nodiscard]] std::vector<std::string> writer(int map_limit_mib = 256) const {
    return {STORE_WRITER, data().string(), std::to_string(map_limit_mib)};
  }

  void set_space(std::uint64_t bytes) const { std::ofstream{file("space")} << bytes; }

  void begin_again() const {
    for (const auto& path : {data(), survivors()}) {
      std::filesystem::remove_all(path);
    }
    std::filesystem::create_directory(data());
  }

 private:
  scratch_directory scratch_;
  std::filesystem::path root_;
};

/// What a store in the directory holds, and whether it goes on working.
result<store_content> content_of(const std::filesystem::path& directory) {
  auto taken = data_directory::take(directory);
  if (!taken) {
    return fail(std::move(taken).error());
  }
  auto store = lmdb_store::open(*taken, {});
  if (!store) {
    return fail(std::move(store).error());
  }
  tests::content_reader reader;
  if (auto loaded = (*store)->load(reader); !loaded) {
    return fail(std::move(loaded).error());
  }
  for (auto& step : tests::numbered_step(tests::last_step_in(reader.content()) + 1)) {
    if (auto done = (*store)->commit(std::move(step)); !done) {
      return fail(std::move(done).error());
    }
  }
  return reader.content();
}

/// The last step that the writer said to be durable.
std::uint64_t last_acknowledged(const std::vector<std::string>& lines) {
  std::uint64_t last = 0;
  for (const std::string& line : lines) {
    if (line.starts_with("ack ")) {
      last = std::stoull(line.substr(4));
    }
  }
  return last;
}

/// The content is that after the last acknowledged step, or after the one that was under way: nothing lost, nothing
/// torn. `then` becomes the step that looking at it left behind.
void expect_whole(const std::filesystem::path& directory, std::uint64_t acknowledged, const std::string& when,
                  std::uint64_t* then = nullptr) {
  const auto found = content_of(directory);
  ASSERT_TRUE(found) << when << ": " << found.error().message;
  const std::uint64_t last = tests::last_step_in(*found);
  ASSERT_GE(last, acknowledged) << when << ": an acknowledged step is lost";
  ASSERT_LE(last, acknowledged + 1) << when;
  ASSERT_TRUE(*found == tests::content_after(last)) << when << ": the content is not that after step " << last;
  if (then != nullptr) *then = last + 1;
}

constexpr int steps_until_cut = 19;

/// Cuts before each event of a writer's life, until it lives through without one.
void cut_everywhere(std::uint64_t seed_factor) {
  const bench place;
  std::uint64_t events = 0;
  while (true) {
    ++events;
    place.begin_again();
    child_process writer{place.writer(),
                         place.on_this_disk({{"POWER_CUT_AT", std::to_string(events)},
                                             {"POWER_CUT_SEED", std::to_string(events * seed_factor)}})};
    writer.say("steps " + std::to_string(steps_until_cut));
    writer.say_no_more();
    const std::uint64_t acknowledged = last_acknowledged(writer.hear_all());
    const int ended = writer.wait();
    expect_whole(place.survivors(), acknowledged, "cut before event " + std::to_string(events));
    if (testing::Test::HasFatalFailure()) {
      return;
    }
    if (WIFEXITED(ended)) {
      ASSERT_EQ(WEXITSTATUS(ended), 0);
      break;
    }
    ASSERT_EQ(WTERMSIG(ended), SIGKILL);
  }
  EXPECT_GT(events, 4U * steps_until_cut) << "a commit has several writes and syncs: were they all seen?";
}

TEST(a_power_cut_at_any_event, loses_no_acknowledged_step_when_only_synced_writes_survive) { cut_everywhere(0); }

TEST(a_power_cut_at_any_event, loses_no_acknowledged_step_when_some_unsynced_writes_survive_too) {
  cut_everywhere(0x51ed2701);
}

TEST(a_power_cut, of_a_disk_whose_syncs_do_nothing_loses_steps) {
  // If this passed as well, the tests above would pass whatever the store did.
  const bench place;
  {
    child_process writer{place.writer(), place.on_this_disk({})};
    writer.say("steps 3");
    writer.say_no_more();
    EXPECT_EQ(last_acknowledged(writer.hear_all()), 3U);
    EXPECT_EQ(writer.wait(), 0);
  }
  std::filesystem::copy(place.survivors(), place.file("honest"));
  EXPECT_EQ(tests::last_step_in(content_of(place.file("honest")).value()), 3U);
  {
    child_process writer{place.writer(), place.on_this_disk({{"POWER_CUT_LIES", "1"}})};
    writer.say("steps 3");
    writer.say_no_more();
    EXPECT_EQ(last_acknowledged(writer.hear_all()), 6U);
    EXPECT_EQ(writer.wait(), 0);
  }
  const auto found = content_of(place.survivors());
  EXPECT_FALSE(found && *found == tests::content_after(6)) << "the disk has not lost what was not synced";
}

TEST(a_kill_at_any_instant, loses_no_acknowledged_step) {
  const bench place;
  prng random{20};
  std::uint64_t last = 0;
  for (int round = 0; round < 25; ++round) {
    std::vector<std::string> lines;
    {
      child_process writer{place.writer()};
      writer.say("steps 1000000");
      // The kill falls wherever the writer is after some answers, most often in the next commit.
      for (std::uint64_t answers = random.below(20); answers > 0; --answers) {
        lines.push_back(writer.hear().value_or("gone"));
      }
      writer.signal(SIGKILL);
      for (std::string& line : writer.hear_all()) {
        lines.push_back(std::move(line));
      }
      EXPECT_EQ(WTERMSIG(writer.wait()), SIGKILL);
    }
    const std::uint64_t acknowledged = std::max(last, last_acknowledged(lines));
    expect_whole(place.data(), acknowledged, "kill number " + std::to_string(round), &last);
    if (HasFatalFailure()) {
      return;
    }
  }
  EXPECT_GT(last, 50U);
}

/// What a writer says when its disk is full.
constexpr const char* disk_full = "storage_full the disk with the database in";

void expect_steps(child_process& writer, int first, int last) {
  writer.say("steps " + std::to_string(last - first + 1));
  for (int i = first; i <= last; ++i) {
    ASSERT_EQ(writer.hear(), "ack " + std::to_string(i));
  }
  ASSERT_EQ(writer.hear(), "done " + std::to_string(last - first + 1));
}

enum class deletions { are_taken, may_be_refused };

/// Fills the disk, deletes on it, gives it space again; `environment` says what kind of disk it is.
void fill_the_disk(std::map<std::string, std::string> environment, deletions on_full_disk) {
  const bench place;
  place.set_space(6'000'000);
  environment["POWER_CUT_SPACE"] = place.file("space").string();
  child_process writer{place.writer(), place.on_this_disk(std::move(environment))};
  ASSERT_EQ(writer.hear(), "ready");
  expect_steps(writer, 1, 5);

  writer.say("fill 3000");
  const std::string full = writer.hear().value_or("gone");
  ASSERT_TRUE(full.starts_with("full ")) << full;
  EXPECT_NE(full.find(disk_full), std::string::npos) << full;
  EXPECT_GT(std::stoull(full.substr(5)), 500U) << "a good part of the disk was used";
  writer.say("add 1 3000");
  EXPECT_TRUE(writer.hear().value_or("gone").starts_with(std::string{"refused "} + disk_full)) << "full stays full";

  writer.say("erase 300");
  const std::string erased = writer.hear().value_or("gone");
  if (on_full_disk == deletions::are_taken || !erased.starts_with(std::string{"refused "} + disk_full)) {
    EXPECT_EQ(erased, "erased 300");
  }
  place.set_space(12'000'000);
  writer.say("add 600 3000");
  EXPECT_EQ(writer.hear(), "added 600");
  expect_steps(writer, 6, 10);
  writer.say_no_more();
  EXPECT_EQ(writer.wait(), 0);

  const auto found = content_of(place.data());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(tests::last_step_in(*found), 10U);
}

TEST(a_full_disk, refuses_growth_takes_deletions_and_goes_on_when_there_is_space) {
  fill_the_disk({}, deletions::are_taken);
}

TEST(a_full_disk, takes_deletions_where_the_file_system_cannot_reserve_space) {
  fill_the_disk({{"POWER_CUT_NO_FALLOCATE", "1"}}, deletions::are_taken);
}

TEST(a_full_disk, refuses_cleanly_where_reserved_space_is_not_there_when_it_is_needed) {
  fill_the_disk({{"POWER_CUT_SPARSE", "1"}}, deletions::may_be_refused);
}

TEST(a_failing_disk, ends_the_writing_for_good_and_leaves_a_whole_database) {
  const bench place;
  std::uint64_t events = 0;
  for (std::uint64_t event = 0; event <= events; ++event) {
    // Without a failure at first, to count.
    place.begin_again();
    child_process writer{place.writer(), place.on_this_disk({{"POWER_CUT_FAIL_AT", std::to_string(event)},
                                                             {"POWER_CUT_COUNT", place.file("count").string()}})};
    writer.say("steps 4");
    writer.say("steps 1");
    writer.say_no_more();
    const std::vector<std::string> lines = writer.hear_all();
    writer.wait();
    if (event == 0) {
      std::ifstream{place.file("count")} >> events;
      ASSERT_GT(events, 20U);
    }
    const std::string when = "failure of event " + std::to_string(event);
    ASSERT_TRUE(lines.back() == "done 1" || lines.back().starts_with("refused io_error"))
        << when << ": " << lines.back();
    const auto found = content_of(place.data());
    ASSERT_TRUE(found) << when << ": " << found.error().message;
    const std::uint64_t last = tests::last_step_in(*found);
    EXPECT_GE(last, last_acknowledged(lines)) << when;
    EXPECT_TRUE(*found == tests::content_after(last)) << when;
  }
}

}  // namespace
}  // namespace muster::os
