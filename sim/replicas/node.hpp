#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "muster/base/prng.hpp"
#include "muster/replication/replica.hpp"
#include "sim/replicas/disk.hpp"
#include "sim/replicas/network.hpp"
#include "sim/replicas/scenario.hpp"
#include "sim/replicas/shaky_machine.hpp"
#include "sim/scheduler.hpp"
#include "sim/trace.hpp"

namespace muster::sim::replicas {

using replication::ticket;

/// How the operator starts a process.
struct start_order {
  replication::role role{replication::role::slave};
  bool force{false};
  std::optional<std::string> copy_from;  ///< --initdb-from-replica
};

/// A step that has just become durable on one machine's disk.
struct durable_step {
  replication::commit::kind what{replication::commit::kind::changes};
  std::vector<replication::log_entry> appended;
  replication::phase begun_in{replication::phase::asking};
};

/// Sees all that happens at the nodes.
class node_observer {
 public:
  virtual ~node_observer() = default;
  virtual void on_started(node_index at) = 0;
  virtual void on_durable(node_index at, const durable_step& step) = 0;
  /// What the core hands out at once, before the completions and events in it.
  virtual void on_effects(node_index at, const replication::ready& what) = 0;
  virtual void on_completion(node_index at, ticket of, const result<replication::serial>& outcome) = 0;
  virtual void on_event(node_index at, const replication::event& what) = 0;
  virtual void on_resumed(node_index at) = 0;
  /// After each turn of the process: all its effects are out.
  virtual void on_turn(node_index at) = 0;
  /// The process is gone, for whatever reason; `refused_to_start` if it ended by itself with such a sentence.
  virtual void on_ended(node_index at, bool refused_to_start) = 0;
  /// Something that must never happen.
  virtual void on_violation(std::string what) = 0;
};

/// What all machines share.
struct world {
  const scenario& how;
  sabotage defect;
  scheduler& clock;
  network& net;
  trace& log;
  prng& draws;
  node_observer& watch;
};

/// One machine: a disk, the files beside the database, and, while it runs, one replica process, driven as the real
/// strand drives it. The process has a clock of its own, which starts anywhere and runs a little wrong.
class node {
 public:
  node(node_index index, world& around);
  ~node();
  node(const node&) = delete;
  node& operator=(const node&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] node_index index() const noexcept { return index_; }
  [[nodiscard]] bool runs() const noexcept { return process_ != nullptr; }
  [[nodiscard]] bool is_paused() const noexcept { return paused_; }
  [[nodiscard]] const start_order& order() const noexcept { return order_; }
  /// Null while no process runs.
  [[nodiscard]] const replication::replica* core() const noexcept;
  [[nodiscard]] const catalog::state& published() const;
  [[nodiscard]] const disk& storage() const noexcept { return disk_; }
  [[nodiscard]] disk& storage() noexcept { return disk_; }
  /// By name: the saved tails.
  [[nodiscard]] const std::map<std::string, bytes>& files() const noexcept { return files_; }

  void start(const start_order& order);
  /// kill -9, or the power goes.
  void kill();
  /// An orderly end.
  void stop();
  void pause();
  void resume();
  /// Commits take up to so long.
  [[nodiscard]] duration commit_time_max() const noexcept { return commit_time_max_; }
  void set_commit_time(duration at_most) noexcept { commit_time_max_ = at_most; }
  [[nodiscard]] std::uint64_t endpoints_version() const noexcept { return endpoints_version_; }
  /// Files beside the database cannot be written now and then, until told otherwise.
  void set_files_fail(bool now_and_then) noexcept { files_fail_ = now_and_then; }
  void fail_next_stage();
  void change_endpoints();

  void propose(ticket of, bytes change);
  void barrier(ticket of);
  void deliver(peer_id from, bytes content);
  void gone(peer_id which);

 private:
  struct process;

  [[nodiscard]] instant local_now() const;
  /// Runs `what` in the process's next turn: at once, or when it is no longer paused or committing.
  void input(std::function<void(process&)> what);
  void turn();
  void pump();
  void plan_tick();
  void begin_commit(replication::commit&& step);
  void end_commit();
  void settle();
  void save_tail(replication::save_tail&& tail);
  void ask(const replication::discover& what);
  void answered(peer_id who, std::uint64_t round);
  void check_discovery();
  void handle(peer_id from, replication::message what);
  void send(peer_id to, const replication::message& what, std::uint8_t version);
  void end_process(bool refused_to_start);
  [[nodiscard]] bool sabotaged(sabotage by) const noexcept { return world_.defect == by; }
  [[nodiscard]] bool intercept(peer_id from, const replication::message& what);

  node_index index_;
  std::string name_;
  world& world_;
  disk disk_;
  std::map<std::string, bytes> files_;
  start_order order_;
  bool paused_{false};
  bool files_fail_{false};
  duration commit_time_max_;
  std::uint64_t lives_{0};
  std::uint64_t endpoints_version_{0};
  std::unique_ptr<process> process_;
};

/// The endpoints that node `index` tells others, and back: how the others find it.
[[nodiscard]] bytes endpoints_of(node_index index, std::uint64_t version);
[[nodiscard]] std::optional<node_index> node_of_endpoints(byte_view endpoints);

/// One line about a message, for the trace.
[[nodiscard]] std::string brief(const replication::message& what);

}  // namespace muster::sim::replicas
