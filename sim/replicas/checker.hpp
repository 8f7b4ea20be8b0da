#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "muster/replication/durable_meta.hpp"
#include "sim/replicas/ledger.hpp"
#include "sim/replicas/node.hpp"
#include "sim/replicas/workload.hpp"

namespace muster::sim::replicas {

/// Holds the whole state of all machines, and what each step has changed in it, against the promises of the design
/// (section "Plane B"). It looks from outside, at what lies on the disks and at what callers are told, and believes no
/// word of the core except where the promise is about that word (who is active).
///
/// 1. What a caller was told is done is on the disk of the master and of every slave active then, and published there.
///    It leaves a disk only in the ways of rule 3.
/// 2. Equal positions hold equal changes and equal rows; what a disk holds is a prefix of its lineage's sequence; only
///    one machine ever writes in a term.
/// 3. A history is only extended, except: the operator ordered a copy, or a tail that this machine does not know to be
///    acknowledged has been saved to a file, with exactly the changes dropped.
/// 4. The published state is what the disk would load, and what the changes of the history make of nothing.
/// 5. What was refused as "nothing changed" is nowhere, and a refused replica's copy stays as it is.
/// 6. Each call is answered once, successes in order and with the serial of its own change, all within a bound.
/// 7. Log and queues stay within their bounds.
class checker {
 public:
  using nodes = std::vector<std::unique_ptr<node>>;

  checker(const nodes& all, const scenario& how, const scheduler& clock) noexcept
      : nodes_{all}, how_{how}, clock_{clock}, views_(how.nodes) {}

  /// Before the input goes in.
  void on_proposal(node_index at, ticket of, const wanted_change& change);
  void on_barrier(node_index at, ticket of);

  void on_started(node_index at);
  void on_durable(node_index at, const durable_step& step);
  void on_effects(node_index at, const replication::ready& what);
  void on_completion(node_index at, ticket of, const result<replication::serial>& outcome);
  void on_turn(node_index at);
  /// A pause has ended.
  void on_resumed(node_index at) { views_[at].held_up_until = clock_.now(); }
  void on_ended(node_index at);
  void on_violation(std::string what);
  /// Somebody has put other contents on the disk.
  void on_overwritten(node_index at);

  /// The sentence about the first promise broken; empty as long as none is.
  [[nodiscard]] const std::string& violation() const noexcept { return violation_; }

  /// What lies on a disk, as far as the checker followed it.
  [[nodiscard]] const replication::history& durable_history(node_index at) const { return views_[at].history; }
  /// The machine's disk holds everything that any caller was ever told is done.
  [[nodiscard]] bool holds_all_answered(node_index at) const;
  /// Nothing that the two hold forbids `slave` to follow `master`, or else to be refused is its right.
  [[nodiscard]] bool may_be_refused(node_index slave, node_index master) const;
  /// Compares the published state with disk and ledger; O(state).
  void check_deeply(node_index at);
  /// At the end: the history of `at` replayed through the model, and nobody waits for an answer.
  void check_finally(node_index at, bool nothing_answered_may_be_lost);

  /// The replicas that the process at `at` told its driver of last.
  [[nodiscard]] const replication::roster& known_replicas(node_index at) const { return views_[at].replicas; }

  [[nodiscard]] std::uint64_t answered() const noexcept { return answered_.size(); }
  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }

 private:
  struct view {
    replication::history history;
    std::uint64_t rows_digest{0};
    bool copy_ordered{false};       ///< the running process was started to replace its database
    std::uint64_t last_success{0};  ///< the serial of the last success told by the running process
    std::uint64_t turns{0};
    std::uint64_t steps{0};
    bool overwritten{false};       ///< from outside or by order, and not active since
    bool slaves_just_left{false};  ///< in the effects being handed out
    instant held_up_until{};       ///< until then the process could not answer anybody
    replication::roster replicas;  ///< the last one it gave out
  };
  struct call {
    node_index at{0};
    bytes change;
    bool unique{false};
    bool is_barrier{false};
    std::uint64_t last_then{0};
    instant since{};
  };

  template <typename... Args>
  void require(bool holds, node_index at, fmt::format_string<Args...> sentence, Args&&... args) {
    if (!holds && violation_.empty()) {
      on_violation(fmt::format("{}: {}", nodes_[at]->name(), fmt::format(sentence, std::forward<Args>(args)...)));
    }
  }

  void check_extension(node_index at, const replication::history& before, const replication::history& now,
                       const durable_step& step);
  void check_replacement(node_index at, const replication::history& before, const replication::history& now,
                         const durable_step& step);
  void check_saved_tail(node_index at, const replication::history& before, std::uint64_t fork);
  void check_position(node_index at);
  void check_success(node_index at, const call& asked, replication::serial number);
  /// How many there are.
  [[nodiscard]] std::size_t check_active_slaves_hold(node_index at, const replication::history& held,
                                                     std::uint64_t number);
  void check_log_bound(node_index at, const durable_step& step);
  [[nodiscard]] static bool covers(const replication::history& holder, const replication::history& held,
                                   std::uint64_t number);

  const nodes& nodes_;
  const scenario& how_;
  const scheduler& clock_;
  ledger ledger_;
  std::vector<view> views_;
  std::map<ticket, call> waiting_;
  std::vector<ledger::position> answered_;
  std::set<std::uint64_t> refused_changes_;  ///< digests of unique changes that must be nowhere
  std::string violation_;
};

}  // namespace muster::sim::replicas
