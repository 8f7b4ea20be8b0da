#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "muster/actor/actor_system.hpp"
#include "muster/base/bytes.hpp"
#include "muster/base/instant.hpp"
#include "muster/base/result.hpp"
#include "muster/cluster/inbound_codecs.hpp"
#include "muster/cluster/node.hpp"
#include "muster/config/property_map.hpp"

namespace muster::cluster {

/// How a program becomes a node of a cluster. What is set here beats what a property says, which beats the default:
///
///     muster::actor_system system{"shop", {.runs_on = *muster::os::actor_pool::make({})}};
///     auto cluster = muster::cluster::join(system, {.seeds = {"tcp -h 10.0.0.1 -p 4070"}});
///
/// A property is `cluster.` and the leaf named below; docs/guide-cluster.md has all of them.
struct join_options {
  /// This node's name, unique in the cluster (`node-name`). Empty: that of the actor system's node, which is the
  /// system's name unless told otherwise.
  std::string name{};
  /// Nodes of another cluster are refused (`name`). Empty: the actor system's name.
  std::string cluster{};
  /// Ice endpoints, such as "tcp -h 10.0.0.1 -p 4070" or "ssl -p 4070" (`listen`). Empty: any free port of the
  /// loopback address.
  std::string listen{};
  /// How others reach this node, where that is not where it listens (`published`).
  std::string published{};
  /// Endpoints of nodes to join (`seeds`, parted by commas). A host name stands for all of its addresses, which are
  /// looked up again at each attempt. This node's own may be among them. None: a cluster of one, which others may join.
  std::vector<std::string> seeds{};
  /// A file with more of them, one a line; what follows a # is a comment (`seeds-file`).
  std::string seeds_file{};
  /// The process's properties, from files or the command line. Those that begin with `cluster.` are read here, those of
  /// `Ice.` and `IceSSL.` go to the transport and to the proxies that messages bring, others are passed over.
  config::property_map properties{};
  bytes meta{};  ///< shown to all members; 256 bytes at most

  std::optional<duration> probe_interval{};   ///< `probe-interval`
  std::optional<duration> removal_timeout{};  ///< `removal-timeout`: unreachable for so long, a node is removed
  /// `keep-majority`: after a split only the side with the majority of the members stays.
  std::optional<bool> keep_majority{};
  /// `only-from-origin`: what a node has registered is taken from that node alone. Without it: where TLS is on, so that
  /// no member can speak for another; elsewhere members pass on what others have registered.
  std::optional<bool> only_from_origin{};
  /// All other settings of a node. Where a property or something above speaks of the same, that holds.
  options more{};

  /// How messages of other nodes are read. Null: by the process's table of all messages that have a name, with a
  /// communicator for proxies and for instances of Slice classes.
  std::shared_ptr<const inbound_codecs> codecs{};
};

/// Makes the system a node of a cluster, over Ice, and begins to join; once for a system. Returns when it listens:
/// registrations and members are served from now on, and `node::subscribe` tells when the cluster has been found.
/// Attempts go on until it has.
///
/// The handle may be dropped; the node ends with the system. `invalid_argument` with one sentence that names the option
/// or property, its value and what is allowed; `already_exists` when the system is a node already, or something else
/// listens there; `not_found` for a file that is not there.
[[nodiscard]] result<std::shared_ptr<node>> try_join(actor_system& system, join_options how);
/// Throws `refused` with that error.
[[nodiscard]] std::shared_ptr<node> join(actor_system& system, join_options how = {});

}  // namespace muster::cluster
