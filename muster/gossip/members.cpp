#include "muster/gossip/members.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace muster::gossip {

bool members::contains(const origin_id& who) const {
  const auto found = members_.find(who.node);
  return found != members_.end() && found->second.life == who.life;
}

std::optional<incarnation> members::life_of(const node_id& node) const {
  const auto found = members_.find(node);
  return found == members_.end() ? std::nullopt : std::optional{found->second.life};
}

bool members::is_up(const origin_id& who) const {
  const auto found = members_.find(who.node);
  return found != members_.end() && found->second.life == who.life && found->second.up_index != not_up;
}

std::vector<origin_id> members::pick(std::size_t count, prng& random, const origin_id& not_this,
                                     const origin_id& nor_this) const {
  const auto may_be = [&](const origin_id& one) { return one != not_this && one != nor_this; };
  std::vector<origin_id> out;
  if (up_.size() <= 2 * count + 2) {
    // Nearly all: a random order of them.
    std::ranges::copy_if(up_, std::back_inserter(out), may_be);
    for (std::size_t i = 0; i + 1 < out.size() && i < count; ++i) {
      std::swap(out[i], out[i + random.below(out.size() - i)]);
    }
    out.resize(std::min(count, out.size()));
    return out;
  }
  // Few out of many: each draw succeeds more often than not.
  while (out.size() < count) {
    const origin_id& one = up_[random.below(up_.size())];
    if (may_be(one) && std::ranges::find(out, one) == out.end()) {
      out.push_back(one);
    }
  }
  return out;
}

void members::take_from_up(member& one) {
  if (one.up_index == not_up) {
    return;
  }
  const std::uint32_t index = std::exchange(one.up_index, not_up);
  if (index + 1 < up_.size()) {
    up_[index] = std::move(up_.back());
    members_.find(up_[index].node)->second.up_index = index;
  }
  up_.pop_back();
}

void members::set_up(const origin_id& who) {
  member& one = members_[who.node];
  if (one.up_index != not_up) {
    up_[one.up_index].life = who.life;
  } else {
    one.up_index = static_cast<std::uint32_t>(up_.size());
    up_.push_back(who);
  }
  one.life = who.life;
}

void members::set_unreachable(const origin_id& who) {
  if (const auto found = members_.find(who.node); found != members_.end() && found->second.life == who.life) {
    take_from_up(found->second);
  }
}

void members::remove(const node_id& node) {
  if (const auto found = members_.find(node); found != members_.end()) {
    take_from_up(found->second);
    members_.erase(found);
  }
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
