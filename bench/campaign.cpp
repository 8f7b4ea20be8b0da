#include "bench/campaign.hpp"

#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "bench/turns.hpp"

namespace muster::bench {
namespace {

std::filesystem::path default_json(const std::string& file_name) {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const std::filesystem::path folder = std::filesystem::is_directory("build/bench") ? "build/bench" : ".";
  return folder / fmt::format("{}{:%Y%m%d-%H%M%S}.json", file_name, fmt::gmtime(now));
}

}  // namespace

int measure(const campaign& what, const std::vector<row>& rows) {
  bool failed = false;
  for (const auto& each : what.tasks) {
    say(fmt::format("== {}: {}", each.name, each.text));
    const auto began = std::chrono::steady_clock::now();
    const auto rows_before = rows.size();
    try {
      each.run();
    } catch (const std::exception& why) {
      // The others are still worth measuring.
      fmt::print(stderr, "{}: {} failed: {}\n", what.program, each.name, why.what());
      failed = true;
    }
    for (auto n = rows_before; n < rows.size(); ++n) say("  " + as_line(rows[n], what.names));
    say(fmt::format("  {:.0f} s", std::chrono::duration<double>{std::chrono::steady_clock::now() - began}.count()));
  }
  fmt::print("{}", as_table(rows, what.names));
  const auto path = what.json.empty() ? default_json(what.file_name) : what.json;
  std::ofstream file{path};
  file << as_json(rows, what.command, what.pairs, what.names);
  if (!file.flush()) {
    fmt::print(stderr, "{}: cannot write {}\n", what.program, path.string());
    return 1;
  }
  say(fmt::format("All figures: {}", path.string()));
  return failed ? 1 : 0;
}

}  // namespace muster::bench
