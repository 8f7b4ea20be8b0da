#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "muster/base/result.hpp"
#include "muster/config/property_map.hpp"

namespace muster::config {

/// The command line of `muster receptionist`, taken apart and not yet acted upon.
struct receptionist_command_line {
  enum class action { run, show_help, show_version };

  action what{action::run};
  std::string name;                 ///< --name
  std::string listen;               ///< --listen
  std::vector<std::string> seeds;   ///< --seed, in the order given
  std::optional<std::string> file;  ///< --config
  bool writes_json{};               ///< --json
  /// `--Name=Value` in the order given; `--Name` alone means 1, as in Ice.
  std::vector<std::pair<std::string, std::string>> properties;
};

/// Reads the arguments after the verb. `program` stands in messages. `invalid_argument`: one sentence about the first
/// argument that does not fit.
[[nodiscard]] result<receptionist_command_line> parse_receptionist_command_line(std::string_view program,
                                                                                std::span<const std::string> arguments);

/// Puts what the command line says over what files said: its properties first, then its options, under the names of
/// the properties that they stand for. The log begins at warnings unless told otherwise. `invalid_argument` when the
/// node has no name then, or a seed is not one endpoint, or a property is none of the cluster's, Ice's or the log's.
[[nodiscard]] result<property_map> complete_receptionist_properties(property_map from_files,
                                                                    const receptionist_command_line& line);

/// What --help prints; ends with a line feed.
[[nodiscard]] std::string receptionist_help(std::string_view program);

}  // namespace muster::config
