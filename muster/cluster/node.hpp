#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "muster/actor/actor_system.hpp"
#include "muster/base/result.hpp"
#include "muster/cluster/inbound_codecs.hpp"
#include "muster/cluster/members.hpp"
#include "muster/cluster/options.hpp"
#include "muster/cluster/registrations.hpp"
#include "muster/cluster/transport.hpp"

namespace muster::cluster {

class node_core;
struct node_state;

/// An actor system's place in a cluster: a handle, for any thread. The node itself is the actor /system/cluster/node,
/// which owns a `node_core` and ends with the system: its peers are told then, as far as can be done without waiting.
class node {
 public:
  explicit node(std::shared_ptr<node_state> state) noexcept : state_{std::move(state)} {}

  /// The name and incarnation that this node has now; it may have come back under another incarnation since.
  [[nodiscard]] actor_node self() const;
  /// Both are handles to one node.
  [[nodiscard]] bool is_same(const node& other) const noexcept { return state_ == other.state_; }
  /// How others reach it.
  [[nodiscard]] const std::string& address() const noexcept;
  [[nodiscard]] std::shared_ptr<const member_snapshot> members() const;
  /// Tells the members of now, and then each change, until the actor stops or is taken out.
  void subscribe(actor_ref<member_news> who) const;
  void unsubscribe(const actor_ref<member_news>& who) const;

  /// Leaves gracefully: peers hear of it first, then `when_left` is called on a turn of the node, within
  /// `membership::options::leave_timeout`, or at once where the node has ended.
  void leave(std::function<void()> when_left = {}) const;

  /// Runs on a turn of the node, where the registrations may be read, changed and observed.
  void post(std::function<void(registrations&)> what) const;
  /// Likewise, to look at all of it.
  void inspect(std::function<void(const node_core&)> what) const;
  /// The bounds of the registrations.
  [[nodiscard]] const gossip::options& bounds() const noexcept;
  /// How often this node compares its registrations with those of a random member.
  [[nodiscard]] duration gossip_interval() const noexcept;
  /// From its next turn on. `invalid_argument` when it is out of bounds; `conflict` when the node was given one in its
  /// options that is neither this one nor the default.
  [[nodiscard]] result<void> set_gossip_interval(duration wanted) const;

 private:
  friend class registrar;
  /// As `post`, with a function that calls nothing of a user's.
  void change(std::function<void(registrations&)> what) const;

  std::shared_ptr<node_state> state_;
};

/// What joins a node to its cluster, beside the options.
struct attachment {
  std::shared_ptr<transport> over{};
  std::shared_ptr<const inbound_codecs> codecs{};  ///< null: this node's actors take no messages from others
  /// Makes incarnations, with chance from `seed`: read from the wall clock, drawn from entropy by the caller.
  std::uint64_t wall_clock_ms{0};
  std::uint64_t seed{0};
};

/// Makes the system a node of a cluster and begins to join; once for a system. The name and incarnation of the system's
/// node are set, and the way to actors of other nodes. Returns at once: registrations and members are served from now
/// on, and `member_news` tells when the cluster has been found.
/// `invalid_argument` for options that make no sense, else what the transport says.
[[nodiscard]] result<std::shared_ptr<node>> try_join(actor_system& system, options how, attachment by);
/// Throws `refused` with that error.
[[nodiscard]] std::shared_ptr<node> join(actor_system& system, options how, attachment by);

}  // namespace muster::cluster
