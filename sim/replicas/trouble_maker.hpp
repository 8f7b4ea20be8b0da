#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "sim/replicas/cluster.hpp"

namespace muster::sim::replicas {

/// Lets go wrong what the scenario says, and acts as its operator: who restarts, in which role, who is promoted. Each
/// trouble plans its own end.
class trouble_maker {
 public:
  trouble_maker(cluster& on, sabotage defect);

  void begin();
  /// No new trouble. Those that last are ended by `run`, which heals everything at once.
  void end() noexcept { active_ = false; }

 private:
  void again();
  void make_trouble();
  void refused_start(node_index who);

  void kill_some();
  void kill_all();
  void stop_some();
  void pause_some();
  void part_network();
  void promote_carefully();
  void promote_recklessly();
  void fill_disk();
  void break_disk();
  void slow_disk();
  void order_copy();
  void restore_some();
  void clone_master();

  [[nodiscard]] node_index any() { return on_.draws().below(on_.size()); }
  [[nodiscard]] duration lasting();
  /// The node that the operator means to be the master; the first, if there are several.
  [[nodiscard]] node_index intended_master();
  void note(node_index who, std::string_view what);

  cluster& on_;
  sabotage defect_;
  bool active_{false};
  std::vector<std::optional<disk_image>> backups_;
};

}  // namespace muster::sim::replicas
