#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "muster/base/result.hpp"

namespace muster::config {

/// Print `text` on standard output and end with status 0.
struct show_text {
  std::string text;
};
/// Print the version.
struct show_version {};
/// `muster registry …`: what follows is for parse_registry_command_line.
struct run_registry {
  std::vector<std::string> arguments;
};
/// `muster receptionist …`: what follows is for parse_receptionist_command_line.
struct run_receptionist {
  std::vector<std::string> arguments;
};
struct backup_database {
  std::string database;
  std::string folder;
};
struct restore_database {
  std::string folder;
  std::string database;
};
struct show_database {
  std::string database;
};
struct check_database {
  std::string database;
};
struct show_diverged_tail {
  std::string file;
  bool applies{};  ///< --apply: hand the changes to the master that the properties name
  std::vector<std::pair<std::string, std::string>> properties;
};
struct ping_replica {
  std::string locator;  ///< a proxy with endpoints
  std::chrono::milliseconds timeout{};
  std::vector<std::pair<std::string, std::string>> properties{};  ///< of Ice, for the connection
};

/// What `muster …` was asked to do.
using command = std::variant<show_text, show_version, run_registry, run_receptionist, backup_database, restore_database,
                             show_database, check_database, show_diverged_tail, ping_replica>;

/// Reads all arguments after the program's name. Without any, and with --help at any depth, that is a text to show.
/// `invalid_argument`: one sentence about what does not fit and where help is.
[[nodiscard]] result<command> parse_command_line(std::span<const std::string> arguments);

}  // namespace muster::config
