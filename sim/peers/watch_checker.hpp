#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/links.hpp"
#include "sim/peers/actors.hpp"
#include "sim/peers/scenario.hpp"
#include "sim/scheduler.hpp"

namespace muster::sim::peers {

/// Holds every watch over an actor of another node against what became of that actor:
///
/// 1. A watch brings `terminated` once at most, and never in a later turn than the one that took its end (`unwatch`).
/// 2. Of an actor that has not stopped it brings one only if the actor's node has left, was removed or has a later
///    life; or nobody has told of that node for `unknown_node_timeout`; or the watcher's own node is no member any
///    more; or a bound on watches is near. That a node cannot be reached is no reason.
/// 3. Who is no member of the cluster any more has no watch left.
/// 4. In the end each watch over what has ended has brought one, and no node remembers anything of any watch.
class watch_checker {
 public:
  /// What the watcher's node says of the one that the watched actor lives on.
  enum class standing : std::uint8_t {
    member,   ///< reachable or not
    gone,     ///< since this turn, or it can be known to be
    unknown,  ///< nothing
  };
  /// Why an end was told.
  enum class cause : std::uint8_t {
    stopped,
    node_gone,
    given_up,  ///< nobody told of its node in time
    other,
  };

  watch_checker(const scenario& how, const scheduler& clock, std::function<void(node_index, std::string)> on_violation)
      : how_{how}, clock_{clock}, on_violation_{std::move(on_violation)}, processes_(how.nodes) {}

  /// A process starts under this name, or goes on under it.
  void on_started(node_index at, const actor_node& as);
  void on_renamed(node_index at, const actor_node& as);
  void on_ended(node_index at);
  void on_actor_stopped(node_index at, const cluster::actor_key& which);

  [[nodiscard]] watch_number on_watch(node_index at, const actor_address& whom);
  void on_unwatch(node_index at, watch_number which);
  cause on_terminated(node_index at, watch_number which, standing of_node);
  /// All that was told in this turn has been.
  void on_turn(node_index at, bool is_member);

  [[nodiscard]] const actor_node& node_of(node_index at, watch_number which) const;
  /// There was one with a greater incarnation.
  [[nodiscard]] bool has_later_life(const actor_node& than) const;

  /// The first watch of which an end is still to be told, in words; empty if there is none.
  [[nodiscard]] std::string overdue() const;
  [[nodiscard]] std::uint64_t told() const noexcept { return told_; }

 private:
  struct watch {
    actor_address whom;
    bool is_open{true};
  };
  struct process {
    std::uint64_t life{0};  ///< no two processes of a run have one
    actor_node self;
    std::map<watch_number, watch> watches;
    std::set<watch_number> just_ended;          ///< by `unwatch`, in this turn
    std::map<actor_node, instant> asked_since;  ///< of whose actors the first watch is still open
    std::set<actor_node> just_given_up;         ///< of those, in this turn
  };

  template <typename... Args>
  void require(bool holds, node_index at, fmt::format_string<Args...> sentence, Args&&... args) {
    if (!holds) on_violation_(at, fmt::format(sentence, std::forward<Args>(args)...));
  }
  [[nodiscard]] bool has_stopped(const actor_address& which) const;

  const scenario& how_;
  const scheduler& clock_;
  std::function<void(node_index, std::string)> on_violation_;
  std::vector<process> processes_;
  std::map<actor_node, std::uint64_t> lives_;                       ///< which process was called so
  std::map<std::string, std::uint64_t> latest_;                     ///< the greatest incarnation of each name
  std::set<std::pair<std::uint64_t, cluster::actor_key>> stopped_;  ///< by process
  std::uint64_t lives_given_{0};
  watch_number watches_given_{0};
  std::uint64_t told_{0};
};

}  // namespace muster::sim::peers
