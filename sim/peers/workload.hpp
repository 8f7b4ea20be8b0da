#pragma once

#include <cstdint>

#include "sim/peers/site.hpp"

namespace muster::sim::peers {

/// The callers: actors on all machines register, deregister, subscribe, unsubscribe, look something up, stop, and tell
/// each other messages; under few keys and by few actors, so that they collide.
class workload {
 public:
  explicit workload(site& on) : on_{on} {}

  void begin();
  void end() noexcept { active_ = false; }
  /// Where bounds are so tight that nodes need not show the same: on each machine all but one registration goes, so
  /// that everybody has room for everything.
  void make_room();

 private:
  void again();
  void call_some(node_index at);
  void stop_actor(node_index at, std::uint64_t actor);
  void tell_somebody(node_index from);
  [[nodiscard]] any_key some_key();
  [[nodiscard]] gossip::entry entry_of(std::uint64_t actor);

  site& on_;
  bool active_{false};
};

}  // namespace muster::sim::peers
