#include "muster/config/registry_command_line.hpp"

#include <memory>
#include <optional>

#include <CLI/CLI.hpp>

#include "muster/config/program_arguments.hpp"

namespace muster::config {
namespace {

constexpr const char* description =
    "Runs one replica of the registry: it answers locate requests of Ice clients, takes registrations of Ice servers, "
    "and keeps both durable and replicated. The replica named Master (the default) is the master; any other name makes "
    "a slave, which follows the master that it finds through Ice.Default.Locator (or the plug-in IceLocatorDiscovery).";

constexpr const char* footer = R"(
PROPERTIES
  Every property of Ice, IceGrid.Registry and Muster.Registry can be given as --Name=Value
  or in a file named by --Ice.Config=FILE (the environment variable ICE_CONFIG likewise);
  the command line wins. --list-properties prints all that are known, with defaults.
  Required are the three endpoints and the database:
    IceGrid.Registry.Client.Endpoints     where clients and admin tools arrive
    IceGrid.Registry.Server.Endpoints     where servers register
    IceGrid.Registry.Internal.Endpoints   where other replicas arrive
    IceGrid.Registry.LMDB.Path            directory of the database

EXAMPLES
  A master on this machine only:
    {program} --IceGrid.Registry.Client.Endpoints='tcp -h localhost -p 4061' \
        --IceGrid.Registry.Server.Endpoints='tcp -h localhost' \
        --IceGrid.Registry.Internal.Endpoints='tcp -h localhost' \
        --IceGrid.Registry.LMDB.Path=master

  A slave of it (the same with another name, port and directory, and the way to the master):
    {program} --IceGrid.Registry.ReplicaName=Replica1 \
        --Ice.Default.Locator='IceGrid/Locator:tcp -h localhost -p 4061' \
        --IceGrid.Registry.Client.Endpoints='tcp -h localhost -p 4062' \
        --IceGrid.Registry.Server.Endpoints='tcp -h localhost' \
        --IceGrid.Registry.Internal.Endpoints='tcp -h localhost' \
        --IceGrid.Registry.LMDB.Path=replica1

  The master is gone for good: stop the slave and start it again without ReplicaName; keep
  Ice.Default.Locator, by which it sees whether another replica knows more. It goes on as master
  with all that was acknowledged.

  A client then needs one line, which names all replicas:
    Ice.Default.Locator=IceGrid/Locator:tcp -h localhost -p 4061:tcp -h localhost -p 4062

EXIT STATUS
  0 stopped as asked; 1 an option or the configuration was refused (one line on standard error says
  which, its value and what is allowed), or the start, its history or the storage failed.
)";

/// The options and where their values go.
struct parser {
  explicit parser(std::string_view program) : app{description, std::string{program}} {
    app.set_help_flag();
    app.add_flag("-h,--help", help, "Show this text.");
    app.add_flag("-v,--version", version, "Show the version.");
    app.add_flag("--list-properties", list, "Show the table of all known properties (as in docs/properties.md).");
    app.add_flag("--nowarn", no_warnings, "Do not warn of settings that let strangers in.");
    app.add_flag("--readonly", out.start.read_only,
                 "Start the master so that it takes no change: to look at what a promoted replica has. Slaves do "
                 "not synchronize with it before it is started without.");
    app.add_option("--initdb-from-replica", from_replica,
                   "Replace the database with a copy of that replica's (master or slave), then start. The replica is "
                   "found through Ice.Default.Locator.")
        ->type_name("NAME");
    app.add_flag("--force", out.start.force,
                 "Start this master although another replica is master of a higher term or has more acknowledged "
                 "history. What only the others have is then lost to them.");
    app.add_flag("--daemon", out.daemon.wanted,
                 "Run as a daemon. The command returns when the replica serves (0) or has failed to (1).");
    app.add_option("--pidfile", out.daemon.pid_file, "With --daemon: write the process id into FILE.")
        ->type_name("FILE");
    app.add_flag("--noclose", out.daemon.keeps_descriptors, "With --daemon: leave file descriptors open.");
    app.add_flag("--nochdir", out.daemon.keeps_directory,
                 "With --daemon: stay in the current directory; else it becomes / and relative paths lead from there.");
  }

  CLI::App app;
  registry_command_line out;
  bool help{};
  bool version{};
  bool list{};
  bool no_warnings{};
  std::optional<std::string> from_replica;
};

result<void> check_daemon(const daemon_request& daemon) {
  if (daemon.wanted) return {};
  const char* option = !daemon.pid_file.empty()   ? "--pidfile"
                       : daemon.keeps_descriptors ? "--noclose"
                       : daemon.keeps_directory   ? "--nochdir"
                                                  : nullptr;
  if (option == nullptr) return {};
  return fail(errc::invalid_argument, "{}: allowed only together with --daemon", option);
}

}  // namespace

result<registry_command_line> parse_registry_command_line(std::string_view program,
                                                          std::span<const std::string> arguments) {
  parser reading{program};
  auto properties = parse_arguments(reading.app, program, arguments,
                                    "not expected here; a property is given as --Name=Value in one argument");
  if (!properties) return fail(std::move(properties).error());

  registry_command_line& out = reading.out;
  out.properties = *std::move(properties);
  using action = registry_command_line::action;
  out.what = reading.help      ? action::show_help
             : reading.version ? action::show_version
             : reading.list    ? action::list_properties
                               : action::run;
  if (out.what != action::run) return out;
  if (auto fits = check_daemon(out.daemon); !fits) return fail(fits.error());
  out.start.warns_of_security = !reading.no_warnings;
  out.start.initialise_from_replica = reading.from_replica;
  out.start.leaves_directory = out.daemon.wanted && !out.daemon.keeps_directory;
  out.start.closes_descriptors = out.daemon.wanted && !out.daemon.keeps_descriptors;
  return out;
}

std::string registry_help(std::string_view program) {
  parser described{program};
  return help_text(described.app, program, 36, footer);
}

}  // namespace muster::config
