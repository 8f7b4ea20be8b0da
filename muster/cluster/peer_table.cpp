#include "muster/cluster/peer_table.hpp"

#include <algorithm>

#include "muster/base/invariant.hpp"
#include "muster/cluster/identity.hpp"

namespace muster::cluster {

known_node_ptr make_known_node(const membership::member_ptr& who) {
  actor_node node = to_node(*who);
  gossip::origin_id origin = to_origin(node);
  return known_node_ptr{new known_node{who, std::move(node), std::move(origin)}};
}

known_node_ptr known_node_pool::share(const membership::member_ptr& who) {
  if (const auto found = known_.find(who.get()); found != known_.end()) {
    return found->second;
  }
  if (known_.size() >= forget_at_) {
    std::erase_if(known_, [](const auto& one) { return one.second->use_count() == 1; });
    forget_at_ = std::max<std::size_t>(1024, 2 * known_.size());
  }
  return known_.emplace(who.get(), make_known_node(who)).first->second;
}

const known_node* peer_table::find(std::string_view name) const {
  const auto found = all_.find(name);
  return found == all_.end() ? nullptr : found->get();
}

const known_node* peer_table::find(const actor_node& which) const {
  const known_node* const found = find(which.name);
  return found != nullptr && found->node == which ? found : nullptr;
}

void peer_table::add(known_node_ptr who) {
  const bool is_new = all_.insert(std::move(who)).second;
  MUSTER_INVARIANT(is_new, "one incarnation of a node is a member at a time");
}

known_node_ptr peer_table::take(std::string_view name) {
  const auto found = all_.find(name);
  MUSTER_INVARIANT(found != all_.end(), "only a member is taken out of the members");
  known_node_ptr out = *found;
  all_.erase(found);
  set_reachable(out->node.name, true);
  set_met(out->node.name);
  return out;
}

void peer_table::set_reachable(std::string_view name, bool is_reachable) {
  if (!is_reachable) {
    unreachable_.emplace(name);
  } else if (const auto found = unreachable_.find(name); found != unreachable_.end()) {
    unreachable_.erase(found);
  }
}

void peer_table::set_met(std::string_view name) {
  if (const auto found = old_until_.find(name); found != old_until_.end()) {
    old_until_.erase(found);
  }
}

instant peer_table::next_old() const {
  instant out = instant_never;
  for (const auto& [name, until] : old_until_) {
    out = std::min(out, until);
  }
  return out;
}

std::vector<std::string> peer_table::due_old(instant now) const {
  std::vector<std::string> out;
  for (const auto& [name, until] : old_until_) {
    if (until <= now) {
      out.push_back(name);
    }
  }
  return out;
}

}  // namespace muster::cluster
