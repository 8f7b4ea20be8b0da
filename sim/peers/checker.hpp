#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "muster/cluster/node_core.hpp"
#include "sim/peers/ledger.hpp"
#include "sim/peers/listing_checker.hpp"
#include "sim/peers/scenario.hpp"
#include "sim/peers/watch_checker.hpp"
#include "sim/scheduler.hpp"

namespace muster::sim::peers {

/// Holds what every node shows, and what each turn has changed in it, against the promises of the design (section
/// "Plane A"). It looks from outside, and believes of the core only the version at which it says an origin to be.
///
/// 1. What is visible of an origin is exactly what it had registered itself at that version, no more and no less (a
///    part of it where a bound is exceeded); versions never fall within an incarnation, and nobody knows one that was
///    never made.
/// 2. Only registrations of members are visible. One of an incarnation that has left, was removed or has a successor
///    is visible no more from that very turn on, and neither it nor the incarnation comes back within the horizon.
/// 3. What has vanished comes back only when its origin has registered it anew.
/// 4. Each incarnation is up, then unreachable and reachable by turns, then left or removed; the list of members says
///    the same as the events; the news of registrations, too.
/// 5. A message between actors is handed over at most once, in order, to the incarnation that it was meant for.
/// 6. Frames, members, registrations and what is remembered keep their bounds.
/// 7. What a receptionist lists and tells: listing_checker.hpp.
/// 8. What is told of the ends of watched actors: watch_checker.hpp.
/// 9. A life of a node is told of with the address at which it listens.
class checker {
 public:
  checker(const scenario& how, const scheduler& clock)
      : how_{how},
        clock_{clock},
        watches_{how, clock, [this](node_index at, std::string what) { on_violation(at, std::move(what)); }},
        views_(how.nodes) {}
  checker(const checker&) = delete;
  checker& operator=(const checker&) = delete;
  ~checker() = default;

  void on_started(node_index at, const cluster::node_core& core);
  /// An operation of this node itself, just made.
  void on_operation(node_index at, const cluster::node_core& core, const gossip::registration& what, bool removes);
  void on_turn(node_index at, const cluster::node_core& core, const cluster::ready& effects);
  /// The end of what it watches is told, in the turn that was reported last.
  void on_terminated(node_index at, const cluster::node_core& core, watch_number which);
  void on_ended(node_index at);
  /// The number for the next message of this life of a node to any other.
  [[nodiscard]] std::uint64_t on_tell(const cluster::node_core& from) { return ++told_[from.self()]; }
  void on_violation(node_index at, std::string what);

  /// The sentence about the first promise broken; empty as long as none is.
  [[nodiscard]] const std::string& violation() const noexcept { return violation_; }
  /// That of the process that runs there.
  [[nodiscard]] listing_checker& listings(node_index at) { return *views_[at].listings; }
  [[nodiscard]] std::uint64_t listings_told() const noexcept;
  [[nodiscard]] watch_checker& watches() noexcept { return watches_; }
  /// How often what happened: see `happening`.
  [[nodiscard]] const std::vector<std::uint64_t>& happened() const noexcept { return happened_; }

  /// What a run must come across to prove anything.
  enum class happening : std::uint8_t {
    up,
    unreachable,
    reachable,
    left,
    removed,
    came_back,        ///< under a new incarnation
    ended_by_others,  ///< no majority, or a successor
    whole_installed,  ///< all registrations of an origin at once
    in_chunks,
    gap,
    left_out,  ///< over a bound
    message_delivered,
    actor_ended,     ///< one that was watched has stopped
    actor_lost,      ///< or its node is gone
    watch_given_up,  ///< nobody has told of its node
  };
  static constexpr std::size_t happenings = 15;
  void note(happening what) { ++happened_[static_cast<std::size_t>(what)]; }

 private:
  struct member_view {
    std::uint64_t life{0};
    bool is_reachable{true};
  };
  struct origin_view {
    gossip::version at;
    std::uint64_t sum{0};
    std::set<gossip::registration> shown;
    std::map<gossip::registration, gossip::version> vanished;
  };
  /// One process as it has shown itself so far.
  struct view {
    std::string name;
    actor_node self;
    cluster::phase phase{cluster::phase::joining};
    std::map<std::string, member_view> members;
    /// Incarnations that are gone here, since this node took its present one.
    std::map<std::string, std::set<std::uint64_t>> gone;
    /// Members when it took its present incarnation: they may go because they are not met again, and be met then.
    std::map<std::string, std::uint64_t> old;
    std::set<actor_node> just_gone;  ///< in this turn
    std::set<actor_node> just_met;   ///< after the end of a watch that had waited for it, perhaps
    std::map<gossip::origin_id, origin_view> origins;
    std::uint64_t root{0};
    std::uint64_t others_sum{0};
    std::map<actor_node, std::uint64_t> delivered;  ///< the number of the last message
    gossip::counters counted;
    std::unique_ptr<listing_checker> listings;
  };

  template <typename... Args>
  void require(bool holds, const view& of, fmt::format_string<Args...> sentence, Args&&... args) {
    if (!holds && violation_.empty()) {
      violation_ = fmt::format("{}: {}", of.name, fmt::format(sentence, std::forward<Args>(args)...));
    }
  }

  void check_name(view& of, const cluster::node_core& core, const cluster::ready& effects);
  void check_members(view& of, const cluster::node_core& core, const cluster::ready& effects);
  void follow(view& of, const cluster::member_event& what);
  void check_reach(view& of, const cluster::ready& effects);
  void check_changes(view& of, const cluster::node_core& core, const cluster::registration_news& news);
  void show(view& of, const gossip::change& what);
  void check_origins(view& of, const cluster::node_core& core);
  void check_origin(view& of, const cluster::node_core& core, const gossip::origin_status& status);
  void check_reappearances(view& of, const cluster::registration_news& news);
  void check_frames(view& of, const cluster::ready& effects);
  void check_deliveries(view& of, const cluster::ready& effects);
  void check_bounds(view& of, const cluster::node_core& core);
  void count(view& of, const cluster::node_core& core, const cluster::ready& effects);
  /// Its address was that of one with a greater incarnation, which then counts as the later one.
  [[nodiscard]] bool has_later_neighbour(const actor_node& than) const;
  /// The incarnation may be a member although it, or a later one, was gone here.
  [[nodiscard]] bool is_past_horizon(const std::string& name, std::uint64_t life) const;

  const scenario& how_;
  const scheduler& clock_;
  watch_checker watches_;
  ledger ledger_;
  std::map<actor_node, std::string> addresses_;  ///< of every life that there was
  std::vector<view> views_;
  std::map<actor_node, std::uint64_t> told_;  ///< by whom: the number of the last message
  std::uint64_t listings_told_{0};
  std::vector<std::uint64_t> happened_ = std::vector<std::uint64_t>(happenings);
  std::string violation_;
};

[[nodiscard]] std::string_view to_string(checker::happening what) noexcept;

}  // namespace muster::sim::peers
