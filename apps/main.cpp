#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "apps/verbs.hpp"

namespace {

constexpr std::string_view usage = R"(Muster: a replicated service registry for Ice programs.

Usage: muster VERB [options]        muster VERB --help explains one verb

  registry   runs one replica of the registry: the master, or a slave
  ping       asks a replica whether it answers
  db         looks after a replica's database: backup, restore, stat, check, diverged
  version    prints the version (also: muster --version)

A first registry, on this machine, with its database in ./db:

  muster registry --IceGrid.InstanceName=MyGrid \
      --IceGrid.Registry.LMDB.Path=db \
      --IceGrid.Registry.Client.Endpoints="tcp -h 127.0.0.1 -p 4061" \
      --IceGrid.Registry.Server.Endpoints="tcp -h 127.0.0.1" \
      --IceGrid.Registry.Internal.Endpoints="tcp -h 127.0.0.1" \
      --IceGrid.Registry.DynamicRegistration=1

  and in your programs:  Ice.Default.Locator=MyGrid/Locator:tcp -h 127.0.0.1 -p 4061

Called through a link named icegridregistry, this program is "muster registry".
)";

}  // namespace

int main(int argc, char** argv) {
  using namespace muster::apps;
  const auto called_as = std::filesystem::path{argc > 0 ? argv[0] : "muster"}.filename().string();
  arguments given{argv + (argc > 0 ? 1 : 0), argv + argc};
  if (called_as == "icegridregistry") return run_registry(called_as, given);

  const std::string verb = given.empty() ? "" : given.front();
  if (verb.empty() || verb == "--help" || verb == "-h" || verb == "help") {
    fmt::print(verb.empty() ? stderr : stdout, "{}", usage);
    return verb.empty() ? 2 : 0;
  }
  if (verb == "--version" || verb == "-v" || verb == "version") {
    fmt::print("muster {}\n", MUSTER_VERSION);
    return 0;
  }
  given.erase(given.begin());
  if (verb == "registry") return run_registry("muster registry", given);
  if (verb == "ping") return run_ping(given);
  if (verb == "db") return run_db(given);
  print_error("muster", fmt::format("'{}' is no verb; registry, ping, db and version are (see muster --help)", verb));
  return 2;
}
