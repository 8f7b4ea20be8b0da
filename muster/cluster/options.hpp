#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "muster/base/bytes.hpp"
#include "muster/base/instant.hpp"
#include "muster/base/result.hpp"
#include "muster/gossip/options.hpp"
#include "muster/membership/options.hpp"

namespace muster::cluster {

class known_node_pool;

// What `options::frame_bytes_max` may be.
inline constexpr std::size_t frame_bytes_least = 4096;
inline constexpr std::size_t frame_bytes_most = std::size_t{256} * 1024 * 1024;

/// What one node is told about itself and the cluster, and its bounds.
struct options {
  std::string name;     ///< unique in the cluster, membership::name_bytes_max at most; empty: the system's node's
  std::string cluster;  ///< nodes of another cluster are refused; empty: the actor system's name
  /// Addresses of nodes to join; this one's own may be among them. None: a cluster of one, which others may join.
  std::vector<std::string> seeds;
  bytes meta;  ///< shown to all members; membership::meta_bytes_max at most

  /// Timing and bounds; name, incarnation, address, cluster, seeds and meta in it are set from what stands above.
  membership::options membership;
  /// Its forgotten_horizon is cut to what membership remembers: whom membership takes back, gossip must take, too.
  gossip::options gossip;

  // Actors of other nodes.
  std::size_t frame_bytes_max{std::size_t{1024} * 1024};  ///< of one message between actors, as it travels
  /// Messages to one node that wait for this node's turn; beyond, telling gives `limit_exceeded`.
  std::size_t waiting_bytes_max{std::size_t{8} * 1024 * 1024};
  /// Frames that came and wait for this node's turn; beyond, they are dropped and counted, those of membership last.
  std::size_t arrived_bytes_max{std::size_t{64} * 1024 * 1024};
  std::size_t watches_per_node_max{100'000};             ///< of actors there by actors here, and the other way round
  duration gap_timeout{std::chrono::milliseconds{200}};  ///< for what overtook to wait for what was overtaken
  std::size_t gap_frames_max{4096};                      ///< that wait so, of one node
  std::size_t gap_bytes_max{std::size_t{4} * 1024 * 1024};
  duration watch_retry{std::chrono::milliseconds{500}};  ///< a watch, or the news of an end, unconfirmed is sent again
  /// A watched actor's node that nobody has told of for so long counts as gone.
  duration unknown_node_timeout{std::chrono::seconds{10}};
  /// After this node had to come back under a new incarnation, members that it knew before are taken for unreachable
  /// when they have not been met again for so long.
  duration reunion_timeout{std::chrono::seconds{3}};

  /// Shared by the nodes of a simulation, as `membership.pool`; none: every node makes its own.
  known_node_pool* known_nodes{nullptr};
};

/// `invalid_argument`, naming the option, its value and what is allowed. Membership and gossip check their own.
[[nodiscard]] result<void> validate(const options& how);

}  // namespace muster::cluster
