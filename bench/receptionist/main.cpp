// ./dev bench receptionist: muster's receptionist beside Erlang's pg, in one run on one machine. This program starts
// all nodes, and is the node of muster itself (--peer); pg_peer.erl is that of the other side.
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "bench/campaign.hpp"
#include "bench/receptionist/measures.hpp"
#include "bench/receptionist/muster_peer.hpp"
#include "bench/receptionist/raw_peer.hpp"

namespace muster::bench {

const std::vector<receptionist_measurement>& all_receptionist_measurements() {
  static const std::vector<receptionist_measurement> all{
      {"one-change", "register -> listing at a remote subscriber, one change at a time", measure_one_change},
      {"many-changes", "100,000 registrations under different keys -> all visible at a remote node",
       measure_many_changes},
      {"reads", "lookup and find of a key with 100 remote members", measure_reads},
      {"throughput", "register and deregister on one node, acknowledged", measure_throughput},
      {"loss", "kill -9 of a node with 10 and 200,000 registrations", measure_loss},
      {"idle", "traffic of an idle node with 1,000 and 100,000 registrations", measure_idle_traffic},
      {"memory", "memory a registration, local and remote", measure_memory},
      {"messages", "tell and ping-pong within a process, beside a bare post to a strand", measure_messages},
      {"turns", "the longest turn while a node comes or goes with 200,000 registrations", measure_turns},
  };
  return all;
}

namespace {

struct arguments {
  std::vector<std::string> only;
  bool lists = false;
  bool quick = false;
  int pairs = 5;
  std::filesystem::path json;
  std::filesystem::path directory = std::filesystem::temp_directory_path();
  std::vector<std::string> products{"pg", "muster"};
  std::filesystem::path pg_source = MUSTER_BENCH_PG_SOURCE;
  muster_node_options peer;
  bool is_raw_peer = false;
};

std::optional<int> read(int argc, char** argv, arguments& into) {
  CLI::App app{"Measures muster's receptionist beside Erlang's pg, interleaved, and prints a table of ratios.",
               "bench-receptionist"};
  const auto is_known = [](const std::string& name) {
    std::string known;
    for (const auto& each : all_receptionist_measurements()) {
      if (each.name == name) return std::string{};
      known += fmt::format("{}{}", known.empty() ? "" : ", ", each.name);
    }
    return fmt::format("there is no measurement \"{}\"; there are {}", name, known);
  };
  app.add_option("--only", into.only, "Only these measurements (may be repeated); see --list")
      ->check(CLI::Validator{is_known, "NAME"});
  app.add_flag("--list", into.lists, "List the measurements and end");
  app.add_flag("--quick", into.quick, "A tenth of the data: to see that everything works");
  app.add_option("--pairs", into.pairs, "How often each pair is measured")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--json", into.json,
                 "Where to write all figures (default build/bench/receptionist-TIME.json below ./)");
  app.add_option("--directory", into.directory, "Where logs of the nodes lie while it runs")
      ->check(CLI::ExistingDirectory)
      ->capture_default_str();
  app.add_option("--products", into.products, "Only pg, or only muster")
      ->check(CLI::IsMember({"pg", "muster"}))
      ->delimiter(',');
  app.add_option("--pg-source", into.pg_source, "The program of Erlang's nodes")
      ->check(CLI::ExistingFile)
      ->capture_default_str();
  // How this program starts itself.
  app.add_option("--peer", into.peer.name)->group("");
  app.add_option("--listen", into.peer.listen)->group("");
  app.add_option("--seed", into.peer.seeds)->group("");
  app.add_flag("--raw-peer", into.is_raw_peer)->group("");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& why) {
    return app.exit(why) == 0 ? 0 : 2;
  }
  return std::nullopt;
}

int measure(const arguments& line, const std::string& command) {
  work_directory folder{line.directory};
  receptionist_context with{.pairs = line.pairs,
                            .quick = line.quick,
                            .own = std::filesystem::read_symlink("/proc/self/exe").string(),
                            .pg_source = line.pg_source,
                            .folder = folder};
  with.sides.clear();
  for (const auto& name : line.products) with.sides.push_back(name == "pg" ? side::pg : side::muster);
  campaign all{.program = "bench-receptionist",
               .command = command,
               .file_name = "receptionist-",
               .json = line.json,
               .pairs = line.pairs,
               .names = names_of_sides()};
  for (const auto& each : all_receptionist_measurements()) {
    const bool is_named = std::find(line.only.begin(), line.only.end(), each.name) != line.only.end();
    if (!line.only.empty() && !is_named) continue;
    all.tasks.push_back({each.name, each.text, [&with, &each] { each.run(with); }});
  }
  return measure(all, with.rows);
}

int run(int argc, char** argv) {
  arguments line;
  if (const auto code = read(argc, argv, line)) return *code;
  if (line.is_raw_peer) return serve_as_raw_peer();
  if (!line.peer.name.empty()) return serve_as_muster_peer(line.peer);
  if (line.lists) {
    for (const auto& each : all_receptionist_measurements()) fmt::print("{:16}{}\n", each.name, each.text);
    return 0;
  }
  ::signal(SIGPIPE, SIG_IGN);  // a node that has ended is an error to be told
  std::string command = "bench-receptionist";
  for (int n = 1; n < argc; ++n) command += fmt::format(" {}", argv[n]);
  return measure(line, command);
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
  try {
    return muster::bench::run(argc, argv);
  } catch (const std::exception& why) {
    fmt::print(stderr, "bench-receptionist: {}\n", why.what());
    return 1;
  }
}
