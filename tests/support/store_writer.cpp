// A program that writes to a store as it is told on standard input, and says on standard output what has become
// durable. Tests kill it, cut its power and fill its disk.
//
//   store_writer DIRECTORY [MAP_LIMIT_MIB]
//
//   steps N   the next N numbered steps         -> "ack NUMBER" each
//   fill B    rows of B bytes until refused     -> "full ROWS CODE SENTENCE"
//   erase N   N of those rows, one by one       -> "erased N"
//   add N B   N more rows of B bytes            -> "added N"
//
// A refused command ends with "refused CODE SENTENCE". At the end of the input the program ends.

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "muster/os/data_directory.hpp"
#include "muster/os/lmdb_store.hpp"
#include "muster/os/signals.hpp"
#include "tests/support/numbered_steps.hpp"
#include "tests/support/store_content.hpp"

namespace {

using namespace muster;  // NOLINT(google-build-using-namespace): a program of its own

/// Rows of the fill command: their own table, so that numbered steps do not meet them.
constexpr std::uint8_t fill_table = 9;

void say(const std::string& line) {
  std::fputs((line + "\n").c_str(), stdout);
  std::fflush(stdout);
}

std::string refusal(const error& cause) { return fmt::format("{} {}", to_string(cause.code), cause.message); }

class writer {
 public:
  writer(os::lmdb_store& to, const tests::store_content& content)
      : store_{to}, meta_{content.meta}, last_{tests::last_step_in(content)} {
    for (const auto& [place, value] : content.rows) {
      if (place.first == fill_table) {
        filled_.push_back(place.second);
      }
    }
  }

  result<std::string> perform(const std::string& command, std::uint64_t first, std::uint64_t second) {
    if (command == "steps") {
      return steps(first);
    }
    if (command == "fill") {
      auto done = add(first);
      while (done) {
        done = add(first);
      }
      return fmt::format("full {} {}", filled_.size(), refusal(done.error()));
    }
    if (command == "erase") {
      return erase(first);
    }
    if (command == "add") {
      for (std::uint64_t i = 0; i < first; ++i) {
        if (auto done = add(second); !done) {
          return fail(std::move(done).error());
        }
      }
      return fmt::format("added {}", first);
    }
    return fail(errc::invalid_argument, "no such command: '{}'", command);
  }

 private:
  result<std::string> steps(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      for (auto& step : tests::numbered_step(last_ + 1)) {
        meta_ = step.meta;
        if (auto done = store_.commit(std::move(step)); !done) {
          return fail(std::move(done).error());
        }
      }
      say(fmt::format("ack {}", ++last_));
    }
    return fmt::format("done {}", count);
  }

  result<void> add(std::uint64_t size) {
    const std::uint64_t key = filled_.empty() ? 1 : filled_.back() + 1;
    replication::commit step;
    step.rows = {{fill_table, key, bytes(size, static_cast<std::uint8_t>(key))}};
    step.meta = meta_;
    auto done = store_.commit(std::move(step));
    if (done) {
      filled_.push_back(key);
    }
    return done;
  }

  result<std::string> erase(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count && !filled_.empty(); ++i) {
      replication::commit step;
      step.rows = {{fill_table, filled_.back(), std::nullopt}};
      step.meta = meta_;
      if (auto done = store_.commit(std::move(step)); !done) {
        return fail(std::move(done).error());
      }
      filled_.pop_back();
    }
    return fmt::format("erased {}", count);
  }

  os::lmdb_store& store_;
  bytes meta_;
  std::uint64_t last_;
  std::vector<std::uint64_t> filled_;
};

int run(const std::string& directory, std::uint64_t limit_mib) {
  auto taken = os::data_directory::take(directory);
  if (!taken) {
    say("refused " + refusal(taken.error()));
    return 1;
  }
  auto store =
      os::lmdb_store::open(*taken, {.map_bytes = std::uint64_t{1} << 20U, .map_limit_bytes = limit_mib << 20U});
  if (!store) {
    say("refused " + refusal(store.error()));
    return 1;
  }
  tests::content_reader reader;
  if (const auto loaded = (*store)->load(reader); !loaded) {
    say("refused " + refusal(loaded.error()));
    return 1;
  }
  say("ready");
  writer commands{**store, reader.content()};
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words{line};
    std::string command;
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    words >> command >> first >> second;
    const auto answer = commands.perform(command, first, second);
    say(answer ? *answer : "refused " + refusal(answer.error()));
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fputs("usage: store_writer DIRECTORY [MAP_LIMIT_MIB]\n", stderr);
    return 2;
  }
  muster::os::let_writes_fail();
  return run(arguments[1], count > 2 ? std::stoull(arguments[2]) : 256);
}
