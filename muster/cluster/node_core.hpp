#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "muster/base/instant.hpp"
#include "muster/base/prng.hpp"
#include "muster/base/result.hpp"
#include "muster/cluster/frame.hpp"
#include "muster/cluster/options.hpp"
#include "muster/cluster/peer_table.hpp"
#include "muster/cluster/ready.hpp"
#include "muster/cluster/remote_actors.hpp"
#include "muster/gossip/core.hpp"
#include "muster/membership/participant.hpp"

namespace muster::cluster {

/// What one node has counted since it began; never falls.
struct node_counters {
  std::uint64_t frames_received{0};
  std::uint64_t bytes_received{0};
  std::uint64_t frames_sent{0};
  std::uint64_t bytes_sent{0};
  std::uint64_t gossip_bytes_sent{0};  ///< of these, on the channel of that name
  std::uint64_t oversized{0};
  std::uint64_t malformed{0};
  std::uint64_t other_cluster{0};
  std::uint64_t impersonated{0};    ///< the sender is not who it says
  std::uint64_t from_strangers{0};  ///< of a kind that only members may send
  std::uint64_t come_backs{0};      ///< under a new incarnation
  remote_actors::counters actors;
};

/// A node of a cluster: membership, gossip and what actors of different nodes have to do with each other, under one
/// name. A sans-IO object owned by one strand: inputs are `handle_*` and the changes of registrations, effects are data
/// from `poll_ready`. The driver's loop, after any number of inputs (a *turn*):
///
///     auto effects = core.poll_ready(now());      // then, in the order of its members
///     wake_at(core.next_deadline());              // then handle_tick
///
/// Always holds:
/// - membership, gossip and actors speak under the same incarnation, and take others' incarnations alike: what is
///   visible, delivered or watched belongs to a member;
/// - of a node's end each watch over its actors brings exactly one `terminated`;
/// - what comes from outside is bounded, checked and counted; an offender is named once.
class node_core {
 public:
  /// `how.name` and `how.cluster` are set; `address` is how others reach this node. `wall_clock_ms` makes the
  /// incarnation. `random` outlives the core. `invalid_argument` for options that make no sense.
  [[nodiscard]] static result<std::unique_ptr<node_core>> make(options how, std::string address,
                                                               std::uint64_t wall_clock_ms, prng& random, instant now);
  node_core(const node_core&) = delete;
  node_core& operator=(const node_core&) = delete;
  ~node_core() = default;

  // --- from the transport ---

  void handle_frame(byte_view frame, std::string_view authenticated_name, instant now);
  void handle_connection_lost(std::string_view address, instant now);
  void handle_connection_refused(std::string_view address, instant now);

  // --- from the owner ---

  /// Leaves gracefully: others are told, then `members->phase` becomes `ended`, within membership::leave_timeout.
  void handle_leave(instant now);
  void handle_tick(instant now);
  [[nodiscard]] ready poll_ready(instant now);
  /// When `handle_tick` is due; `instant_never` if only an input can change anything.
  [[nodiscard]] instant next_deadline() const;

  // --- this node's registrations: as gossip::core ---

  [[nodiscard]] result<bool> add(const gossip::shared_text& key, const gossip::entry& what) {
    return gossip_->add(key, what);
  }
  [[nodiscard]] result<bool> add(std::string_view key, const gossip::entry& what) { return gossip_->add(key, what); }
  bool remove(const gossip::shared_text& key, const gossip::entry& what) { return gossip_->remove(key, what); }
  bool remove(std::string_view key, const gossip::entry& what) { return gossip_->remove(key, what); }
  std::size_t remove_oldest(std::size_t most) { return gossip_->remove_oldest(most); }
  [[nodiscard]] const gossip::core& registrations() const noexcept { return *gossip_; }
  /// As they hold: not all is as it was asked for.
  [[nodiscard]] const gossip::options& gossip_options() const noexcept { return how_.gossip; }
  /// Within the bounds of `gossip::options::check`.
  void set_gossip_interval(duration wanted, instant now) { gossip_->set_gossip_interval(wanted, now); }

  // --- from this node's actors ---

  void handle_tell(const actor_address& to, std::string_view name, bytes content);
  void handle_watch(const death_watch& who, instant now);
  void handle_unwatch(const death_watch& who, instant now);
  void handle_stop(const actor_address& which, stop_when when);
  /// The end of one that `ready::watches` asked for.
  void handle_local_ended(const actor_key& which, instant now);
  /// The outcome of a `ready::deliveries` that could not be handed over.
  void handle_undelivered(const delivery& what, fate why);
  /// The transport refused an `outgoing` that carried this message.
  void handle_refused(const actor_address& told);

  // --- reads ---

  [[nodiscard]] const actor_node& self() const noexcept { return self_; }
  [[nodiscard]] const std::string& address() const noexcept { return address_; }
  [[nodiscard]] cluster::phase phase() const noexcept { return phase_; }
  /// A member, unreachable ones included; not this node.
  [[nodiscard]] bool is_member(const actor_node& which) const;
  [[nodiscard]] bool is_reachable(const actor_node& which) const;
  [[nodiscard]] std::shared_ptr<const member_snapshot> members() const;
  [[nodiscard]] node_counters counted() const;
  [[nodiscard]] membership::status membership_status() const { return participant_->status(); }
  [[nodiscard]] const remote_actors& actors() const noexcept { return actors_; }

 private:
  node_core(options how, std::string address, std::uint64_t wall_clock_ms, prng& random, instant now);
  [[nodiscard]] result<void> begin(instant now);
  [[nodiscard]] result<void> take_part(membership::incarnation as, const std::vector<std::string>& seeds,
                                       std::string_view invited_by, instant now);

  // What comes in.
  void handle_gossip(const frame_view& frame, instant now);
  void handle_actors(const frame_view& frame, instant now);
  /// The member that speaks, or null: counted then.
  [[nodiscard]] const known_node* speaker(const frame_view& frame);
  /// One line in the log for each kind of offence of each offender.
  void blame(std::string_view offence, std::string_view offender, std::string_view sentence);

  // What goes out.
  void take_membership(instant now);
  /// True when this node had to come back.
  bool take_gossip(instant now);
  void take_actors();
  void send(const std::string& to_address, channel on, const shared_frame& frame,
            std::optional<actor_address> told = {});
  [[nodiscard]] shared_frame frame_of(channel about, byte_view payload) const;

  // Members.
  void handle_member(const membership::event& what, instant now);
  void set_up(const membership::member_ptr& who, instant now);
  void set_reachable(const known_node& who, bool is_reachable, instant now);
  void remove_peer(std::string_view name, member_event_kind how, instant now);
  [[nodiscard]] known_node_ptr take_out(std::string_view name, member_event_kind how);
  void expire_old(instant now);
  /// The member of that name, if the participant has one, is a peer again.
  void meet_again(std::string_view name, instant now);
  void come_back(std::uint64_t above, std::vector<std::string> seeds, std::string_view invited_by,
                 std::string_view sentence, instant now);
  void end(std::string why, instant now);
  void set_phase(cluster::phase next);
  [[nodiscard]] std::uint64_t wall_clock_ms(instant now) const;
  [[nodiscard]] std::size_t frame_bytes_max() const noexcept;

  options how_;
  std::string address_;
  prng& random_;
  const std::uint64_t wall_clock_ms_;
  const instant began_;
  std::uint64_t cluster_key_;
  actor_node self_;
  cluster::phase phase_{cluster::phase::joining};
  std::string why_ended_;
  std::unique_ptr<membership::participant> participant_;
  std::unique_ptr<gossip::core> gossip_;
  remote_actors actors_;
  peer_table peers_;
  std::uint64_t refused_above_{0};  // gossip takes a greater incarnation only
  bool members_changed_{true};
  std::set<std::string, std::less<>> blamed_;
  node_counters counted_;
  ready out_;
};

}  // namespace muster::cluster
