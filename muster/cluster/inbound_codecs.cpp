#include "muster/cluster/inbound_codecs.hpp"

namespace muster::cluster {

std::optional<fate> inbound_codecs::deliver(const actor_system& system, const actor_address& to, std::string_view name,
                                            byte_view content) const {
  const auto known = by_name_.find(name);
  if (known != by_name_.end()) return known->second(system, to, content);
  if (others_) {
    if (const hand_over how = others_(name)) return how(system, to, content);
  }
  const auto whom = system.resolve(to);
  return !whom || whom->is_stopped() ? fate::stopped : fate::unhandled;
}

void write_address(byte_writer& into, const actor_address& what) {
  into.string(what.node.name);
  into.size(what.node.incarnation.value());
  into.string(what.path);
  into.size(what.incarnation.value());
}

actor_address read_address(byte_reader& from) {
  actor_address out;
  out.node.name = from.string();
  out.node.incarnation = node_incarnation{from.size()};
  out.path = from.string();
  out.incarnation = actor_incarnation{from.size()};
  return out;
}

}  // namespace muster::cluster
