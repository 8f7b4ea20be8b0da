#include "muster/replication/messages.hpp"

#include <algorithm>

namespace muster::replication {

std::string_view to_string(role value) noexcept { return value == role::master ? "master" : "slave"; }

std::string_view to_string(phase value) noexcept {
  switch (value) {
    case phase::asking: return "asking";
    case phase::copying: return "copying";
    case phase::beginning: return "beginning";
    case phase::serving: return "serving";
    case phase::stepped_down: return "stepped_down";
    case phase::searching: return "searching";
    case phase::opening: return "opening";
    case phase::catching_up: return "catching_up";
    case phase::active: return "active";
    case phase::refused: return "refused";
    case phase::start_refused: return "start_refused";
    case phase::failed: return "failed";
  }
  return "unknown";
}

std::string_view to_string(refusal value) noexcept {
  switch (value) {
    case refusal::not_master: return "not_master";
    case refusal::not_ready: return "not_ready";
    case refusal::no_common_version: return "no_common_version";
    case refusal::other_database: return "other_database";
    case refusal::lost_acknowledged: return "lost_acknowledged";
    case refusal::lower_term: return "lower_term";
    case refusal::split_brain: return "split_brain";
    case refusal::duplicate_name: return "duplicate_name";
    case refusal::missed_bound: return "missed_bound";
    case refusal::log_overrun: return "log_overrun";
    case refusal::stepped_down: return "stepped_down";
    case refusal::asked_to_leave: return "asked_to_leave";
    case refusal::storage: return "storage";
    case refusal::cannot_apply: return "cannot_apply";
  }
  return "unknown";
}

std::optional<std::uint8_t> common_version(version_range left, version_range right) noexcept {
  const std::uint8_t highest = std::min(left.max, right.max);
  if (highest < std::max(left.min, right.min)) {
    return std::nullopt;
  }
  return highest;
}

}  // namespace muster::replication
