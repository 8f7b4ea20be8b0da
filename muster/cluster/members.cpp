#include "muster/cluster/members.hpp"

#include <algorithm>

namespace muster::cluster {

std::string_view to_string(member_event_kind value) noexcept {
  switch (value) {
    case member_event_kind::up: return "up";
    case member_event_kind::unreachable: return "unreachable";
    case member_event_kind::reachable: return "reachable";
    case member_event_kind::left: return "left";
    case member_event_kind::removed: return "removed";
  }
  return "unknown";
}

std::string_view to_string(phase value) noexcept {
  switch (value) {
    case phase::joining: return "joining";
    case phase::joined: return "joined";
    case phase::leaving: return "leaving";
    case phase::ended: return "ended";
  }
  return "unknown";
}

const member* member_snapshot::find(const actor_node& node) const noexcept {
  const auto found = std::ranges::lower_bound(members, node.name, {},
                                              [](const member& one) -> const std::string& { return one.node.name; });
  return found != members.end() && found->node == node ? &*found : nullptr;
}

}  // namespace muster::cluster
