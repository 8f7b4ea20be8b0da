#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "bench/command_line.hpp"
#include "bench/constant_servant.hpp"
#include "bench/measurement.hpp"

namespace muster::bench {
namespace {

bool is_wanted(const measurement& each, const command_line& line) {
  const auto named = std::find(line.only.begin(), line.only.end(), each.name) != line.only.end();
  if (!line.only.empty()) return named;
  return !each.only_if_large || line.large;
}

std::filesystem::path default_json() {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const std::filesystem::path folder = std::filesystem::is_directory("build/bench") ? "build/bench" : ".";
  return folder / fmt::format("{:%Y%m%d-%H%M%S}.json", fmt::gmtime(now));
}

// Says what is missing before anything is measured.
bool programs_are_there(const run_settings& settings) {
  for (const auto which : settings.products) {
    const auto& program = which == product::stock ? settings.where.stock : settings.where.muster;
    if (program.find('/') == std::string::npos || std::filesystem::exists(program)) continue;
    fmt::print(stderr, "muster-bench: there is no program {}; build it, or name it with --{}\n", program,
               to_text(which));
    return false;
  }
  return true;
}

int measure(const command_line& line, const std::string& command) {
  if (!programs_are_there(line.run)) return 1;
  work_directory folder{line.directory};
  std::vector<row> rows;
  context with{line.run, folder, rows};
  bool failed = false;
  for (const auto& each : all_measurements()) {
    if (!is_wanted(each, line)) continue;
    say(fmt::format("== {}: {}", each.name, each.text));
    const auto began = clock::now();
    const auto rows_before = rows.size();
    try {
      each.run(with);
    } catch (const std::exception& why) {
      // The others are still worth measuring.
      fmt::print(stderr, "muster-bench: {} failed: {}\n", each.name, why.what());
      failed = true;
    }
    for (auto n = rows_before; n < rows.size(); ++n) say("  " + as_line(rows[n]));
    say(fmt::format("  {:.0f} s", std::chrono::duration<double>{clock::now() - began}.count()));
  }
  fmt::print("{}", as_table(rows));
  const auto path = line.json.empty() ? default_json() : line.json;
  std::ofstream file{path};
  file << as_json(rows, command, line.run.pairs);
  if (!file.flush()) {
    fmt::print(stderr, "muster-bench: cannot write {}\n", path.string());
    return 1;
  }
  say(fmt::format("All figures: {}", path.string()));
  return failed ? 1 : 0;
}

int run(int argc, char** argv) {
  command_line line;
  if (const auto code = read_command_line(argc, argv, line)) return *code;
  if (line.constant_servant) return serve_constant(*line.constant_servant);
  if (line.lists) {
    for (const auto& each : all_measurements()) {
      fmt::print("{:16}{}{}\n", each.name, each.text, each.only_if_large ? " (with --large)" : "");
    }
    return 0;
  }
  std::string command = "muster-bench";
  for (int n = 1; n < argc; ++n) command += fmt::format(" {}", argv[n]);
  return measure(line, command);
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
  try {
    return muster::bench::run(argc, argv);
  } catch (const std::exception& why) {
    fmt::print(stderr, "muster-bench: {}\n", why.what());
    return 1;
  }
}
