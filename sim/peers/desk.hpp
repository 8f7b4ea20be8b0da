#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "muster/base/prng.hpp"
#include "muster/receptionist/core.hpp"
#include "sim/peers/listing_checker.hpp"
#include "sim/peers/scenario.hpp"

namespace muster::sim::peers {

/// The receptionist of one process: its core, driven as its actor drives it, and the way of its own registrations to
/// the node, which may refuse late what was taken here.
class desk {
 public:
  desk(const scenario& how, gossip::node_id own, sabotage defect, prng& draws, listing_checker& watch);

  /// What the node has to do, in order.
  struct step {
    gossip::registration what;
    bool removes{false};
    std::uint64_t number{0};
  };

  // --- callers ---

  void add(const any_key& key, const gossip::entry& what);
  void remove(const any_key& key, const gossip::entry& what);
  void subscribe(const any_key& key, subscriber_id who);
  void unsubscribe(const any_key& key, subscriber_id who);
  void forget(subscriber_id who);
  void find(const any_key& key);

  // --- the node ---

  void handle(const receptionist::directory_news& news);
  /// The node had no room.
  void refuse(const step& what);

  /// What was registered goes on its way; then it is published, and told to the subscribers.
  [[nodiscard]] std::vector<step> end_turn();

  [[nodiscard]] const std::set<gossip::registration>& own() const noexcept { return own_; }
  [[nodiscard]] const receptionist::published& shown() const noexcept { return *shown_; }
  [[nodiscard]] const std::set<std::pair<any_key, subscriber_id>>& subscriptions() const noexcept {
    return subscriptions_;
  }

 private:
  const scenario& how_;
  sabotage defect_;
  prng& draws_;
  listing_checker& watch_;
  const std::shared_ptr<receptionist::published> shown_;
  receptionist::core core_;
  std::set<gossip::registration> own_;
  std::map<gossip::registration, std::uint64_t> last_added_;  ///< the number of the step
  std::set<std::pair<any_key, subscriber_id>> subscriptions_;
  std::vector<step> steps_;
  std::uint64_t steps_made_{0};
};

}  // namespace muster::sim::peers
