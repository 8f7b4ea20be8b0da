#include "bench/command_line.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace muster::bench {

namespace {

std::filesystem::path own_path() { return std::filesystem::read_symlink("/proc/self/exe"); }

// Below the build folder where there is one: it is on a disk, which a folder for temporary files need not be.
std::filesystem::path default_directory() {
  return std::filesystem::is_directory("build/bench") ? std::filesystem::path{"build/bench"}
                                                      : std::filesystem::temp_directory_path();
}

std::string default_muster() {
  if (const char* given = std::getenv("MUSTER_BINARY"); given != nullptr && *given != '\0') return given;
  return (own_path().parent_path() / "muster").string();
}

std::string known_measurements() {
  std::string text;
  for (const auto& each : all_measurements()) text += fmt::format("{}{}", text.empty() ? "" : ", ", each.name);
  return text;
}

std::string is_known(const std::string& name) {
  const auto& all = all_measurements();
  const bool known = std::any_of(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
  return known ? "" : fmt::format("there is no measurement \"{}\"; there are {}", name, known_measurements());
}

void make_quick(command_line& line, bool pairs_given) {
  auto& run = line.run;
  if (!pairs_given) run.pairs = 2;
  run.warm_up = std::chrono::milliseconds{100};
  run.length = std::chrono::milliseconds{300};
  run.many = 10'000;
  run.very_many = 50'000;
  run.stall_max = std::chrono::seconds{10};
}

}  // namespace

std::optional<int> read_command_line(int argc, char** argv, command_line& into) {
  CLI::App app{"Measures muster beside the stock icegridregistry, interleaved, and prints a table of ratios.",
               "muster-bench"};
  std::vector<std::string> products;
  std::uint16_t constant_port = 0;
  into.run.where.own = own_path().string();
  into.run.where.muster = default_muster();
  into.directory = default_directory();

  app.add_option("--only", into.only, "Only these measurements (may be repeated); see --list")
      ->check(CLI::Validator{[](const std::string& name) { return is_known(name); }, "NAME"});
  app.add_flag("--list", into.lists, "List the measurements and end");
  app.add_flag("--large", into.large, "Also the measurement with 1,000,000 objects (some minutes)");
  app.add_flag("--quick", into.run.quick, "Short windows and small data: to see that everything works");
  auto* pairs = app.add_option("--pairs", into.run.pairs, "How often each pair is measured")
                    ->check(CLI::Range(1, 1000))
                    ->capture_default_str();
  app.add_option("--json", into.json, "Where to write all figures (default build/bench/TIME.json below ./)");
  app.add_option("--directory", into.directory,
                 "Where the databases lie: on a disk, for a commit to cost what it costs")
      ->check(CLI::ExistingDirectory)
      ->capture_default_str();
  app.add_option("--products", products, "Only stock, or only muster")
      ->check(CLI::IsMember({"stock", "muster"}))
      ->delimiter(',');
  app.add_option("--muster", into.run.where.muster, "The program muster (or the variable MUSTER_BINARY)")
      ->capture_default_str();
  app.add_option("--stock", into.run.where.stock, "The program icegridregistry")->capture_default_str();
  auto* constant = app.add_option("--constant-servant", constant_port)->group("");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& why) {
    const int code = app.exit(why);
    return code == 0 ? 0 : 2;
  }
  if (constant->count() > 0) into.constant_servant = constant_port;
  if (into.run.quick) make_quick(into, pairs->count() > 0);
  if (!products.empty()) {
    into.run.products.clear();
    for (const auto& name : products) {
      into.run.products.push_back(name == "stock" ? product::stock : product::muster);
    }
  }
  return std::nullopt;
}

}  // namespace muster::bench
