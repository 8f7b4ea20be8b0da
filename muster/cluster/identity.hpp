#pragma once

#include <string>

#include "muster/actor/actor_address.hpp"
#include "muster/gossip/identity.hpp"
#include "muster/membership/member.hpp"

/// One life of one node has three spellings, because membership, gossip and actors do not know each other: they are
/// made equal here. The name and the number are the same in all three.
namespace muster::cluster {

[[nodiscard]] inline actor_node to_node(const membership::member& who) {
  return {who.name, node_incarnation{who.incarnation.value()}};
}
[[nodiscard]] inline actor_node to_node(const gossip::origin_id& who) {
  return {std::string{who.node.view()}, node_incarnation{who.life.value()}};
}
[[nodiscard]] inline gossip::origin_id to_origin(const actor_node& who) {
  return gossip::make_origin(who.name, who.incarnation.value());
}

}  // namespace muster::cluster
