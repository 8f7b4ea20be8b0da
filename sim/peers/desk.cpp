#include "sim/peers/desk.hpp"

#include <utility>

namespace muster::sim::peers {

using receptionist::core;

desk::desk(const scenario& how, gossip::node_id own, sabotage defect, prng& draws, listing_checker& watch)
    : how_{how},
      defect_{defect},
      draws_{draws},
      watch_{watch},
      shown_{std::make_shared<receptionist::published>()},
      core_{how.subscribers, shown_, std::move(own), nullptr} {}

void desk::add(const any_key& key, const gossip::entry& what) {
  if (core_.has_own(key, what) || own_.size() >= how_.core.gossip.registrations_per_origin_max) return;
  const gossip::registration whole{key.text(), what};
  steps_.push_back({whole, false, ++steps_made_});
  last_added_[whole] = steps_made_;
  own_.insert(whole);
  watch_.on_own(key, what, false);
  (void)core_.add_own(key, what);
}

void desk::remove(const any_key& key, const gossip::entry& what) {
  if (!core_.remove_own(key, what)) return;
  const gossip::registration whole{key.text(), what};
  watch_.on_own(key, what, true);
  own_.erase(whole);
  if (defect_ == sabotage::forgets_withdrawals && draws_.chance(1, 20)) return;
  steps_.push_back({whole, true, ++steps_made_});
}

void desk::refuse(const step& what) {
  // It may have been withdrawn meanwhile, and registered once more.
  if (last_added_[what.what] != what.number || own_.erase(what.what) == 0) return;
  watch_.on_own(any_key{what.what.key}, what.what.what, true);
  (void)core_.remove_own(any_key{what.what.key}, what.what.what);
}

void desk::subscribe(const any_key& key, subscriber_id who) {
  const core::subscribed outcome = core_.subscribe(key, who);
  watch_.on_subscribed(key, who, outcome);
  if (outcome.what == core::outcome::subscribed) subscriptions_.emplace(key, who);
}

void desk::unsubscribe(const any_key& key, subscriber_id who) {
  if (!core_.unsubscribe(key, who)) return;
  watch_.on_unsubscribed(key, who);
  subscriptions_.erase({key, who});
}

void desk::forget(subscriber_id who) {
  core_.forget(who);
  std::erase_if(subscriptions_, [&](const auto& one) {
    if (one.second != who) return false;
    watch_.on_unsubscribed(one.first, who);
    return true;
  });
}

void desk::find(const any_key& key) { watch_.on_found(key, core_.current(key)); }

void desk::handle(const receptionist::directory_news& news) {
  watch_.on_news(news);
  core_.handle(news);
}

std::vector<desk::step> desk::end_turn() {
  for (const core::notice& one : core_.poll_notices()) {
    for (const auto& [who, told] : one.to) {
      if (defect_ == sabotage::withholds_listings && draws_.chance(1, 50)) continue;
      watch_.on_told(one.key, who, one.rows);
      if (defect_ == sabotage::repeats_listings && draws_.chance(1, 50)) watch_.on_told(one.key, who, one.rows);
    }
  }
  watch_.on_turn(*shown_);
  return std::exchange(steps_, {});
}

}  // namespace muster::sim::peers
