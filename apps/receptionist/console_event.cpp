#include "apps/receptionist/console_event.hpp"

#include <array>
#include <chrono>

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "muster/base/utf8.hpp"

namespace muster::apps {
namespace {

namespace json = boost::json;

std::int64_t microseconds(duration of) { return std::chrono::duration_cast<std::chrono::microseconds>(of).count(); }

std::string_view view(const json::string& text) { return {text.data(), text.size()}; }

/// A text in a line of others: as it is, or in quotes where that could be misread.
std::string shown(std::string_view text) {
  const bool is_plain = !text.empty() && text.find_first_of(" \t\n\r\"\\=[](),") == std::string_view::npos &&
                        text.find_first_of(std::string_view{"\0\x1b\x7f", 3}) == std::string_view::npos;
  return is_plain ? std::string{text} : json::serialize(json::value(json::string_view{text.data(), text.size()}));
}

std::string shown(const json::value& value);

/// A ref is its node and path, and in a listing the type of its messages; a member its name, and what is unusual about
/// it.
std::string shown(const json::object& object) {
  if (const auto* path = object.if_contains("path")) {
    const auto* node = object.if_contains("node");
    std::string out = shown(
        fmt::format("{}{}", node != nullptr ? view(node->as_string()) : std::string_view{}, view(path->as_string())));
    const auto* type = object.if_contains("type");
    if (type != nullptr && !type->as_string().empty()) out += fmt::format("({})", shown(view(type->as_string())));
    return out;
  }
  if (const auto* status = object.if_contains("status")) {
    return fmt::format("{}({})", shown(object.at("node")), view(status->as_string()));
  }
  std::string out;
  for (const auto& [key, value] : object) {
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", std::string_view{key.data(), key.size()}, shown(value));
  }
  return "(" + out + ")";
}

std::string shown(const json::array& array) {
  std::string out;
  for (const auto& one : array) out += (out.empty() ? "" : " ") + shown(one);
  return "[" + out + "]";
}

std::string shown(const json::value& value) {
  if (value.is_string()) return shown(view(value.get_string()));
  if (value.is_object()) return shown(value.get_object());
  if (value.is_array()) return shown(value.get_array());
  return json::serialize(value);
}

std::string_view colour_of(const console_event& what) {
  constexpr std::string_view red = "\x1b[31m";
  constexpr std::string_view green = "\x1b[32m";
  constexpr std::string_view yellow = "\x1b[33m";
  constexpr std::string_view bold = "\x1b[1m";
  for (const std::string_view bad : {"error", "refused", "rejected", "lost", "left"}) {
    if (what.name == bad) return red;
  }
  if (what.name == "dead_letter" || what.name == "terminated") return yellow;
  if (what.name == "joined" || what.name == "received") return green;
  return bold;
}

}  // namespace

json::string to_json_text(std::string_view text) {
  json::string out;
  while (!text.empty()) {
    const std::size_t good = utf8_prefix(text);
    out.append(json::string_view{text.data(), good});
    text.remove_prefix(good);
    if (text.empty()) break;
    out.append(json::string_view{"\xef\xbf\xbd"});
    text.remove_prefix(1);
  }
  return out;
}

json::string to_json_digits(std::uint64_t number) { return json::string(fmt::format("{}", number)); }

json::object to_json(const actor_address& address) {
  json::object out;
  out["node"] = to_json_text(address.node.name);
  out["node_incarnation"] = to_json_digits(address.node.incarnation.value());
  out["path"] = to_json_text(address.path);
  out["incarnation"] = to_json_digits(address.incarnation.value());
  return out;
}

json::object to_json(const actor_node& node) {
  json::object out;
  out["node"] = to_json_text(node.name);
  out["incarnation"] = to_json_digits(node.incarnation.value());
  return out;
}

std::string to_json_line(const console_event& what, instant now) {
  json::object line;
  line.reserve(what.fields.size() + 2);
  line["event"] = json::string_view{what.name.data(), what.name.size()};
  for (const auto& [key, value] : what.fields) line[key] = value;
  line["t_us"] = microseconds(now.time_since_epoch());
  return json::serialize(line);
}

std::string to_people_line(const console_event& what, instant now, const people_style& style) {
  const std::int64_t since = microseconds(now - style.began);
  std::string out = fmt::format("{:4}.{:06}  ", since / 1'000'000, since % 1'000'000);
  out +=
      style.has_colours ? fmt::format("{}{:<12}\x1b[0m", colour_of(what), what.name) : fmt::format("{:<12}", what.name);
  for (const auto& [key, value] : what.fields) {
    // Text of several lines stands below.
    if (what.name == "help") return out + "\n" + std::string{view(value.as_string())};
    out += fmt::format(" {}={}", std::string_view{key.data(), key.size()}, shown(value));
  }
  return out;
}

}  // namespace muster::apps
