#pragma once

#include <string>
#include <vector>

#include "muster/base/result.hpp"
#include "muster/cluster/options.hpp"
#include "muster/ice/cluster_transport.hpp"
#include "muster/runtime/join.hpp"

namespace muster::cluster {

/// A host name among the seeds: an address as the node knows it, and what it is made of.
struct seed_name {
  std::string address;  ///< as the node is told
  std::string transport;
  std::string host;
  std::string port;

  friend bool operator==(const seed_name&, const seed_name&) = default;
};

/// Options of a join as they hold: what the node and its transport are told. Inside the folder only.
struct join_plan {
  options node;
  ice::cluster_transport_options wire;
  std::vector<seed_name> names;  ///< of the node's seeds
};

/// The process that joins, for what the options leave open.
struct joining_process {
  std::string system;       ///< the actor system's name
  std::string node;         ///< what its node is called; the same where nobody has said
  std::string host;         ///< this machine's name
  std::string distinction;  ///< what tells a node from others on this machine
};

/// Checks the options and reads the properties and the file of seeds. `invalid_argument` with one sentence that names
/// the option or property, its value and what is allowed; what the file system says of a file that cannot be read.
[[nodiscard]] result<join_plan> plan_join(join_options how, const joining_process& who);

}  // namespace muster::cluster
