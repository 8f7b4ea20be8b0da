#include "sim/peers/watch_checker.hpp"

#include <algorithm>

namespace muster::sim::peers {

namespace {
/// Clocks run wrong by a twentieth at most, in either direction.
constexpr int patience_percent = 90;
}  // namespace

void watch_checker::on_started(node_index at, const actor_node& as) {
  processes_[at] = process{};
  processes_[at].life = ++lives_given_;
  on_renamed(at, as);
}

void watch_checker::on_renamed(node_index at, const actor_node& as) {
  processes_[at].self = as;
  lives_[as] = processes_[at].life;
  std::uint64_t& latest = latest_[as.name];
  latest = std::max(latest, as.incarnation.value());
}

void watch_checker::on_ended(node_index at) { processes_[at] = process{}; }

void watch_checker::on_actor_stopped(node_index at, const cluster::actor_key& which) {
  stopped_.emplace(processes_[at].life, which);
}

bool watch_checker::has_stopped(const actor_address& which) const {
  const auto life = lives_.find(which.node);
  return life != lives_.end() && stopped_.contains({life->second, {which.path, which.incarnation.value()}});
}

bool watch_checker::has_later_life(const actor_node& than) const {
  const auto latest = latest_.find(than.name);
  return latest != latest_.end() && latest->second > than.incarnation.value();
}

watch_number watch_checker::on_watch(node_index at, const actor_address& whom) {
  processes_[at].watches.emplace(++watches_given_, watch{whom});
  processes_[at].asked_since.try_emplace(whom.node, clock_.now());
  return watches_given_;
}

void watch_checker::on_unwatch(node_index at, watch_number which) {
  const auto known = processes_[at].watches.find(which);
  if (known == processes_[at].watches.end() || !known->second.is_open) return;
  known->second.is_open = false;
  // What ended it may have come in the same turn: then it is told all the same.
  processes_[at].just_ended.insert(which);
}

const actor_node& watch_checker::node_of(node_index at, watch_number which) const {
  return processes_[at].watches.at(which).whom.node;
}

watch_checker::cause watch_checker::on_terminated(node_index at, watch_number which, standing of_node) {
  process& of = processes_[at];
  watch& known = of.watches.at(which);
  const actor_address& whom = known.whom;
  require(known.is_open || of.just_ended.erase(which) != 0, at,
          "the end of {} is told to watch {}, which has ended or has been told before", whom, which);
  known.is_open = false;
  ++told_;
  if (has_stopped(whom)) return cause::stopped;
  if (of_node == standing::gone) return cause::node_gone;
  if (how_.has_few_watches()) return cause::other;
  require(of_node != standing::member, at, "the end of {} is told, which has not stopped, and its node is a member",
          whom);
  const auto since = of.asked_since.find(whom.node);
  require(since != of.asked_since.end() &&
              clock_.now() - since->second >= how_.core.unknown_node_timeout * patience_percent / 100,
          at, "the end of {} is told, of whose node nobody has said that it is gone", whom);
  of.just_given_up.insert(whom.node);
  return cause::given_up;
}

void watch_checker::on_turn(node_index at, bool is_member) {
  process& of = processes_[at];
  of.just_ended.clear();
  for (const actor_node& one : of.just_given_up) of.asked_since.erase(one);
  of.just_given_up.clear();
  if (is_member) return;
  for (const auto& [number, one] : of.watches) {
    require(!one.is_open, at, "it is no member any more, and watch {} over {} has not ended", number, one.whom);
  }
}

std::string watch_checker::overdue() const {
  for (const process& of : processes_) {
    for (const auto& [number, one] : of.watches) {
      if (!one.is_open) continue;
      const actor_node& where = one.whom.node;
      const bool lives = std::ranges::any_of(processes_, [&](const process& its) { return its.self == where; });
      if (lives && !has_stopped(one.whom)) continue;
      return fmt::format("{} was never told of the end of {} (watch {})", of.self.name, one.whom, number);
    }
  }
  return {};
}

}  // namespace muster::sim::peers
