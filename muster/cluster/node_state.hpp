#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "muster/actor/actor_ref.hpp"
#include "muster/actor/guarded.hpp"
#include "muster/base/instant.hpp"
#include "muster/cluster/members.hpp"
#include "muster/cluster/node_messages.hpp"
#include "muster/cluster/transport.hpp"
#include "muster/gossip/options.hpp"

namespace muster::cluster {

/// What is known of a node outside of its turn. Inside the folder only.
struct node_state {
  /// Where messages for a member go, and how many bytes of them wait for this node's turn.
  struct way {
    node_incarnation incarnation;
    std::string address;
    std::shared_ptr<std::atomic<std::size_t>> waiting_bytes;
  };

  std::string address;
  std::shared_ptr<transport> over;
  gossip::options bounds;                         ///< as the node was given them
  std::atomic<duration::rep> gossip_interval{0};  ///< as it is now
  duration gossip_interval_max{0};                ///< that it may be changed to
  std::size_t frame_bytes_max{0};
  std::size_t waiting_bytes_max{0};
  std::size_t arrived_bytes_max{0};

  /// What goes before all that waits in the node's mailbox, in the order of its coming. `has_urgent` is set with it.
  struct urgent_inputs {
    std::vector<node_input::urgent> all;
    std::size_t bytes{0};
  };
  actor_kernel::guarded<urgent_inputs> urgent;
  std::atomic<bool> has_urgent{false};
  /// A frame of membership up to this size is urgent; larger ones are parts of tables.
  std::size_t urgent_frame_bytes_max{0};

  actor_kernel::guarded<actor_ref<node_message>> actor;  ///< null before the node has begun and after it has stopped
  actor_kernel::guarded<std::shared_ptr<const member_snapshot>> members;
  actor_kernel::guarded<std::unordered_map<std::string, way>> ways;
  const std::shared_ptr<std::atomic<std::size_t>> arrived_bytes{std::make_shared<std::atomic<std::size_t>>(0)};
  std::atomic<std::uint64_t> dropped_frames{0};  ///< came when too many waited

  /// Puts it before all that waits, and sees to it that the node has a turn. False when it finds no room.
  bool tell_urgent(node_input::urgent&& what, std::size_t size_bytes);
  [[nodiscard]] std::vector<node_input::urgent> take_urgent();

  /// False when there is no node (any more).
  bool tell(node_message&& what) const {
    const auto to = actor.with([](const auto& ref) { return ref; });
    if (!to) return false;
    return to.try_tell(std::move(what)).has_value();
  }
};

}  // namespace muster::cluster
