#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "muster/actor/actor_address.hpp"
#include "muster/base/result.hpp"
#include "muster/gossip/identity.hpp"
#include "muster/gossip/ready.hpp"

namespace muster::cluster {

/// What became of the registrations that are visible here in one turn of the node. To be handled as one: the changes
/// of one turn make one listing.
struct registration_news {
  enum class reach : std::uint8_t {
    reachable,
    unreachable,
    gone,  ///< left or removed: its registrations vanish by changes of their own; reachable, should it be met again
  };
  struct reachability {
    actor_node node;
    reach now{reach::reachable};
  };

  /// In the order of their happening. Those of origins that go with their node are among them.
  std::vector<gossip::change> changes;
  /// Nodes are reachable until told otherwise.
  std::vector<reachability> nodes;
  /// This node goes on under a new incarnation. Its own registrations are among the changes: each vanishes from the
  /// old one and appears under the new one.
  std::optional<actor_node> renamed;

  [[nodiscard]] bool empty() const noexcept { return changes.empty() && nodes.empty() && !renamed; }
};

/// Follows the registrations of the cluster. Called on a turn of the node, which may take place
/// within a call that tells a receptionist something: it must not block, nor take a lock that others hold during such a
/// call, and copies what it wants
/// to keep.
class registration_observer {
 public:
  registration_observer() = default;
  registration_observer(const registration_observer&) = delete;
  registration_observer& operator=(const registration_observer&) = delete;
  virtual ~registration_observer() = default;

  virtual void handle_news(const registration_news& what) = 0;
};

/// The registrations of the cluster as one node sees them, and its own to be changed. Only for use on the node's turn:
/// within `node::post` and `registration_observer::handle_news`.
///
/// A change made here is visible here at once; others, and the observers, hear of it at the end of the turn.
class registrations {
 public:
  registrations() = default;
  registrations(const registrations&) = delete;
  registrations& operator=(const registrations&) = delete;
  virtual ~registrations() = default;

  [[nodiscard]] virtual actor_node self() const = 0;
  /// As `gossip::core::add` and `remove`, which name the bounds. They serve before the node has joined and after it has
  /// ended, too.
  [[nodiscard]] virtual result<bool> add(const gossip::shared_text& key, const gossip::entry& what) = 0;
  [[nodiscard]] result<bool> add(std::string_view key, const gossip::entry& what) {
    return add(gossip::shared_text{key}, what);
  }
  virtual bool remove(const gossip::shared_text& key, const gossip::entry& what) = 0;
  bool remove(std::string_view key, const gossip::entry& what) { return remove(gossip::shared_text{key}, what); }
  /// Removes all of this node's own, oldest first: many of them in several turns. What is posted to the node later runs
  /// when that is done, so whatever it adds stays.
  virtual void withdraw_own() = 0;

  virtual void for_each_entry(
      std::string_view key,
      const std::function<void(const gossip::origin_id& origin, const gossip::entry& what)>& visit) const = 0;
  virtual void for_each_own(
      const std::function<void(const gossip::shared_text& key, const gossip::entry& what)>& visit) const = 0;
  [[nodiscard]] virtual bool is_reachable(const actor_node& which) const = 0;

  /// From now on it is told the news; first, before this returns, all that is visible now, as one news.
  virtual void observe(std::shared_ptr<registration_observer> who) = 0;
  virtual void stop_observing(const registration_observer& who) = 0;
};

}  // namespace muster::cluster
