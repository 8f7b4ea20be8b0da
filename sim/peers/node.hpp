#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "muster/base/prng.hpp"
#include "muster/cluster/node_core.hpp"
#include "sim/peers/actors.hpp"
#include "sim/peers/checker.hpp"
#include "sim/peers/desk.hpp"
#include "sim/peers/frames.hpp"
#include "sim/peers/scenario.hpp"
#include "sim/scheduler.hpp"
#include "sim/trace.hpp"

namespace muster::sim::peers {

/// What all machines share.
struct surroundings {
  const scenario& how;
  sabotage defect;
  scheduler& clock;
  frames& net;
  trace& log;
  prng& draws;
  checker& watch;
  /// Called when a process is gone, for whatever reason.
  std::function<void(node_index)> on_ended;
};

/// One machine and, while it runs, its process: a node of the cluster and its receptionist, driven as their actors
/// drive them, which tell each other what happens a little later. The process has a steady clock of its own, which
/// starts anywhere and runs a little wrong; the machine has a wall clock that somebody may set.
class node {
 public:
  node(node_index index, surroundings& around);
  ~node();
  node(const node&) = delete;
  node& operator=(const node&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] node_index index() const noexcept { return index_; }
  /// Where on the network it is. It moves only while no process runs.
  [[nodiscard]] node_index host() const noexcept { return host_; }
  void set_host(node_index to) noexcept { host_ = to; }
  [[nodiscard]] bool runs() const noexcept { return process_ != nullptr; }
  [[nodiscard]] bool is_paused() const noexcept { return paused_; }
  [[nodiscard]] bool is_leaving() const;
  /// It is no member of the cluster any more, and waits to be ended.
  [[nodiscard]] bool has_ended() const;
  /// Null while no process runs.
  [[nodiscard]] const cluster::node_core* core() const noexcept;
  [[nodiscard]] const desk* front() const noexcept;

  void start();
  /// kill -9; or, if the host goes down with it, the power goes.
  void kill(bool host_goes_down = false);
  void leave();
  void pause(bool clock_stands = false);
  void resume();
  void set_wall_clock(std::int64_t forward_ms) noexcept { wall_offset_ms_ += forward_ms; }

  void deliver(const cluster::shared_frame& frame);
  void connection_lost(node_index to_host);
  void connection_refused(node_index to_host);

  /// A caller of the receptionist, on its turn; nothing happens if no process runs.
  void call(std::function<void(desk&)> what);
  /// A message to an actor of that node as it is now.
  void tell(const actor_node& whom);
  /// One of its actors watches that of another node, which may be gone long since.
  void watch(const actor_address& whom);
  /// Any of its watches ends.
  void unwatch();
  /// An actor that may be watched, as others know it; a process runs.
  [[nodiscard]] actor_address watchable(std::size_t which) const;
  void stop_watchable(std::size_t which);

 private:
  struct process;

  [[nodiscard]] instant local_now() const;
  [[nodiscard]] std::uint64_t wall_clock_ms() const;
  void run_node(std::function<void(process&)> what);
  /// Runs `what` on the given of the two strands of this process after `delay`, in the order of the calls; when the
  /// process is stopped by a signal, after it goes on; never when it has ended.
  void post_to_desk(std::function<void(process&)> what);
  void post_to_node(std::function<void(process&)> what);
  void post(instant& last, std::function<void(process&)> what);
  void plan_turn();
  void turn();
  void plan_tick();
  void hand_out(const cluster::ready& effects);
  void hand_out_watches(const cluster::ready& effects);
  void report_end(const cluster::actor_key& which);
  void tamper(cluster::ready& effects);
  void tamper_with_watches(cluster::ready& effects);
  [[nodiscard]] bool swallows(const cluster::outgoing& frame) const;
  void end_desk_turn();
  void take_step(const desk::step& what);
  void end_process(bool host_answers);
  [[nodiscard]] bool sabotaged(sabotage by) const noexcept { return around_.defect == by; }
  [[nodiscard]] duration up_to(duration most);

  node_index index_;
  node_index host_;
  std::string name_;
  surroundings& around_;
  bool paused_{false};
  bool clock_stands_{false};
  instant paused_since_{};
  std::uint64_t lives_{0};
  std::int64_t wall_offset_ms_{0};
  std::uint64_t first_wall_clock_ms_{0};
  std::unique_ptr<process> process_;
};

/// One line about a frame, for the trace.
[[nodiscard]] std::string brief(const bytes& frame);

}  // namespace muster::sim::peers
