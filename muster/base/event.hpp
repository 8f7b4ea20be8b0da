#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace muster {

enum class severity : std::uint8_t { trace, debug, info, warning, error };

[[nodiscard]] std::string_view to_string(severity level) noexcept;

/// One fact that an operator acts on or must be able to reconstruct, as data: a fixed name and named values. How it is
/// shown (a line of `key=value`, colours) is the log's business.
struct event {
  struct field {
    std::string_view key;  ///< a literal: lower case with underscores
    std::string value;
  };

  severity level{severity::info};
  std::string_view name;  ///< a literal: what happened, in the past tense, for example "slave_dropped"
  std::vector<field> fields;

  event(severity level_of_event, std::string_view name_of_event) : level{level_of_event}, name{name_of_event} {}

  /// Adds a value: `event{severity::info, "slave_active"}.with("slave", name).with("serial", serial)`.
  template <typename T>
  event&& with(std::string_view key, const T& value) && {
    fields.push_back({key, fmt::format("{}", value)});
    return std::move(*this);
  }
  /// Likewise for an event that has a name, where a value is added under a condition. (To assign the other form's
  /// result to the event itself would be a move onto itself, which loses the fields.)
  template <typename T>
  event& with(std::string_view key, const T& value) & {
    fields.push_back({key, fmt::format("{}", value)});
    return *this;
  }
};

/// Port: where events go. Any thread may write; a write never blocks on a peer. `wants` lets a caller skip the work of
/// making an event that nobody would see.
class event_log {
 public:
  event_log() = default;
  event_log(const event_log&) = delete;
  event_log& operator=(const event_log&) = delete;
  virtual ~event_log() = default;

  [[nodiscard]] virtual bool wants(severity level) const noexcept = 0;
  virtual void write(const event& what) = 0;
};

}  // namespace muster
