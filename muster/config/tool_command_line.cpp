#include "muster/config/tool_command_line.hpp"

#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>

#include "muster/config/endpoint_text.hpp"
#include "muster/config/property_argument.hpp"
#include "muster/config/registry_command_line.hpp"

namespace muster::config {
namespace {

constexpr const char* overview = R"(muster: a service registry for C++ and Ice systems.
Usage: muster VERB [ARGUMENTS]

  registry        run one replica: a master, or a slave that follows it
  receptionist    run one node of a cluster of receptionists, driven by commands
  db backup       copy a database while its replica runs
  db restore      make a database of a copy
  db stat         show position, history and sizes of a database
  db check        read a whole database and say whether it is sound
  db diverged     show, and apply again, what a failed master had taken and never shipped
  ping            ask whether a replica answers

  -h, --help      show this text; muster VERB --help explains a verb, with examples
  -v, --version   show the version

Things to begin with:
  muster registry --help                     a master and a slave in two commands
  muster registry --list-properties          every property, with its default
  muster ping --locator 'IceGrid/Locator:tcp -h localhost -p 4061'
  muster receptionist --help                 a cluster of two nodes in two terminals

Called through a link named icegridregistry, muster behaves as that program.

EXIT STATUS
  0 done; 1 refused or failed (one line on standard error says why); 2 wrong usage. registry and
  receptionist end with 1 on wrong usage, too: it is one more configuration that is refused.
)";

// Where a verb has nothing more to say.
constexpr const char* exit_status = R"(
EXIT STATUS
  0 done; 1 it could not be done (one line on standard error says why); 2 wrong usage.
)";

bool asks_for_help(const std::string& argument) { return argument == "-h" || argument == "--help"; }

/// One verb: its parser and where its values go. CLI11's own texts are used for help, ours for what goes wrong.
class verb {
 public:
  verb(std::string name, const char* description) : app_{description, "muster " + name}, name_{std::move(name)} {
    app_.set_help_flag("-h,--help", "Show this text.");
  }

  verb& takes(const char* name, std::string& value, const char* meaning) {
    app_.add_option(name, value, meaning)->type_name("")->required();
    return *this;
  }

  [[nodiscard]] CLI::App& app() { return app_; }

  /// `end`, when everything fits; a text, when help is asked for.
  [[nodiscard]] result<command> parse(std::span<const std::string> arguments, command (*end)(const verb&),
                                      const char* examples, const char* ends_with = exit_status) {
    if (std::any_of(arguments.begin(), arguments.end(), asks_for_help))
      return command{show_text{app_.help() + examples + ends_with}};
    std::vector<std::string> reversed{arguments.rbegin(), arguments.rend()};
    try {
      app_.parse(reversed);
    } catch (const CLI::ParseError& cause) {
      return fail(errc::invalid_argument, "muster {}: {}; muster {} --help explains it", name_, cause.what(), name_);
    }
    return end(*this);
  }

  std::string first;
  std::string second;
  bool flag{};
  double seconds{};

 private:
  CLI::App app_;
  std::string name_;
};

/// Properties among the arguments, and the others.
std::pair<std::vector<std::pair<std::string, std::string>>, std::vector<std::string>> properties_apart(
    std::span<const std::string> arguments) {
  std::pair<std::vector<std::pair<std::string, std::string>>, std::vector<std::string>> out;
  for (const std::string& argument : arguments) {
    if (auto property = as_property(argument)) {
      out.first.push_back(std::move(*property));
    } else {
      out.second.push_back(argument);
    }
  }
  return out;
}

result<command> parse_backup(std::span<const std::string> arguments) {
  verb backup{
      "db backup",
      "Copies a database into a new or an empty folder. The replica that owns it may go on running: the copy is one "
      "consistent state, and nothing waits for it."};
  backup.takes("DATABASE", backup.first, "Directory of the database (IceGrid.Registry.LMDB.Path).")
      .takes("FOLDER", backup.second, "Where the copy goes; a new or an empty directory.");
  return backup.parse(
      arguments,
      [](const verb& of) {
        return command{backup_database{of.first, of.second}};
      },
      R"(
EXAMPLE
  muster db backup /var/lib/muster/master/db /backup/master-2026-01-31
)");
}

result<command> parse_restore(std::span<const std::string> arguments) {
  verb restore{
      "db restore",
      "Makes a database of a copy that db backup made. A replica started with it goes on from there: as a slave "
      "it catches up; as a master it is refused while another replica has more acknowledged history."};
  restore.takes("FOLDER", restore.first, "The copy.")
      .takes("DATABASE", restore.second, "Directory of the new database; a new or an empty one.");
  return restore.parse(
      arguments,
      [](const verb& of) {
        return command{restore_database{of.first, of.second}};
      },
      R"(
EXAMPLE
  muster db restore /backup/master-2026-01-31 /var/lib/muster/master/db
)");
}

result<command> parse_stat(std::span<const std::string> arguments) {
  verb stat{
      "db stat",
      "Shows what a database is: its id, role, position and history, how much it holds and how full its map is. The "
      "replica that owns it may go on running."};
  stat.takes("DATABASE", stat.first, "Directory of the database.");
  return stat.parse(
      arguments, [](const verb& of) { return command{show_database{of.first}}; }, R"(
EXAMPLE
  muster db stat /var/lib/muster/master/db
)");
}

result<command> parse_check(std::span<const std::string> arguments) {
  verb check{"db check",
             "Reads every row of a database, as a start would, and says whether it is sound (exit status 0) or what is "
             "wrong with it (1). Changes nothing."};
  check.takes("DATABASE", check.first, "Directory of the database.");
  return check.parse(
      arguments, [](const verb& of) { return command{check_database{of.first}}; }, R"(
EXAMPLE
  muster db check /var/lib/muster/master/db
)");
}

result<command> parse_diverged(std::span<const std::string> arguments) {
  verb diverged{
      "db diverged",
      "Shows the changes that a failed master had taken and no other replica had acknowledged. When it came back "
      "as a slave it saved them in a file beside its database, which its log names, and dropped them."};
  auto [properties, rest] = properties_apart(arguments);
  diverged.takes("FILE", diverged.first, "The file.");
  diverged.app().add_flag(
      "--apply", diverged.flag,
      "Apply the changes again, one by one, through the master; what it refuses is shown and passed "
      "over.");
  auto parsed = diverged.parse(
      rest,
      [](const verb& of) {
        return command{show_diverged_tail{of.first, of.flag, {}}};
      },
      R"(
EXAMPLES
  muster db diverged /var/lib/muster/old-master/db/diverged-old-master-42-45-term1-5b96a053.tail
  muster db diverged --apply FILE --Ice.Default.Locator='IceGrid/Locator:tcp -h host -p 4061' \
      --IceGridAdmin.Username=me --IceGridAdmin.Password=secret
)",
      R"(
EXIT STATUS
  0 done; 1 a change was refused (its line says why), or none could be tried (one line on standard
  error says why); 2 wrong usage.
)");
  if (parsed) {
    if (auto* shown = std::get_if<show_diverged_tail>(&*parsed)) shown->properties = std::move(properties);
  }
  return parsed;
}

result<void> check_pinged_locator(const std::string& locator) {
  constexpr std::string_view allowed = "allowed is <instance>/Locator:<endpoints>; muster ping --help explains it";
  const auto proxy = parse_proxy(locator);
  if (!proxy) {
    return fail(errc::invalid_argument, "muster ping: --locator '{}': {}; {}", locator, proxy.error().message, allowed);
  }
  if (proxy->endpoints.empty()) {
    return fail(errc::invalid_argument, "muster ping: --locator '{}': it has no endpoint; {}", locator, allowed);
  }
  return {};
}

result<command> parse_ping(std::span<const std::string> arguments) {
  verb ping{
      "ping",
      "Asks at each endpoint of a locator whether a replica answers locate requests there, and says which one. "
      "Properties of Ice are taken as any client takes them: --Ice.Config=FILE, and for ssl --IceSSL.CAs=FILE and "
      "its kin."};
  auto [properties, rest] = properties_apart(arguments);
  ping.seconds = 5;
  ping.app()
      .add_option("--locator", ping.first, "Proxy of the locator, with its endpoints.")
      ->type_name("PROXY")
      ->required();
  ping.app()
      .add_option("--timeout", ping.seconds, "Bound in seconds (default 5).")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.001, 3600.0).description(""));
  auto parsed = ping.parse(
      rest,
      [](const verb& of) {
        const auto timeout = std::chrono::duration<double>{of.seconds};
        return command{ping_replica{of.first, std::chrono::duration_cast<std::chrono::milliseconds>(timeout)}};
      },
      R"(
EXAMPLES
  muster ping --locator 'IceGrid/Locator:tcp -h localhost -p 4061' --timeout 2
  muster ping --locator 'IceGrid/Locator:ssl -h host -p 4061' --IceSSL.CAs=/etc/muster/ca.pem \
      --IceSSL.CertFile=/etc/muster/me.pem --IceSSL.KeyFile=/etc/muster/me.key
)",
      R"(
EXIT STATUS
  0 a replica answered at every endpoint; 1 none did at one or more of them (their lines say "no answer"), or
  the properties were refused; 2 wrong usage.
)");
  if (!parsed) return parsed;
  if (auto* asked = std::get_if<ping_replica>(&*parsed)) {
    if (auto fits = check_pinged_locator(asked->locator); !fits) return fail(std::move(fits).error());
    asked->properties = std::move(properties);
  }
  return parsed;
}

constexpr const char* db_overview = R"(Usage: muster db VERB [ARGUMENTS]

  backup DATABASE FOLDER     copy a database while its replica runs
  restore FOLDER DATABASE    make a database of a copy
  stat DATABASE              show position, history and sizes
  check DATABASE             read it all and say whether it is sound
  diverged [--apply] FILE    show, and apply again, what a failed master had taken and never shipped

muster db VERB --help explains a verb, with an example. Exit status: 0 done, 1 it could not be done (one
line on standard error says why), 2 wrong usage.
)";

result<command> parse_db(std::span<const std::string> arguments) {
  if (arguments.empty() || asks_for_help(arguments.front())) return command{show_text{db_overview}};
  const std::string& what = arguments.front();
  const auto rest = arguments.subspan(1);
  if (what == "backup") return parse_backup(rest);
  if (what == "restore") return parse_restore(rest);
  if (what == "stat") return parse_stat(rest);
  if (what == "check") return parse_check(rest);
  if (what == "diverged") return parse_diverged(rest);
  return fail(errc::invalid_argument,
              "muster db {}: no such verb; allowed are backup, restore, stat, check and diverged", what);
}

}  // namespace

result<command> parse_command_line(std::span<const std::string> arguments) {
  if (arguments.empty() || asks_for_help(arguments.front())) return command{show_text{overview}};
  const std::string& what = arguments.front();
  const auto rest = arguments.subspan(1);
  if (what == "-v" || what == "--version") return command{show_version{}};
  if (what == "registry") return command{run_registry{{rest.begin(), rest.end()}}};
  if (what == "receptionist") return command{run_receptionist{{rest.begin(), rest.end()}}};
  if (what == "db") return parse_db(rest);
  if (what == "ping") return parse_ping(rest);
  return fail(errc::invalid_argument,
              "muster {}: no such verb; allowed are registry, receptionist, db and ping; see muster --help", what);
}

}  // namespace muster::config
