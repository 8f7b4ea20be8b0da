#include "sim/peers/listing_checker.hpp"

#include "sim/digest.hpp"
#include "sim/peers/ledger.hpp"

namespace muster::sim::peers {

using receptionist::core;
using receptionist::reachability;
using receptionist::roster_ptr;
using receptionist::row;

std::uint64_t share_of_row(std::string_view key, const listing_checker::row_id& which) {
  const auto& [origin, what] = which;
  digest sum;
  sum.add(origin.node.view());
  sum.add(origin.life.value());
  sum.add(share_of({gossip::shared_text{key}, what}));
  return sum.value();
}

namespace {

/// One that is unreachable counts otherwise.
std::uint64_t listed(std::uint64_t share, bool is_reachable) { return is_reachable ? share : share * 3; }

}  // namespace

// --- what it is given ---

void listing_checker::change(const any_key& key, const row_id& which, bool vanished) {
  wanted_listing& listing = rows_[key];
  const bool is_there = listing.rows.contains(which);
  require(is_there == vanished, "{} of {} under '{}' {}", which.second.path, which.first, key,
          vanished ? "vanishes and was not there" : "appears and was there");
  if (is_there != vanished) return;
  const std::uint64_t share = share_of_row(key.id(), which);
  listing.sum.reset();
  if (vanished) {
    listing.rows.erase(which);
  } else {
    listing.rows.emplace(which, share);
  }
  auto& count = rows_of_[which.first];
  count += vanished ? 0 - std::size_t{1} : 1;
  if (count == 0) rows_of_.erase(which.first);
  if (which.first != own_) others_sum_ += vanished ? 0 - share : share;
  touched_.insert(key);
}

void listing_checker::set_reach(const reachability& what) {
  const bool is_unreachable = what.now == reachability::state::unreachable;
  const bool differs = is_unreachable ? unreachable_.insert(what.origin).second : unreachable_.erase(what.origin) > 0;
  if (!differs) return;
  for (auto& [key, listing] : rows_) {
    listing.sum.reset();
    touched_.insert(key);
  }
}

void listing_checker::on_own(const any_key& key, const gossip::entry& what, bool is_withdrawn) {
  change(key, {own_, what}, is_withdrawn);
}

void listing_checker::on_news(const receptionist::directory_news& news) {
  for (const gossip::change& one : news.changes) {
    if (one.origin.node != own_.node) change(any_key{one.key}, {one.origin, one.what}, one.vanished);
  }
  for (const reachability& one : news.reach) {
    set_reach(one);
    require(one.now != reachability::state::gone || !rows_of_.contains(one.origin),
            "{} is gone, and {} of its registrations are listed", one.origin,
            rows_of_.contains(one.origin) ? rows_of_.at(one.origin) : 0);
  }
  if (expected_.empty()) return on_violation_("the receptionist hears news that its node did not tell");
  require(expected_.front() == others_sum_, "the receptionist does not list what its node had told by then");
  expected_.pop_front();
}

// --- what it shows ---

std::uint64_t listing_checker::sum_of(const roster_ptr& rows) {
  if (!rows) return 0;
  if (rows == last_summed_) return last_sum_;
  std::uint64_t sum = 0;
  std::size_t count = 0;
  const row* before = nullptr;
  rows->for_each([&](const row& one) {
    const row_id which{one.origin->is_own ? own_ : one.origin->id, {one.path, one.incarnation, one.type}};
    sum += listed(share_of_row(rows->key().view(), which), rows->is_reachable(one));
    require(before == nullptr || *before < one, "the listing of '{}' is not in order", rows->key());
    before = &one;
    ++count;
  });
  require(count > 0 && count == rows->size(), "the listing of '{}' says {} and has {}", rows->key(), rows->size(),
          count);
  last_summed_ = rows;
  last_sum_ = sum;
  return sum;
}

std::uint64_t listing_checker::expected_sum_of(const any_key& key) {
  const auto found = rows_.find(key);
  if (found == rows_.end()) return 0;
  auto& [rows, sum] = found->second;
  if (!sum) {
    sum = 0;
    for (const auto& [which, share] : rows) *sum += listed(share, !unreachable_.contains(which.first));
  }
  return *sum;
}

void listing_checker::on_found(const any_key& key, const roster_ptr& rows) {
  require(sum_of(rows) == expected_sum_of(key), "what is found under '{}' is not what is registered", key);
}

void listing_checker::on_subscribed(const any_key& key, subscriber_id who, const core::subscribed& outcome) {
  auto& of_key = told_[key];
  const auto& bounds = how_.subscribers;
  const bool over_key = of_key.size() >= bounds.subscribers_per_key_max;
  const bool over_total = subscriptions_ >= bounds.subscribers_total_max;
  core::outcome expected = core::outcome::subscribed;
  if (of_key.contains(who)) {
    expected = core::outcome::again;
  } else if (over_key) {
    expected = core::outcome::over_per_key;
  } else if (over_total) {
    expected = core::outcome::over_total;
  }
  require(outcome.what == expected, "subscriber {} of '{}' is answered {} instead of {}", who, key,
          static_cast<int>(outcome.what), static_cast<int>(expected));
  if (outcome.what == core::outcome::over_per_key || outcome.what == core::outcome::over_total) return;
  subscriptions_ += outcome.what == core::outcome::subscribed ? 1 : 0;
  on_found(key, outcome.rows);
  of_key[who] = sum_of(outcome.rows);
  ++told_count_;
}

void listing_checker::on_unsubscribed(const any_key& key, subscriber_id who) {
  subscriptions_ -= told_[key].erase(who);
}

void listing_checker::on_told(const any_key& key, subscriber_id who, const roster_ptr& rows) {
  const auto subscription = told_[key].find(who);
  if (subscription == told_[key].end()) {
    on_violation_(fmt::format("{} is told of '{}' and does not subscribe to it", who, key));
    return;
  }
  const std::uint64_t sum = sum_of(rows);
  require(sum == expected_sum_of(key), "subscriber {} of '{}' is told something else than is registered", who, key);
  require(sum != subscription->second, "subscriber {} of '{}' is told what it had been told", who, key);
  subscription->second = sum;
  ++told_count_;
}

void listing_checker::on_turn(const receptionist::published& shown) {
  for (const any_key& key : std::exchange(touched_, {})) {
    const std::uint64_t sum = sum_of(shown.find(key));
    require(sum == expected_sum_of(key), "what is published under '{}' is not what is registered", key);
    for (const auto& [who, told] : told_[key]) {
      require(told == sum, "subscriber {} of '{}' was told something else than anybody finds", who, key);
    }
  }
}

void listing_checker::check_all(const receptionist::published& shown) {
  for (std::size_t i = 0; i < how_.keys; ++i) touched_.insert(any_key{key_of(i)});
  on_turn(shown);
}

}  // namespace muster::sim::peers
