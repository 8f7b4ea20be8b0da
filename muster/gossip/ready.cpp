#include "muster/gossip/ready.hpp"

namespace muster::gossip {

std::string_view to_string(forgotten_reason value) noexcept {
  switch (value) {
    case forgotten_reason::forgotten: return "forgotten";
    case forgotten_reason::superseded: return "superseded";
    case forgotten_reason::impostor: return "impostor";
  }
  return "unknown";
}

std::string_view to_string(event_kind value) noexcept {
  switch (value) {
    case event_kind::forgotten_self: return "forgotten_self";
    case event_kind::origin_superseded: return "origin_superseded";
    case event_kind::origin_forgotten: return "origin_forgotten";
    case event_kind::forgotten_came_back: return "forgotten_came_back";
    case event_kind::over_bound: return "over_bound";
    case event_kind::within_bounds_again: return "within_bounds_again";
    case event_kind::diverged: return "diverged";
    case event_kind::malformed: return "malformed";
    case event_kind::transfer_failed: return "transfer_failed";
  }
  return "unknown";
}

}  // namespace muster::gossip
