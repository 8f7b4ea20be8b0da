#include "bench/receptionist/sides.hpp"

#include <cstdlib>
#include <initializer_list>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "bench/turns.hpp"

namespace muster::bench {

namespace {

constexpr const char* cookie = "bench-receptionist";

std::string pg_name(std::string_view name) { return fmt::format("{}@127.0.0.1", name); }

std::filesystem::path compile(work_directory& folder, const std::filesystem::path& source) {
  auto into = folder.make("pg");
  const auto command =
      fmt::format("erlc -o '{}' '{}' >'{}' 2>&1", into.string(), source.string(), (into / "log").string());
  if (std::system(command.c_str()) != 0) {  // NOLINT(concurrency-mt-unsafe): there is one thread yet
    throw std::runtime_error{
        fmt::format("{} does not compile (see {}/log); is erlang-base installed?", source.string(), into.string())};
  }
  return into;
}

std::vector<std::string> muster_command(const std::string& own, std::string_view name, const std::string& listen,
                                        const std::vector<std::string>& seeds) {
  std::vector<std::string> command{own, "--peer", std::string{name}};
  if (!listen.empty()) command.insert(command.end(), {"--listen", listen});
  for (const auto& seed : seeds) command.insert(command.end(), {"--seed", seed});
  return command;
}

}  // namespace

std::string_view to_text(side which) noexcept { return which == side::pg ? "pg" : "muster"; }

side_names names_of_sides() { return {.stock = "pg", .constant = "limit"}; }

pg_ground::pg_ground(work_directory& folder, const std::filesystem::path& source)
    : compiled_{compile(folder, source)},
      port_{free_port()},
      mapper_{{"epmd", "-address", "127.0.0.1", "-port", std::to_string(port_)}, compiled_ / "epmd.log"} {}

std::vector<std::string> pg_ground::command(const std::string& name, const std::vector<std::string>& others) const {
  // The log of Erlang goes to standard output, where the answers are.
  std::vector<std::string> command{"env", fmt::format("ERL_EPMD_PORT={}", port_), "erl", "-noinput"};
  const auto add = [&](std::initializer_list<std::string> words) { command.insert(command.end(), words); };
  add({"-name", pg_name(name), "-setcookie", cookie, "-start_epmd", "false"});
  add({"-kernel", "inet_dist_use_interface", "{127,0,0,1}", "-kernel", "logger_level", "none"});
  add({"-pa", compiled_.string(), "-s", "pg_peer", "main", "-extra"});
  for (const auto& other : others) command.push_back(pg_name(other));
  return command;
}

fleet::fleet(receptionist_context& with, side which, std::size_t count) {
  const auto folder = with.folder.make(std::string{to_text(which)});
  std::vector<std::string> others;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    const auto log = folder / (name + ".log");
    if (which == side::pg) {
      if (!with.pg) with.pg.emplace(with.folder, with.pg_source);
      nodes_.emplace_back("pg " + name, with.pg->command(name, others), log);
      others.push_back(name);
    } else {
      const auto address = count > 1 ? fmt::format("tcp -h 127.0.0.1 -p {}", free_port()) : std::string{};
      nodes_.emplace_back("muster " + name, muster_command(with.own, name, address, others), log);
      others.push_back(address);
    }
    // A node of Erlang connects when it starts: those that it names are there by then.
    nodes_.back().ask(fmt::format("members {}", i + 1));
  }
  for (auto& node : nodes_) node.ask(fmt::format("members {}", count));
}

void measure_in_turns(receptionist_context& with, std::vector<row> rows,
                      const std::function<std::vector<double>(side)>& sample) {
  interleaved(with.pairs, with.sides.size(), [&](std::size_t n) {
    const auto which = with.sides[n];
    const auto samples = sample(which);
    for (std::size_t i = 0; i < rows.size(); ++i) column_of(rows[i], which).push_back(samples.at(i));
  });
  for (auto& each : rows) with.rows.push_back(std::move(each));
}

}  // namespace muster::bench
