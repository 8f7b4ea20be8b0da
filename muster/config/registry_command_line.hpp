#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "muster/base/result.hpp"
#include "muster/config/registry_settings.hpp"

namespace muster::config {

/// How the process leaves its terminal; the options of icegridregistry.
struct daemon_request {
  bool wanted{};             ///< --daemon
  std::string pid_file;      ///< --pidfile; relative to where the command was given
  bool keeps_descriptors{};  ///< --noclose
  bool keeps_directory{};    ///< --nochdir
};

/// The command line of `muster registry` (and of `icegridregistry`), taken apart and not yet acted upon.
struct registry_command_line {
  enum class action { run, show_help, show_version, list_properties };

  action what{action::run};
  /// `--Name=Value` in the order given; `--Name` alone means 1, as in Ice. They win over configuration files, of which
  /// `Ice.Config` names some.
  std::vector<std::pair<std::string, std::string>> properties;
  start_options start;
  daemon_request daemon;
};

/// Reads the arguments after the program's (or verb's) name. `program` stands in messages. `invalid_argument`: one
/// sentence about the first argument that does not fit.
[[nodiscard]] result<registry_command_line> parse_registry_command_line(std::string_view program,
                                                                        std::span<const std::string> arguments);

/// What --help prints; ends with a line feed.
[[nodiscard]] std::string registry_help(std::string_view program);

}  // namespace muster::config
