// muster-sim: runs the cores of the registry under a seeded faulty network, disk and clock. See docs/simulation.md.
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "sim/batch.hpp"
#include "sim/run.hpp"

namespace {

using muster::sim::sabotage;

struct arguments {
  std::uint64_t seed{0};
  std::uint64_t seeds{10'000};
  std::uint64_t first{1};
  unsigned jobs{std::max(1U, std::thread::hardware_concurrency())};
  std::size_t failures_max{1};
  bool nightly{false};
  bool is_long{false};
  bool quiet{false};
  std::string sabotage_name{"none"};
};

/// The command that replays one seed, for a person to paste.
std::string replay_command(std::uint64_t seed, const arguments& given) {
  return fmt::format("./dev sim --seed {}{}{}", seed, given.is_long ? " --long" : "",
                     given.sabotage_name == "none" ? "" : " --sabotage " + given.sabotage_name);
}

int run_one(const arguments& given, sabotage defect) {
  const auto out = muster::sim::run_seed(
      given.seed, {.defect = defect, .is_long = given.is_long, .trace = given.quiet ? nullptr : stdout});
  fmt::print("seed {}: {} events, {} changes answered, {} s of virtual time, trace {:016x}\n", out.seed, out.events,
             out.answered, std::chrono::duration_cast<std::chrono::seconds>(out.virtual_time).count(), out.trace_hash);
  if (!out.violation.empty()) {
    fmt::print(stderr, "FAILED seed {} {}\n", out.seed, out.violation);
    return 1;
  }
  return 0;
}

int run_many(const arguments& given, sabotage defect) {
  const auto out = muster::sim::run_batch({.first = given.first,
                                           .seeds = given.seeds,
                                           .jobs = given.jobs,
                                           .failures_max = given.failures_max,
                                           .shows_progress = !given.quiet,
                                           .run = {.defect = defect, .is_long = given.is_long}});
  fmt::print("{} seeds, {} events, {} changes answered, {:.0f} s of virtual time, slowest seed {} with {:.2f} s\n",
             out.seeds_run, out.events, out.answered, out.virtual_seconds, out.slowest, out.cpu_seconds_max);
  for (const auto& one : out.failures) {
    fmt::print(stderr, "FAILED seed {} {}\n  replay it: {}\n", one.seed, one.what, replay_command(one.seed, given));
  }
  return out.failures.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  arguments given;
  CLI::App app{
      "Runs the cores of the registry under a simulated network, disk and clock that fail, and checks that no\n"
      "acknowledged change is lost and that all replicas agree once the faults stop."};
  app.name("muster-sim");
  auto* one = app.add_option("--seed", given.seed, "Run this seed alone and show its trace");
  app.add_option("--seeds", given.seeds, "How many seeds to run")->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--first", given.first, "The first of them")->capture_default_str();
  app.add_option("--jobs", given.jobs, "Processes at once")->capture_default_str()->check(CLI::Range(1U, 256U));
  app.add_option("--failures", given.failures_max, "Stop after so many failures")
      ->capture_default_str()
      ->check(CLI::Range(1, 256));
  auto* nightly = app.add_flag("--nightly", given.nightly, "A run for a night: 200,000 seeds, each six times as long");
  nightly->excludes(one);
  app.add_flag("--long", given.is_long, "Six times the time for troubles in each seed");
  app.add_flag("--quiet", given.quiet, "No trace and no progress");
  app.add_option("--sabotage", given.sabotage_name, "Put this defect in, to see it found (docs/simulation.md)");
  CLI11_PARSE(app, argc, argv);

  sabotage defect = sabotage::none;
  bool known = false;
  for (std::size_t i = 0; i < muster::sim::sabotages; ++i) {
    if (to_string(static_cast<sabotage>(i)) == given.sabotage_name) {
      defect = static_cast<sabotage>(i);
      known = true;
    }
  }
  if (!known) {
    fmt::print(stderr, "--sabotage takes one of");
    for (std::size_t i = 0; i < muster::sim::sabotages; ++i) {
      fmt::print(stderr, " {}", to_string(static_cast<sabotage>(i)));
    }
    fmt::print(stderr, ", not \"{}\"\n", given.sabotage_name);
    return 1;
  }
  if (given.nightly) {
    given.is_long = true;
    if (app.get_option("--seeds")->count() == 0) given.seeds = 200'000;
  }
  return one->count() != 0 ? run_one(given, defect) : run_many(given, defect);
}
