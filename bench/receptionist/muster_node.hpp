#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "muster/actor/actor_system.hpp"
#include "muster/receptionist/receptionist.hpp"

namespace muster::bench {

/// What is told to the actors that are registered here.
struct work {
  static constexpr std::string_view message_name = "bench.work";
  std::uint64_t number{0};
};

/// The words after `--peer` on the command line.
struct muster_node_options {
  std::string name;
  std::string listen;              ///< empty: this node alone, without a cluster
  std::vector<std::string> seeds;  ///< endpoints of others
};

struct traffic {
  std::uint64_t frames_sent{0};
  std::uint64_t bytes_sent{0};
  std::uint64_t gossip_bytes_sent{0};
};

/// A node as a program has it that uses the library: an actor system, its cluster, the receptionist.
class muster_node {
 public:
  explicit muster_node(const muster_node_options& how);
  ~muster_node();
  muster_node(const muster_node&) = delete;
  muster_node& operator=(const muster_node&) = delete;

  [[nodiscard]] actor_system& system() noexcept;
  [[nodiscard]] const receptionist::handle& desk() const noexcept;
  /// Waits until the cluster has so many members that can be reached.
  void await_members(std::size_t count);
  /// Up to now, by the node's own count: frames as they are handed to the transport.
  [[nodiscard]] traffic sent() const;

 private:
  struct parts;
  const std::unique_ptr<parts> parts_;
};

}  // namespace muster::bench
