#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "muster/base/result.hpp"

namespace muster::apps {

// What a person or a script asks of a node on the command line: one command a line.

struct register_actor {
  std::string key;
  std::string name;
  bool keeps{false};  ///< the registration stays when the actor stops
};
struct deregister_actor {
  std::string key;
  std::string name;
};
struct stop_actor {
  std::string name;
};
struct find_key {
  std::string key;
};
struct subscribe_key {
  std::string key;
  std::optional<std::string> name;  ///< of the actor that subscribes; without it, the console does
};
struct unsubscribe_key {
  std::string key;
  std::optional<std::string> name;
};
struct send_text {
  std::string key;
  std::string text;
};
struct watch_key {
  std::string key;
};
struct show_keys {
  std::string prefix;
};
struct show_members {};
struct show_stats {};
struct leave_cluster {};
struct quit_console {};
struct show_commands {};

using console_command =
    std::variant<register_actor, deregister_actor, stop_actor, find_key, subscribe_key, unsubscribe_key, send_text,
                 watch_key, show_keys, show_members, show_stats, leave_cluster, quit_console, show_commands>;

/// Reads one line. Words are parted by blanks; one in double quotes may hold blanks, and the escapes of JSON. The text
/// of `send` is the rest of the line. Nothing for an empty line and for one that begins with #. `invalid_argument`: a
/// sentence that names what does not fit and how the command is written.
[[nodiscard]] result<std::optional<console_command>> parse_console_command(std::string_view line);

/// All commands and what they do, a line each.
[[nodiscard]] std::string_view console_commands_text() noexcept;

}  // namespace muster::apps
