#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "muster/actor/actor_ref.hpp"
#include "muster/base/instant.hpp"

namespace muster::apps {

/// One thing that a node on the command line has to say: a name and named values, in order.
/// docs/guide-receptionist-command.md has all of them, field by field; names and fields stay.
struct console_event {
  std::string_view name;  ///< a literal
  boost::json::object fields;
};

/// Port: where events go. On one thread at a time; never waits.
class event_sink {
 public:
  event_sink() = default;
  event_sink(const event_sink&) = delete;
  event_sink& operator=(const event_sink&) = delete;
  virtual ~event_sink() = default;

  /// False when there is no room: nothing of it is shown then.
  virtual bool write(const console_event& what, instant now) = 0;
  /// All that was written has been taken by the reader.
  [[nodiscard]] virtual bool is_drained() const = 0;
};

/// A text as JSON may hold it: what is not UTF-8 (it came from somewhere else) is replaced by U+FFFD.
[[nodiscard]] boost::json::string to_json_text(std::string_view text);
/// Incarnations are beyond what a number of JavaScript can hold, so they are texts of digits.
[[nodiscard]] boost::json::string to_json_digits(std::uint64_t number);
/// `{"node":…,"node_incarnation":…,"path":…,"incarnation":…}`
[[nodiscard]] boost::json::object to_json(const actor_address& address);
[[nodiscard]] boost::json::object to_json(const actor_node& node);

/// `{"event":"listing",…,"t_us":1234}`, without a line feed.
[[nodiscard]] std::string to_json_line(const console_event& what, instant now);

struct people_style {
  instant began{};  ///< times are shown since then
  bool has_colours{false};
};
/// The same for people: `   1.234567  listing     key=printer refs=[A/user/laser(muster.echo)]`.
[[nodiscard]] std::string to_people_line(const console_event& what, instant now, const people_style& style);

}  // namespace muster::apps
