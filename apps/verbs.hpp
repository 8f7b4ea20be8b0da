#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "muster/config/tool_command_line.hpp"

namespace muster::apps {

// Each gives the process's exit code: 0, or 1 when it could not be done. (Wrong usage of a tool, 2, is found before.)

/// `program` is what the user typed, for messages: "muster registry" or "icegridregistry".
[[nodiscard]] int run_registry(std::string_view program, const std::vector<std::string>& given);
[[nodiscard]] int run(const config::run_receptionist& what);
[[nodiscard]] int run(const config::ping_replica& what);
[[nodiscard]] int run(const config::backup_database& what);
[[nodiscard]] int run(const config::restore_database& what);
[[nodiscard]] int run(const config::show_database& what);
[[nodiscard]] int run(const config::check_database& what);
[[nodiscard]] int run(const config::show_diverged_tail& what);

/// One line on standard error: `program: error: sentence`.
void print_error(std::string_view program, std::string_view sentence);

}  // namespace muster::apps
