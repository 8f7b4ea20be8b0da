#pragma once

#include <cstdint>
#include <deque>

#include "sim/peers/site.hpp"

namespace muster::sim::peers {

/// The callers: actors on all machines register, deregister, subscribe, unsubscribe, look something up, stop, tell each
/// other messages and watch each other; under few keys and by few actors, so that they collide.
class workload {
 public:
  explicit workload(site& on) : on_{on} {}

  void begin();
  void end() noexcept { active_ = false; }
  /// Where bounds are so tight that nodes need not show the same: on each machine all but one registration goes, so
  /// that everybody has room for everything.
  void make_room();
  /// Stops every actor that may be watched.
  void stop_watched();

 private:
  void again();
  void call_some(node_index at);
  void stop_actor(node_index at, std::uint64_t actor);
  void tell_somebody(node_index from);
  void watch_somebody(node_index from);
  [[nodiscard]] any_key some_key();
  [[nodiscard]] gossip::entry entry_of(std::uint64_t actor);

  site& on_;
  bool active_{false};
  std::deque<actor_address> known_;  ///< actors that were watched before: refs may be old
};

}  // namespace muster::sim::peers
