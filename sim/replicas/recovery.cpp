#include "sim/replicas/recovery.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include "sim/troubles.hpp"

namespace muster::sim::replicas {

using replication::phase;
using replication::role;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {
// A refused or lost slave waits at most retry_delay_max between two attempts, and a silent master is noticed after
// master_silence_timeout: what converges by itself does so in one round. In each further one the operator does what the
// refusals tell him.
constexpr duration refusal_patience = seconds{15};
constexpr int rounds_max = 4;
constexpr duration change_bound = seconds{10};
}  // namespace

void recovery::run() {
  heal();
  master_ = choose_master();
  on_.on_refused_start([this](node_index who) { refused_start(who); });
  on_.log().line(on_.clock().now(), "sim", "** all troubles end; {} shall be the master", on_.at(master_).name());
  assign_roles();
  for (int round = 0; !wait_until([this] { return converged(); }, refusal_patience); ++round) {
    if (!on_.watch().violation().empty()) return;
    if (round == rounds_max) {
      on_.watch().on_violation(fmt::format("the cluster has not converged: {}", describe_all()));
      return;
    }
    treat();
  }
  check_change_goes_through();
}

void recovery::heal() {
  on_.net().between().heal_all();
  on_.net().set_faithful();
  on_.net().between().set_quality({});
  for (node_index i = 0; i < on_.size(); ++i) {
    on_.at(i).storage().set_trouble(disk::trouble::none);
    on_.at(i).set_commit_time(milliseconds{1});
    on_.at(i).set_files_fail(false);
    on_.at(i).resume();
  }
}

node_index recovery::choose_master() {
  const auto standing = [this](node_index i) {
    const auto& held = on_.watch().durable_history(i);
    const bool serves = on_.at(i).runs() && on_.at(i).core()->takes_changes();
    return std::tuple{held.has_copy() && on_.watch().holds_all_answered(i), held.terms.current().number, serves,
                      held.acknowledged, held.last};
  };
  node_index best = 0;
  for (node_index i = 1; i < on_.size(); ++i) {
    if (standing(i) > standing(best)) best = i;
  }
  return best;
}

void recovery::assign_roles() {
  for (node_index i = 0; i < on_.size(); ++i) {
    const role wanted = i == master_ ? role::master : role::slave;
    on_.intended(i) = {.order = {.role = wanted, .force = false, .copy_from = std::nullopt}, .restarts = true};
    if (!on_.at(i).runs()) {
      on_.start_later(i, i == master_ ? milliseconds{1} : milliseconds{50});
    } else if (on_.at(i).order().role != wanted || on_.at(i).core()->current_phase() == phase::stepped_down) {
      on_.at(i).stop();  // It comes back in its role.
    }
  }
}

void recovery::refused_start(node_index who) {
  if (who != master_ || ++forced_ > 3) return;
  // The operator has decided: others may know of more, but this is the master from now on.
  on_.intended(who).order.force = true;
}

template <typename Condition>
bool recovery::wait_until(Condition holds, duration bound) {
  return step_until(on_, holds, bound, milliseconds{20});
}

bool recovery::knows_all(node_index who) {
  const auto& known = on_.watch().known_replicas(who);
  if (!known.master_first || known.replicas.size() != on_.size() ||
      known.replicas.front().name != on_.at(master_).name()) {
    return false;
  }
  return std::ranges::all_of(known.replicas, [this](const replication::replica_info& one) {
    const auto at = node_of_endpoints(one.endpoints);
    return at && one.endpoints == endpoints_of(*at, on_.at(*at).endpoints_version());
  });
}

bool recovery::converged() {
  const auto* master = on_.at(master_).core();
  if (master == nullptr || !master->takes_changes()) return false;
  const auto& held = master->history();
  std::size_t active = 0;
  for (const auto& slave : master->status().slaves) active += slave.active ? 1U : 0U;
  if (active + 1 != on_.size()) return false;
  for (node_index i = 0; i < on_.size(); ++i) {
    const auto* core = on_.at(i).core();
    if (core == nullptr) return false;
    if (i != master_ && core->current_phase() != phase::active) return false;
    if (!knows_all(i)) return false;
    const auto& its = core->history();
    if (its.database != held.database || its.last != held.last ||
        its.terms.term_of(its.last) != held.terms.term_of(held.last)) {
      return false;
    }
  }
  return true;
}

void recovery::treat() {
  if (const auto* core = on_.at(master_).core(); core != nullptr && core->current_phase() == phase::stepped_down) {
    on_.log().line(on_.clock().now(), on_.at(master_).name(), "** has stepped down and is forced to be the master");
    on_.intended(master_).order.force = true;
    on_.at(master_).stop();
  }
  for (node_index i = 0; i < on_.size(); ++i) {
    if (i == master_) continue;
    const auto* core = on_.at(i).core();
    const bool refused =
        core == nullptr || core->current_phase() == phase::refused || core->current_phase() == phase::start_refused;
    if (!refused || !on_.watch().may_be_refused(i, master_)) continue;
    on_.log().line(on_.clock().now(), on_.at(i).name(), "** is refused with reason and becomes a copy");
    on_.intended(i).order.copy_from = on_.at(master_).name();
    if (core != nullptr) {
      on_.at(i).stop();
    }
  }
}

void recovery::check_change_goes_through() {
  // One of several calls must succeed: a random change may well be refused by the catalog itself.
  std::vector<ticket> tickets;
  const auto one_succeeded = [&] {
    for (const ticket of : tickets) {
      if (on_.succeeded(of)) return true;
    }
    return false;
  };
  for (int attempt = 0; attempt < 40; ++attempt) {
    tickets.push_back(on_.call(master_));
    if (wait_until(one_succeeded, change_bound / 40)) break;
    if (!on_.watch().violation().empty()) return;
  }
  if (!one_succeeded()) {
    on_.watch().on_violation(fmt::format("no change goes through after all has healed: {}", describe_all()));
    return;
  }
  if (!wait_until([this] { return converged(); }, change_bound) && on_.watch().violation().empty()) {
    on_.watch().on_violation(fmt::format("the cluster does not stay whole after a change: {}", describe_all()));
  }
}

std::string recovery::describe_all() {
  std::string out;
  for (node_index i = 0; i < on_.size(); ++i) {
    const auto* core = on_.at(i).core();
    if (core == nullptr) {
      out += fmt::format("{} is down; ", on_.at(i).name());
      continue;
    }
    const auto status = core->status();
    std::size_t active = 0;
    for (const auto& slave : status.slaves) active += slave.active ? 1U : 0U;
    out +=
        fmt::format("{} {} {} at {} of term {}, {} of {} slaves active{}{}; ", on_.at(i).name(), to_string(status.role),
                    to_string(status.phase), status.history.last, status.history.terms.current(), active,
                    status.slaves.size(), status.trouble.empty() ? "" : ": ", status.trouble);
  }
  return out;
}

}  // namespace muster::sim::replicas
