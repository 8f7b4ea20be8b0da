#include "sim/replicas/trouble_maker.hpp"

#include <array>
#include <tuple>
#include <utility>

#include "muster/replication/durable_meta.hpp"
#include "sim/troubles.hpp"

namespace muster::sim::replicas {

using replication::role;
using std::chrono::milliseconds;
using std::chrono::seconds;

trouble_maker::trouble_maker(cluster& on, sabotage defect) : on_{on}, defect_{defect}, backups_(on.size()) {
  on_.on_refused_start([this](node_index who) { refused_start(who); });
}

void trouble_maker::begin() {
  active_ = true;
  again();
}

duration trouble_maker::lasting() { return trouble_length(on_.draws(), on_.how().trouble_lasts_max); }

void trouble_maker::note(node_index who, std::string_view what) {
  on_.log().line(on_.clock().now(), on_.at(who).name(), "** {}", what);
}

node_index trouble_maker::intended_master() {
  for (node_index i = 0; i < on_.size(); ++i) {
    if (on_.intended(i).order.role == role::master) return i;
  }
  return 0;
}

void trouble_maker::again() {
  on_.clock().after(until_next_trouble(on_.draws(), on_.how().trouble_interval), [this] {
    if (!active_) return;
    make_trouble();
    again();
  });
}

void trouble_maker::make_trouble() {
  if (defect_ == sabotage::clones_a_master && on_.draws().chance(1, 4)) {
    clone_master();
    return;
  }
  const trouble_weights& t = on_.how().troubles;
  if (t.total() == 0) return;
  const bool careful = on_.how().habit == operator_habit::careful;
  const std::array<std::pair<std::uint32_t, void (*)(trouble_maker&)>, 14> choices{{
      {t.kill, [](trouble_maker& m) { m.kill_some(); }},
      {t.kill_all, [](trouble_maker& m) { m.kill_all(); }},
      {t.stop, [](trouble_maker& m) { m.stop_some(); }},
      {t.pause, [](trouble_maker& m) { m.pause_some(); }},
      {t.partition, [](trouble_maker& m) { m.part_network(); }},
      {t.reset_connection, [](trouble_maker& m) { m.on_.net().break_some_way(); }},
      {careful ? t.promote : 0, [](trouble_maker& m) { m.promote_carefully(); }},
      {careful ? 0 : t.promote, [](trouble_maker& m) { m.promote_recklessly(); }},
      {t.disk_full, [](trouble_maker& m) { m.fill_disk(); }},
      {t.disk_broken, [](trouble_maker& m) { m.break_disk(); }},
      {t.disk_slow, [](trouble_maker& m) { m.slow_disk(); }},
      {t.stage_fails + t.new_endpoints,
       [](trouble_maker& m) {
         const auto& weights = m.on_.how().troubles;
         const node_index who = m.any();
         if (m.on_.draws().below(weights.stage_fails + weights.new_endpoints) < weights.stage_fails) {
           m.on_.at(who).fail_next_stage();
         } else {
           m.on_.at(who).change_endpoints();
         }
       }},
      {t.copy_database, [](trouble_maker& m) { m.order_copy(); }},
      {t.restore_backup, [](trouble_maker& m) { m.restore_some(); }},
  }};
  do_one_of(choices, t.total(), on_.draws(), *this);
}

void trouble_maker::kill_some() { on_.at(any()).kill(); }

void trouble_maker::kill_all() {
  for (node_index i = 0; i < on_.size(); ++i) on_.at(i).kill();
}

void trouble_maker::stop_some() { on_.at(any()).stop(); }

void trouble_maker::pause_some() {
  const node_index who = any();
  on_.at(who).pause();
  on_.clock().after(lasting(), [this, who] { on_.at(who).resume(); });
}

void trouble_maker::part_network() {
  const std::size_t all = on_.size();
  // Each machine on one of two sides; both directions are cut between them, or only one.
  const std::uint64_t sides = 1 + on_.draws().below((std::uint64_t{1} << all) - 2);
  const bool one_way = on_.draws().chance(1, 4);
  on_.log().line(on_.clock().now(), "net", "** is cut: sides {:b}{}", sides, one_way ? ", one way" : "");
  for (node_index from = 0; from < all; ++from) {
    for (node_index to = 0; to < all; ++to) {
      const bool from_one = ((sides >> from) & 1U) != 0;
      const bool to_one = ((sides >> to) & 1U) != 0;
      if (from_one != to_one && (from_one || !one_way)) on_.net().between().set_cut(from, to, true);
    }
  }
  on_.clock().after(lasting(), [this] {
    on_.log().line(on_.clock().now(), "net", "** is whole");
    on_.net().between().heal_all();
  });
}

void trouble_maker::promote_carefully() {
  const node_index old = intended_master();
  // First the old master must be down for good; only then is it settled what callers were told.
  on_.intended(old).restarts = false;
  on_.at(old).kill();
  std::vector<node_index> candidates;
  for (node_index i = 0; i < on_.size(); ++i) {
    if (i != old && on_.watch().durable_history(i).has_copy() && on_.watch().holds_all_answered(i)) {
      candidates.push_back(i);
    }
  }
  on_.intended(old).restarts = true;
  if (candidates.empty()) return;  // It comes back as it was.
  const node_index chosen = candidates[on_.draws().below(candidates.size())];
  note(chosen, "is promoted");
  on_.intended(old).order = {.role = role::slave, .force = false, .copy_from = std::nullopt};
  on_.intended(chosen).order = {.role = role::master, .force = false, .copy_from = std::nullopt};
  on_.at(chosen).kill();
  on_.start_later(chosen, milliseconds{10 + static_cast<std::int64_t>(on_.draws().below(500))});
}

void trouble_maker::promote_recklessly() {
  const node_index who = any();
  const bool now_master = on_.intended(who).order.role == role::slave;
  note(who, now_master ? "is promoted" : "becomes a slave");
  on_.intended(who).order = {.role = now_master ? role::master : role::slave,
                             .force = now_master && on_.draws().chance(1, 4),
                             .copy_from = std::nullopt};
  if (now_master && on_.draws().chance(2, 3)) {
    // The other masters become slaves when they next start; until then there are several.
    for (node_index i = 0; i < on_.size(); ++i) {
      if (i == who) continue;
      on_.intended(i).order.role = role::slave;
      if (on_.draws().chance(1, 2)) on_.at(i).stop();
    }
  }
  if (on_.draws().chance(1, 2)) {
    on_.at(who).kill();
  } else {
    on_.at(who).stop();
  }
}

void trouble_maker::refused_start(node_index who) {
  if (!active_) return;
  const bool careful = on_.how().habit == operator_habit::careful;
  if (!careful && on_.draws().chance(1, 2)) {
    on_.intended(who).order.force = true;
    return;
  }
  if (on_.intended(who).order.role != role::master) return;
  // Somebody else has more, or a higher term. A careful operator never gives up what a caller was told is done; another
  // one goes by the highest term.
  const auto standing = [&](node_index i) {
    const auto& held = on_.watch().durable_history(i);
    return std::tuple{careful && on_.watch().holds_all_answered(i), held.terms.current().number, held.last, i == who};
  };
  node_index best = who;
  for (node_index i = 0; i < on_.size(); ++i) {
    if (standing(i) > standing(best)) best = i;
  }
  on_.intended(best).order.force = careful;
  // Whatever it was to become a copy of: it is wanted as it is now.
  on_.intended(best).order.copy_from.reset();
  if (best == who) return;
  note(who, fmt::format("is refused as a master; {} shall be it", on_.at(best).name()));
  on_.intended(who).order.role = role::slave;
  if (on_.intended(best).order.role == role::slave) {
    on_.intended(best).order.role = role::master;
    on_.at(best).stop();
  }
}

void trouble_maker::fill_disk() {
  const node_index who = any();
  note(who, "has a full disk");
  on_.at(who).storage().set_trouble(disk::trouble::full);
  on_.clock().after(lasting(), [this, who] {
    note(who, "has room on its disk");
    on_.at(who).storage().set_trouble(disk::trouble::none);
  });
}

void trouble_maker::break_disk() {
  const node_index who = any();
  note(who, "has a disk that fails once");
  on_.at(who).storage().set_trouble(disk::trouble::broken);
}

void trouble_maker::slow_disk() {
  const node_index who = any();
  note(who, "has a slow disk");
  on_.at(who).set_commit_time(seconds{1});
  on_.clock().after(lasting(), [this, who] {
    if (!active_) return;
    note(who, "has a disk as quick as before");
    on_.at(who).set_commit_time(on_.how().commit_time_max);
  });
}

void trouble_maker::order_copy() {
  const node_index who = any();
  if (on_.how().habit == operator_habit::careful && on_.intended(who).order.role == role::master) return;
  node_index from = any();
  if (from == who) return;
  note(who, fmt::format("is to become a copy of {}", on_.at(from).name()));
  on_.intended(who).order.copy_from = on_.at(from).name();
  on_.at(who).kill();
}

void trouble_maker::restore_some() {
  const node_index who = any();
  auto& backup = backups_[who];
  if (!backup) {
    if (!on_.watch().durable_history(who).has_copy()) return;
    note(who, "is backed up");
    backup = on_.at(who).storage().durable();
    return;
  }
  if (on_.how().habit == operator_habit::careful && on_.intended(who).order.role == role::master) return;
  note(who, "gets its backup restored");
  on_.at(who).kill();
  disk_image restored = *std::exchange(backup, std::nullopt);
  auto meta = replication::mark_restored(restored.meta);
  if (!meta) {
    on_.watch().on_violation(fmt::format("a backup cannot be restored: {}", meta.error().message));
    return;
  }
  restored.meta = *std::move(meta);
  on_.at(who).storage().overwrite(std::move(restored));
  on_.watch().on_overwritten(who);
}

void trouble_maker::clone_master() {
  const node_index from = intended_master();
  const node_index to = any();
  if (from == to) return;
  note(to, fmt::format("gets a clone of the disk of {}", on_.at(from).name()));
  on_.at(to).kill();
  on_.at(to).storage().overwrite(on_.at(from).storage().durable());
  on_.watch().on_overwritten(to);
  on_.intended(to).order = {.role = role::master, .force = false, .copy_from = std::nullopt};
  // Neither may see the other, else one of them would not start.
  for (node_index i = 0; i < on_.size(); ++i) {
    on_.net().between().set_cut(to, i, true);
    on_.net().between().set_cut(i, to, true);
  }
}

}  // namespace muster::sim::replicas
