#pragma once

#include <string>

#include "sim/peers/site.hpp"
#include "sim/peers/workload.hpp"

namespace muster::sim::peers {

/// The liveness phase: every fault ends, what has ended is started again, nobody calls any more. Within a bound of
/// virtual time all are one cluster, and every listing everywhere is what the callers have registered. Then nothing
/// more happens that anybody is told of, but for the ends of watched actors, which all stop at last.
class recovery {
 public:
  recovery(site& on, workload& callers) : on_{on}, callers_{callers} {}

  /// Runs it to its end, or to the first violation, which the checker then has.
  void run();

 private:
  void heal();
  /// Runs events for so long, or until `holds`, which is looked at now and then.
  template <typename Condition>
  bool wait_until(Condition holds, duration bound);
  /// Ends those that are no members and wait to be ended, as their owners do.
  void restart_ended();
  [[nodiscard]] bool is_one_cluster();
  [[nodiscard]] bool is_one_truth();
  /// Stops every actor that is watched: whoever watches one must be told, and nobody may remember anything of it then.
  void end_watches();
  /// What keeps it from being whole; empty if nothing does.
  [[nodiscard]] std::string lacking();

  site& on_;
  workload& callers_;
};

}  // namespace muster::sim::peers
