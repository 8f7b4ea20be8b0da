#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/campaign.hpp"
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
  campaign all{.program = "muster-bench", .command = command, .json = line.json, .pairs = line.run.pairs};
  for (const auto& each : all_measurements()) {
    if (is_wanted(each, line)) all.tasks.push_back({each.name, each.text, [&with, &each] { each.run(with); }});
  }
  return measure(all, rows);
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
