#include "muster/cluster/members.hpp"

#include <algorithm>

namespace muster::cluster {

const member* member_snapshot::find(const actor_node& node) const noexcept {
  const auto found = std::ranges::lower_bound(members, node.name, {},
                                              [](const member& one) -> const std::string& { return one.node.name; });
  return found != members.end() && found->node == node ? &*found : nullptr;
}

}  // namespace muster::cluster
