#include "sim/peers/recovery.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "sim/troubles.hpp"

namespace muster::sim::peers {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

namespace {

/// Whoever is taken for dead is removed after removal_timeout; removed ones are tried again every heal_interval, a few
/// of many at a time; whoever hears that it was removed begins anew, and a joiner tries again every join_retry_max.
duration converges_within(const scenario& how) {
  return 2 * how.core.membership.removal_timeout + how.core.membership.majority_delay + minutes{2};
}

/// What was left out over a bound is asked for again once a minute.
constexpr duration fills_within = minutes{2};
constexpr duration stays_quiet_for = seconds{15};
constexpr duration comes_up_within = seconds{3};
/// What is unconfirmed is sent again twice a second.
constexpr duration ends_are_told_within = seconds{5};

}  // namespace

template <typename Condition>
bool recovery::wait_until(Condition holds, duration bound) {
  return step_until(on_, holds, bound, milliseconds{100});
}

void recovery::heal() {
  on_.net().between().set_quality({});
  on_.net().between().heal_all();
  if (on_.defect() == sabotage::stays_cut) {
    // From all others: one cut link alone would be made up for by those who are asked to probe in its stead.
    const node_index alone = on_.at(0).host();
    for (node_index i = 0; i < on_.hosts(); ++i) {
      if (i == alone) continue;
      on_.net().between().set_cut(alone, i, true);
      on_.net().between().set_cut(i, alone, true);
    }
  }
  on_.net().set_faithful();
  on_.set_restart_after(comes_up_within);
  for (node_index i = 0; i < on_.size(); ++i) {
    on_.at(i).resume();
    if (!on_.at(i).runs()) on_.start_later(i, duration{static_cast<duration::rep>(on_.draws().below(1'000'000'000))});
  }
}

void recovery::restart_ended() {
  for (node_index i = 0; i < on_.size(); ++i) {
    if (on_.at(i).has_ended()) on_.at(i).kill();
  }
}

bool recovery::is_one_cluster() {
  for (node_index i = 0; i < on_.size(); ++i) {
    const auto* core = on_.at(i).core();
    if (core == nullptr || core->phase() != cluster::phase::joined) return false;
    const auto status = core->membership_status();
    if (status.up != on_.size() || status.unreachable != 0) return false;
  }
  for (node_index i = 0; i < on_.size(); ++i) {
    const auto seen = on_.at(i).core()->members();
    if (seen->members.size() != on_.size()) return false;
    for (const auto& one : seen->members) {
      const auto which = index_of_name(one.node.name);
      if (!which || !one.is_reachable || one.node != on_.at(*which).core()->self()) return false;
      if (one.address != address_of(on_.at(*which).host())) return false;
    }
  }
  return true;
}

bool recovery::is_one_truth() {
  std::uint64_t sum = 0;
  for (node_index i = 0; i < on_.size(); ++i) {
    const auto life = gossip::incarnation{on_.at(i).core()->self().incarnation.value()};
    for (const auto& one : on_.at(i).front()->own()) {
      sum += share_of_row(one.key.view(), {{gossip::node_id{on_.at(i).name()}, life}, one.what});
    }
  }
  for (node_index i = 0; i < on_.size(); ++i) {
    // What it lists of others, and its own under its present incarnation.
    const auto& self = on_.at(i).core()->registrations().self();
    std::uint64_t listed = 0;
    for (std::size_t k = 0; k < on_.how().keys; ++k) {
      const auto rows = on_.at(i).front()->shown().find(any_key{key_of(k)});
      if (!rows) continue;
      rows->for_each([&](const receptionist::row& one) {
        if (!rows->is_reachable(one)) listed += 1;
        listed += share_of_row(rows->key().view(),
                               {one.origin->is_own ? self : one.origin->id, {one.path, one.incarnation, one.type}});
      });
    }
    if (listed != sum) return false;
    if (on_.at(i).core()->registrations().root_hash() != on_.at(0).core()->registrations().root_hash()) return false;
  }
  return true;
}

std::string recovery::lacking() {
  std::string out;
  for (node_index i = 0; i < on_.size(); ++i) {
    const auto* core = on_.at(i).core();
    if (core == nullptr) {
      out += fmt::format("{} is down; ", on_.at(i).name());
      continue;
    }
    const auto status = core->membership_status();
    out += fmt::format("{} is {}, sees {} up and {} unreachable, has {} registrations, lists {} keys; ",
                       on_.at(i).name(), to_string(core->phase()), status.up, status.unreachable,
                       core->registrations().registration_count(), on_.at(i).front()->shown().key_count());
    if (out.size() > 1500) break;
  }
  return out;
}

void recovery::run() {
  on_.log().line(on_.clock().now(), "sim", "** all troubles end");
  heal();
  const instant began = on_.clock().now();
  if (on_.how().is_crowded()) callers_.make_room();
  // What callers asked for has been done, and who was about to leave has left.
  static_cast<void>(wait_until([] { return false; }, on_.how().core.membership.leave_timeout + seconds{1}));
  const auto is_whole = [this] {
    restart_ended();
    return is_one_cluster() && is_one_truth();
  };
  const duration bound = converges_within(on_.how()) + (on_.how().is_crowded() ? fills_within : duration{});
  if (!wait_until(is_whole, bound)) {
    on_.watch().on_violation(0, fmt::format("the cluster has not become equal to the truth within {} s: {}",
                                            std::chrono::duration_cast<seconds>(bound).count(), lacking()));
    return;
  }
  on_.log().line(on_.clock().now(), "sim", "** all is equal, after {} ms",
                 std::chrono::duration_cast<milliseconds>(on_.clock().now() - began).count());

  const std::uint64_t told = on_.watch().listings_told();
  static_cast<void>(wait_until([] { return false; }, stays_quiet_for));
  if (!on_.watch().violation().empty()) return;
  if (!is_one_cluster() || !is_one_truth()) {
    on_.watch().on_violation(0, fmt::format("the cluster was whole and is no more: {}", lacking()));
  } else if (on_.watch().listings_told() != told) {
    on_.watch().on_violation(
        0, fmt::format("{} listings were told though nothing changed", on_.watch().listings_told() - told));
  } else {
    end_watches();
  }
}

void recovery::end_watches() {
  callers_.stop_watched();
  const auto remembered = [this] {
    std::size_t out = 0;
    for (node_index i = 0; i < on_.size(); ++i) {
      const auto& all = on_.at(i).core()->actors();
      out += all.watch_count() + all.watched_count();
    }
    return out;
  };
  static_cast<void>(
      wait_until([&] { return remembered() == 0 && on_.watch().watches().overdue().empty(); }, ends_are_told_within));
  if (!on_.watch().violation().empty()) return;
  if (const std::string overdue = on_.watch().watches().overdue(); !overdue.empty()) {
    on_.watch().on_violation(0, overdue);
  } else if (remembered() != 0) {
    on_.watch().on_violation(
        0, fmt::format("all that was watched has ended, and {} watches are remembered", remembered()));
  }
}

}  // namespace muster::sim::peers
