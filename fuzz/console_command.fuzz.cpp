// Lines that are typed to a node on the command line.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "apps/receptionist/console_command.hpp"
#include "muster/base/invariant.hpp"

namespace {

using namespace muster::apps;

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char one : text) {
    const auto byte = static_cast<unsigned char>(one);
    if (byte < 0x20) {
      out += fmt::format("\\u{:04x}", byte);
    } else {
      if (one == '"' || one == '\\') out += '\\';
      out += one;
    }
  }
  return out + '"';
}

std::string followed(std::string_view command, const subscribe_key& what) {
  return fmt::format("{} {}{}", command, quoted(what.key), what.name ? " " + quoted(*what.name) : "");
}

/// The command as a line, with all its words in quotes.
struct writer {
  std::string operator()(const register_actor& what) const {
    return fmt::format("register {} {}{}", quoted(what.key), quoted(what.name), what.keeps ? " --keep" : "");
  }
  std::string operator()(const deregister_actor& what) const {
    return fmt::format("deregister {} {}", quoted(what.key), quoted(what.name));
  }
  std::string operator()(const stop_actor& what) const { return "stop " + quoted(what.name); }
  std::string operator()(const find_key& what) const { return "find " + quoted(what.key); }
  std::string operator()(const subscribe_key& what) const { return followed("subscribe", what); }
  std::string operator()(const unsubscribe_key& what) const { return followed("unsubscribe", {what.key, what.name}); }
  std::string operator()(const send_text& what) const {
    return fmt::format("send {} {}", quoted(what.key), quoted(what.text));
  }
  std::string operator()(const watch_key& what) const { return "watch " + quoted(what.key); }
  std::string operator()(const show_keys& what) const { return "keys " + quoted(what.prefix); }
  std::string operator()(const show_members&) const { return "members"; }
  std::string operator()(const show_stats&) const { return "stats"; }
  std::string operator()(const leave_cluster&) const { return "leave"; }
  std::string operator()(const quit_console&) const { return "quit"; }
  std::string operator()(const show_commands&) const { return "help"; }
};

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto command = parse_console_command({reinterpret_cast<const char*>(data), size});
  if (!command) {
    MUSTER_INVARIANT(!command.error().message.empty(), "a refusal says what does not fit");
    return 0;
  }
  if (!*command) return 0;
  const std::string line = std::visit(writer{}, **command);
  const auto again = parse_console_command(line);
  MUSTER_INVARIANT(again && *again && std::visit(writer{}, **again) == line,
                   "what was read can be written and read again");
  return 0;
}
