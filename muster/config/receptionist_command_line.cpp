#include "muster/config/receptionist_command_line.hpp"

#include <CLI/CLI.hpp>

#include "muster/config/program_arguments.hpp"

namespace muster::config {
namespace {

constexpr std::string_view log_level = "Muster.Log.Level";

constexpr const char* description =
    "Runs one node of a cluster of receptionists that a person or a script drives: commands come on standard input, "
    "events and answers go to standard output.";

constexpr const char* footer = R"(
COMMANDS, one a line; words with blanks stand in double quotes
  register KEY NAME [--keep]  make the actor NAME known under KEY (and make NAME, if there is none);
                              with --keep the registration stays when the actor stops
  deregister KEY NAME         take it back; the actor lives on
  stop NAME                   stop the actor
  find KEY                    show who is registered, once
  subscribe KEY [NAME]        show it now and at each change; with NAME, that actor subscribes
  unsubscribe KEY [NAME]      no more
  send KEY TEXT               tell TEXT to all of the built-in type who are registered and can be reached
  watch KEY                   tell of the end of each who is registered now
  keys [PREFIX]               show the keys that somebody is registered under
  members                     show the cluster
  stats                       show counters
  leave                       leave the cluster, and stay for questions
  quit                        leave, and end; so does the end of the input
  help                        show this list

PROPERTIES
  Every property of the cluster (docs/configuration.md), of Ice and of IceSSL can be given as --Name=Value, in the
  file of --config, or in a file of Ice's own form named by --Ice.Config=FILE. The command line wins.

EXAMPLES
  A cluster of two on this machine, in two terminals:
    {program} --name A --listen "tcp -h 127.0.0.1 -p 4070"
    {program} --name B --seed "tcp -h 127.0.0.1 -p 4070"
  then, in A:
    register printer laser
  and in B:
    subscribe printer
    send printer "hello, whoever prints"

  The same for a script, which reads one JSON object a line (docs/guide-receptionist-command.md):
    {program} --name B --seed "tcp -h 127.0.0.1 -p 4070" --json

EXIT STATUS
  0 ended as asked; 1 the configuration was refused or the start failed (one line on standard error says why), or the
  node had to leave the cluster, or nobody reads its output any more.
)";

/// The options and where their values go.
struct parser {
  explicit parser(std::string_view program) : app{description, std::string{program}} {
    app.set_help_flag();
    app.add_flag("-h,--help", help, "Show this text.");
    app.add_flag("-v,--version", version, "Show the version.");
    app.add_option("--name", out.name, "Name of this node, unique in the cluster.")->type_name("NAME");
    app.add_option("--listen", out.listen,
                   "Where the other nodes arrive: Ice endpoints, such as 'tcp -h 127.0.0.1 -p 4070' or 'ssl -p 4070'. "
                   "Default: any free port, on this machine only.")
        ->type_name("ENDPOINTS");
    app.add_option("--seed", out.seeds,
                   "Where another node arrives; may be given several times. None: a cluster of one, which others join.")
        ->type_name("ENDPOINT")
        ->allow_extra_args(false);
    app.add_option("--config", file, "A configuration file (docs/configuration.md).")->type_name("FILE");
    app.add_flag("--json", out.writes_json, "Write one JSON object a line, for scripts.");
  }

  CLI::App app;
  receptionist_command_line out;
  std::optional<std::string> file;
  bool help{};
  bool version{};
};

}  // namespace

result<receptionist_command_line> parse_receptionist_command_line(std::string_view program,
                                                                  std::span<const std::string> arguments) {
  parser reading{program};
  auto properties = parse_arguments(
      reading.app, program, arguments,
      "not expected here; commands come on standard input, and a property is given as --Name=Value in one argument");
  if (!properties) return fail(std::move(properties).error());

  auto& out = reading.out;
  out.properties = *std::move(properties);
  using action = receptionist_command_line::action;
  out.what = reading.help ? action::show_help : reading.version ? action::show_version : action::run;
  out.file = std::move(reading.file);
  return std::move(out);
}

result<property_map> complete_receptionist_properties(property_map from_files, const receptionist_command_line& line) {
  property_map all = std::move(from_files);
  for (const auto& [name, value] : line.properties) all.insert_or_assign(name, value);
  if (!line.name.empty()) all.insert_or_assign("cluster.node-name", line.name);
  if (!line.listen.empty()) all.insert_or_assign("cluster.listen", line.listen);
  if (!line.seeds.empty()) {
    std::string list;
    for (const auto& seed : line.seeds) {
      if (seed.empty() || seed.find(',') != std::string::npos) {
        return fail(errc::invalid_argument,
                    "--seed '{}': one endpoint is allowed, without a comma; give --seed again for "
                    "another one",
                    seed);
      }
      list += (list.empty() ? "" : ", ") + seed;
    }
    all.insert_or_assign("cluster.seeds", std::move(list));
  }
  // A name that nobody reads is a slip of the pen. Those below each of these are checked by whoever reads them.
  for (const auto& [one, value] : all) {
    if (!one.starts_with("cluster.") && !one.starts_with("Ice") && one != log_level && !value.empty()) {
      return fail(errc::invalid_argument,
                  "{} is '{}'; allowed are only properties below cluster, Ice and IceSSL, and {}", one, value,
                  log_level);
    }
  }
  // On a terminal, what a node has to say stands between its events.
  all.try_emplace(std::string{log_level}, "warning");
  const auto name = all.find("cluster.node-name");
  if (name == all.end() || name->second.empty()) {
    return fail(errc::invalid_argument,
                "--name (cluster.node-name) is not set; a node needs a name that no other node of its cluster has");
  }
  return all;
}

std::string receptionist_help(std::string_view program) {
  parser described{program};
  return help_text(described.app, program, 24, footer);
}

}  // namespace muster::config
