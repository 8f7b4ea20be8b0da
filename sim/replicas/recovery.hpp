#pragma once

#include <cstddef>
#include <string>

#include "sim/replicas/cluster.hpp"

namespace muster::sim::replicas {

/// The liveness phase: every fault ends, the operator decides for one master, restarts what runs in another role, and
/// waits. What may rightly be refused (another history) is made a copy of the master; what is refused without right, or
/// does not become active in time, is a violation.
class recovery {
 public:
  explicit recovery(cluster& on) : on_{on} {}

  /// Runs it to its end, or to the first violation, which the checker then has.
  void run();

 private:
  void heal();
  [[nodiscard]] node_index choose_master();
  void assign_roles();
  void refused_start(node_index who);
  /// Runs events until `holds`, for at most `bound`. Looks every few milliseconds.
  template <typename Condition>
  bool wait_until(Condition holds, duration bound);
  /// The replica tells its clients of all replicas, the master first, with their present endpoints.
  [[nodiscard]] bool knows_all(node_index who);
  [[nodiscard]] bool converged();
  /// Does what the refusals tell the operator: a copy for a slave with another history, --force for the master.
  void treat();
  void check_change_goes_through();
  [[nodiscard]] std::string describe_all();

  cluster& on_;
  node_index master_{0};
  std::size_t forced_{0};
};

}  // namespace muster::sim::replicas
