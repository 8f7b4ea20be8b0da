#include "muster/receptionist/scene.hpp"

#include "muster/base/event.hpp"

namespace muster::receptionist {

actor_address scene::address_of(const row& which) const {
  // This node may have got its name, or a new incarnation, after the actor was registered.
  actor_node node = which.origin->is_own ? system_->node()
                                         : actor_node{std::string{which.origin->id.node.view()},
                                                      node_incarnation{which.origin->id.life.value()}};
  return {std::move(node), std::string{which.path.view()}, actor_incarnation{which.incarnation}};
}

void scene::note_mismatch(const gossip::shared_text& key, std::string_view asked_for, const row& found) {
  constexpr std::size_t noted_max = 4096;
  const bool is_new = noted_.with([&](auto& noted) {
    return noted.size() < noted_max && noted.emplace(key.view(), asked_for, found.type.view()).second;
  });
  if (!is_new) return;
  mismatches_.fetch_add(1, std::memory_order_relaxed);
  system_->write(event{severity::error, "service_type_differs"}
                     .with("key", key)
                     .with("asked_for", asked_for)
                     .with("registered", found.type)
                     .with("first_left_out", address_of(found)));
}

}  // namespace muster::receptionist
