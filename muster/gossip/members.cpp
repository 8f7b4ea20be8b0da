#include "muster/gossip/members.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "muster/base/spare.hpp"

namespace muster::gossip {

members::place members::place_of(const node_id& node) const {
  const auto found = by_node_.find(node);
  return found == by_node_.end() ? none : *found;
}

bool members::contains(const origin_id& who) const {
  const place at = place_of(who.node);
  return at != none && all_[at].life == who.life;
}

std::optional<incarnation> members::life_of(const node_id& node) const {
  const place at = place_of(node);
  return at == none ? std::nullopt : std::optional{all_[at].life};
}

bool members::is_up(const origin_id& who) const {
  const place at = place_of(who.node);
  return at < up_count_ && all_[at].life == who.life;
}

std::vector<origin_id> members::pick(std::size_t count, prng& random, const origin_id& not_this,
                                     const origin_id& nor_this) const {
  const auto may_be = [&](const origin_id& one) { return one != not_this && one != nor_this; };
  const std::span<const origin_id> up = this->up();
  std::vector<origin_id> out;
  if (up.size() <= 2 * count + 2) {
    // Nearly all: a random order of them.
    std::ranges::copy_if(up, std::back_inserter(out), may_be);
    for (std::size_t i = 0; i + 1 < out.size() && i < count; ++i) {
      std::swap(out[i], out[i + random.below(out.size() - i)]);
    }
    out.resize(std::min(count, out.size()));
    return out;
  }
  // Few out of many: each draw succeeds more often than not.
  while (out.size() < count) {
    const origin_id& one = up[random.below(up.size())];
    if (may_be(one) && std::ranges::find(out, one) == out.end()) {
      out.push_back(one);
    }
  }
  return out;
}

void members::swap_places(place left, place right) {
  if (left == right) {
    return;
  }
  // The index finds a place by who stands there.
  by_node_.erase(left);
  by_node_.erase(right);
  std::swap(all_[left], all_[right]);
  by_node_.insert(left);
  by_node_.insert(right);
}

members::place members::take_from_up(place which) {
  if (which >= up_count_) {
    return which;
  }
  --up_count_;
  const auto last = static_cast<place>(up_count_);
  swap_places(which, last);
  return last;
}

void members::set_up(const origin_id& who) {
  place at = place_of(who.node);
  if (at == none) {
    at = static_cast<place>(all_.size());
    reserve_one_more(all_);
    all_.push_back(who);
    by_node_.insert(at);
  }
  all_[at].life = who.life;
  if (at >= up_count_) {
    swap_places(at, static_cast<place>(up_count_));
    ++up_count_;
  }
}

void members::set_unreachable(const origin_id& who) {
  if (const place at = place_of(who.node); at != none && all_[at].life == who.life) {
    take_from_up(at);
  }
}

void members::remove(const node_id& node) {
  const place at = place_of(node);
  if (at == none) {
    return;
  }
  const auto last = static_cast<place>(all_.size() - 1);
  swap_places(take_from_up(at), last);
  by_node_.erase(last);
  all_.pop_back();
}

void members::forget(const origin_id& who, instant now, instant until, std::size_t most) {
  refused& one = forgotten_[who.node];
  one.life = std::max(one.life, who.life);
  one.until = std::max(one.until, until);
  by_age_.push_back({who, now, until});
  while (forgotten_.size() > most || by_age_.size() > 2 * most) {
    let_go_of_oldest();
  }
}

bool members::is_forgotten(const origin_id& who) const {
  const auto found = forgotten_.find(who.node);
  return found != forgotten_.end() && who.life <= found->second.life;
}

origin_id members::forgotten_of(const node_id& node) const {
  const auto found = forgotten_.find(node);
  return {node, found == forgotten_.end() ? incarnation{0} : found->second.life};
}

void members::refuse_nobody() {
  forgotten_.clear();
  by_age_.clear();
}

void members::let_go_of_oldest() {
  const auto found = forgotten_.find(by_age_.front().who.node);
  // Forgotten again since, it has a younger place in the queue.
  if (found != forgotten_.end() && found->second.until <= by_age_.front().until) {
    forgotten_.erase(found);
  }
  by_age_.pop_front();
}

void members::expire(instant now) {
  while (!by_age_.empty() && by_age_.front().until <= now) {
    let_go_of_oldest();
  }
}

void members::for_each_forgotten(instant since, const std::function<void(const origin_id&)>& visit) const {
  for (auto one = by_age_.rbegin(); one != by_age_.rend() && one->at >= since; ++one) {
    const auto found = forgotten_.find(one->who.node);
    if (found != forgotten_.end() && found->second.life == one->who.life) {
      visit(one->who);
    }
  }
}

}  // namespace muster::gossip
