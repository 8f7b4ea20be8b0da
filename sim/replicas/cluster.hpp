#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/replicas/checker.hpp"
#include "sim/replicas/network.hpp"
#include "sim/replicas/node.hpp"
#include "sim/replicas/scenario.hpp"
#include "sim/replicas/workload.hpp"
#include "sim/scheduler.hpp"
#include "sim/trace.hpp"

namespace muster::sim::replicas {

/// The machines of one run, the network between them, the callers, and the checker that watches. Who lets what go wrong
/// is not its business (trouble_maker.hpp), nor how a run proceeds (run.hpp).
class cluster final : private network::receiver, private node_observer {
 public:
  cluster(const scenario& how, sabotage defect, prng& draws, trace& log);
  cluster(const cluster&) = delete;
  cluster& operator=(const cluster&) = delete;
  ~cluster() override;

  [[nodiscard]] const scenario& how() const noexcept { return how_; }
  [[nodiscard]] scheduler& clock() noexcept { return clock_; }
  [[nodiscard]] network& net() noexcept { return net_; }
  [[nodiscard]] prng& draws() noexcept { return draws_; }
  [[nodiscard]] trace& log() noexcept { return log_; }
  [[nodiscard]] checker& watch() noexcept { return checker_; }
  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
  [[nodiscard]] node& at(node_index which) { return *nodes_[which]; }

  /// The role in which the operator wants a machine's replica to run; restarts follow it.
  struct intention {
    start_order order;
    bool restarts{true};  ///< false: the operator holds the process down for now
  };
  [[nodiscard]] intention& intended(node_index which) { return intended_[which]; }
  /// Starts the process after `delay` as it is intended then, if it does not run. One-time orders (--force, a copy) are
  /// used up.
  void start_later(node_index which, duration delay);
  void start_now(node_index which);

  /// Called when a process refused to start, after it has ended.
  void on_refused_start(std::function<void(node_index)> what) { refused_start_ = std::move(what); }

  /// Callers ask for changes, about as often as the scenario says, until `end_calls`.
  void begin_calls();
  void end_calls() noexcept { calling_ = false; }
  /// One change at `which`; its ticket.
  ticket call(node_index which);
  /// How often each kind of event (replication::event_kind) came up.
  [[nodiscard]] const std::vector<std::uint64_t>& events() const noexcept { return events_; }
  /// Ended well?
  [[nodiscard]] bool succeeded(ticket of) const { return succeeded_.contains(of); }

  /// Runs one event; false when a promise is broken or nothing is left to happen.
  bool step();

 private:
  void deliver(node_index to, peer_id from, bytes content) override { nodes_[to]->deliver(from, std::move(content)); }
  void gone(node_index who, peer_id which) override { nodes_[who]->gone(which); }

  void on_started(node_index which) override { checker_.on_started(which); }
  void on_durable(node_index which, const durable_step& step) override { checker_.on_durable(which, step); }
  void on_effects(node_index which, const replication::ready& what) override { checker_.on_effects(which, what); }
  void on_completion(node_index which, ticket of, const result<replication::serial>& outcome) override;
  void on_event(node_index which, const replication::event& what) override;
  void on_resumed(node_index which) override { checker_.on_resumed(which); }
  void on_turn(node_index which) override { checker_.on_turn(which); }
  void on_ended(node_index which, bool refused_to_start) override;
  void on_violation(std::string what) override { checker_.on_violation(std::move(what)); }

  void call_again();

  scenario how_;
  prng& draws_;
  trace& log_;
  scheduler clock_;
  network net_;
  world world_;
  std::vector<std::unique_ptr<node>> nodes_;
  checker checker_;
  workload work_;
  std::vector<intention> intended_;
  std::function<void(node_index)> refused_start_;
  bool calling_{false};
  std::uint64_t tickets_{0};
  std::set<ticket> succeeded_;
  std::vector<std::uint64_t> events_;
};

}  // namespace muster::sim::replicas
