#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "muster/base/prng.hpp"
#include "sim/peers/checker.hpp"
#include "sim/peers/frames.hpp"
#include "sim/peers/node.hpp"
#include "sim/peers/scenario.hpp"
#include "sim/scheduler.hpp"
#include "sim/trace.hpp"

namespace muster::sim::peers {

/// The machines of one run, the network between them, and the checker that watches. Who lets what go wrong is not its
/// business (trouble_maker.hpp), nor what callers want (workload.hpp), nor how a run proceeds (run.hpp).
class site final : private frames::receiver {
 public:
  site(const scenario& how, sabotage defect, prng& draws, trace& log);
  site(const site&) = delete;
  site& operator=(const site&) = delete;
  ~site() override;

  [[nodiscard]] const scenario& how() const noexcept { return how_; }
  [[nodiscard]] sabotage defect() const noexcept { return around_.defect; }
  [[nodiscard]] scheduler& clock() noexcept { return clock_; }
  [[nodiscard]] frames& net() noexcept { return net_; }
  [[nodiscard]] prng& draws() noexcept { return draws_; }
  [[nodiscard]] trace& log() noexcept { return log_; }
  [[nodiscard]] checker& watch() noexcept { return checker_; }
  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
  [[nodiscard]] node& at(node_index which) { return *nodes_[which]; }

  /// Addresses on the network, and the machine that is at one of them, if any is.
  [[nodiscard]] std::size_t hosts() const noexcept { return residents_.size(); }
  [[nodiscard]] std::optional<node_index> resident(node_index host) const { return residents_[host]; }
  /// The machine is at that address from now on, which is nobody's. No process runs on it.
  void move(node_index which, node_index to_host);
  /// Each is at the other's address from now on. No processes run on them.
  void swap(node_index one, node_index other);

  /// Processes that end are started again after a while, at most so long.
  void set_restart_after(duration at_most) noexcept { restart_after_max_ = at_most; }
  /// Starts the process, if none runs then.
  void start_later(node_index which, duration delay);

  /// Runs one event; false when a promise is broken or nothing is left to happen.
  bool step();

 private:
  void deliver(node_index at, const cluster::shared_frame& frame) override { nodes_[*residents_[at]]->deliver(frame); }
  void connection_lost(node_index at, node_index to) override { nodes_[*residents_[at]]->connection_lost(to); }
  void connection_refused(node_index at, node_index to) override { nodes_[*residents_[at]]->connection_refused(to); }

  scenario how_;
  prng& draws_;
  trace& log_;
  scheduler clock_;
  frames net_;
  checker checker_;
  surroundings around_;
  duration restart_after_max_;
  std::vector<std::unique_ptr<node>> nodes_;
  std::vector<std::optional<node_index>> residents_;  ///< by host; where a process runs there is one
};

}  // namespace muster::sim::peers
