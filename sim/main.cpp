// muster-sim: runs the cores of both planes under a seeded faulty network, disk and clock. See docs/simulation.md.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "sim/batch.hpp"
#include "sim/peers/scale.hpp"
#include "sim/worlds.hpp"

namespace {

using muster::sim::world;

struct arguments {
  std::uint64_t seed{0};
  std::uint64_t seeds{10'000};
  std::uint64_t first{1};
  unsigned jobs{std::max(1U, std::thread::hardware_concurrency())};
  std::size_t failures_max{1};
  bool nightly{false};
  bool is_long{false};
  bool quiet{false};
  std::string world_name{"both"};
  std::string sabotage_name{"none"};
  std::vector<std::size_t> scales;
  std::string plot;
};

/// The command that replays one seed, for a person to paste.
std::string replay_command(std::uint64_t seed, const world& in, const arguments& given) {
  return fmt::format("./dev sim --world {} --seed {}{}{}", in.name, seed, given.is_long ? " --long" : "",
                     given.sabotage_name == "none" ? "" : " --sabotage " + given.sabotage_name);
}

bool run_one(const world& in, std::size_t defect, const arguments& given) {
  const auto out = in.run(given.seed, {defect, given.is_long, given.quiet ? nullptr : stdout});
  fmt::print("{} seed {}: {} events, {} {}, {} s of virtual time, trace {:016x}\n", in.name, out.seed, out.events,
             out.achieved, in.achieves, std::chrono::duration_cast<std::chrono::seconds>(out.virtual_time).count(),
             out.trace_hash);
  if (out.violation.empty()) return true;
  fmt::print(stderr, "FAILED {} seed {} {}\n", in.name, out.seed, out.violation);
  return false;
}

bool run_many(const world& in, std::size_t defect, const arguments& given) {
  const auto out = muster::sim::run_batch({.first = given.first,
                                           .seeds = given.seeds,
                                           .jobs = given.jobs,
                                           .failures_max = given.failures_max,
                                           .shows_progress = !given.quiet,
                                           .run = [&](std::uint64_t seed) {
                                             return in.run(seed, {defect, given.is_long, nullptr});
                                           }});
  fmt::print("{}: {} seeds, {} events, {} {}, {:.0f} s of virtual time, slowest seed {} with {:.2f} s\n", in.name,
             out.seeds_run, out.events, out.achieved, in.achieves, out.virtual_seconds, out.slowest,
             out.cpu_seconds_max);
  for (const auto& one : out.failures) {
    fmt::print(stderr, "FAILED {} seed {} {}\n  replay it: {}\n", in.name, one.seed, one.what,
               replay_command(one.seed, in, given));
  }
  return out.failures.empty();
}

/// Where the defect stands in the world's list; nothing if it has no such defect.
std::optional<std::size_t> find_defect(const world& in, const arguments& given) {
  const auto found = std::ranges::find(in.sabotages, std::string_view{given.sabotage_name});
  if (found == in.sabotages.end()) return std::nullopt;
  return static_cast<std::size_t>(found - in.sabotages.begin());
}

bool check_defect(const std::vector<const world*>& chosen, const arguments& given) {
  if (std::ranges::any_of(chosen, [&](const world* one) { return find_defect(*one, given).has_value(); })) return true;
  fmt::print(stderr, "--sabotage takes one of");
  for (const world* one : chosen) {
    for (const auto name : one->sabotages) fmt::print(stderr, " {}", name);
  }
  fmt::print(stderr, ", not \"{}\"\n", given.sabotage_name);
  return false;
}

/// Of this process so far.
std::string processor_time_and_memory() {
  rusage used{};
  if (::getrusage(RUSAGE_SELF, &used) != 0) return "unknown";
  const double kilobytes = static_cast<double>(used.ru_maxrss) * 1024 / 1000;
  return fmt::format("{} s of processor time, {:.0f} MB of memory at most", used.ru_utime.tv_sec + used.ru_stime.tv_sec,
                     kilobytes / 1000);
}

/// Big clusters, one after the other; their table on standard output.
bool run_scales(const arguments& given) {
  std::vector<muster::sim::peers::scale_report> all;
  bool is_whole = true;
  for (const std::size_t nodes : given.scales) {
    all.push_back(muster::sim::peers::run_scale({.nodes = nodes, .seed = given.first}));
    fmt::print("{}\nSo far: {}.\n\n", table_of(all.back()), processor_time_and_memory());
    std::fflush(stdout);
    for (const auto& phase : all.back().phases) is_whole = is_whole && phase.is_whole;
  }
  if (given.plot.empty()) return is_whole;
  std::ofstream out{given.plot};
  out << picture_of(all);
  if (!out.flush()) {
    fmt::print(stderr, "--plot: the file {} cannot be written\n", given.plot);
    return false;
  }
  return is_whole;
}

}  // namespace

int main(int argc, char** argv) {
  arguments given;
  CLI::App app{
      "Runs the cores under a simulated network, disk and clock that fail, and checks after every step that no "
      "promise\n"
      "is broken: of a registry's replicas, that no acknowledged change is lost; of a cluster's peers, that every\n"
      "listing is what was registered. Once the faults stop all must become equal."};
  app.name("muster-sim");
  auto* one = app.add_option("--seed", given.seed, "Run this seed alone and show its trace");
  app.add_option("--seeds", given.seeds, "How many seeds to run")->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--first", given.first, "The first of them")->capture_default_str();
  app.add_option("--jobs", given.jobs, "Processes at once")->capture_default_str()->check(CLI::Range(1U, 256U));
  app.add_option("--failures", given.failures_max, "Stop after so many failures")
      ->capture_default_str()
      ->check(CLI::Range(1, 256));
  app.add_option("--world", given.world_name, "replicas (of a registry), peers (of a cluster), or both")
      ->capture_default_str()
      ->check(CLI::IsMember({"replicas", "peers", "both"}));
  auto* nightly = app.add_flag("--nightly", given.nightly, "A run for a night: 200,000 seeds, each six times as long");
  nightly->excludes(one);
  app.add_flag("--long", given.is_long, "Six times the time for troubles in each seed");
  app.add_flag("--quiet", given.quiet, "No trace and no progress");
  app.add_option("--sabotage", given.sabotage_name, "Put this defect in, to see it found (docs/simulation.md)");
  auto* scale =
      app.add_option(
             "--scale", given.scales,
             "Instead of seeds: clusters of so many nodes, to see how fast news spread in them and what they cost")
          ->check(CLI::Range(20, 20'000))
          ->excludes(one);
  app.add_option("--plot", given.plot, "Write a picture of the scale run (SVG) to this file")->needs(scale);
  CLI11_PARSE(app, argc, argv);

  if (!given.scales.empty()) return run_scales(given) ? 0 : 1;
  std::vector<const world*> chosen;
  for (const world& in : muster::sim::worlds()) {
    if (given.world_name == "both" || given.world_name == in.name) chosen.push_back(&in);
  }
  if (!check_defect(chosen, given)) return 1;
  if (given.nightly) {
    given.is_long = true;
    if (app.get_option("--seeds")->count() == 0) given.seeds = 200'000;
  }
  bool passed = true;
  for (const world* in : chosen) {
    const auto defect = find_defect(*in, given);
    if (!defect) continue;
    passed = (one->count() != 0 ? run_one(*in, *defect, given) : run_many(*in, *defect, given)) && passed;
  }
  return passed ? 0 : 1;
}
