#include "sim/peers/trouble_maker.hpp"

#include <array>
#include <utility>
#include <vector>

#include "sim/troubles.hpp"

namespace muster::sim::peers {

using std::chrono::microseconds;
using std::chrono::milliseconds;

void trouble_maker::begin() {
  active_ = true;
  again();
}

duration trouble_maker::lasting() { return trouble_length(on_.draws(), on_.how().trouble_lasts_max); }

void trouble_maker::note(std::string_view who, std::string_view what) {
  on_.log().line(on_.clock().now(), who, "** {}", what);
}

void trouble_maker::again() {
  on_.clock().after(until_next_trouble(on_.draws(), on_.how().trouble_interval), [this] {
    if (!active_) return;
    make_trouble();
    again();
  });
}

void trouble_maker::make_trouble() {
  const trouble_weights& t = on_.how().troubles;
  if (t.total() == 0) return;
  const std::array<std::pair<std::uint32_t, void (*)(trouble_maker&)>, 13> choices{{
      {t.kill, [](trouble_maker& m) { m.kill_some(); }},
      {t.lose_host, [](trouble_maker& m) { m.lose_host(); }},
      {t.kill_many, [](trouble_maker& m) { m.kill_many(); }},
      {t.leave, [](trouble_maker& m) { m.let_leave(); }},
      {t.pause, [](trouble_maker& m) { m.pause_some(false); }},
      {t.suspend, [](trouble_maker& m) { m.pause_some(true); }},
      {t.partition, [](trouble_maker& m) { m.part_network(); }},
      {t.cut_link, [](trouble_maker& m) { m.cut_link(); }},
      {t.reset, [](trouble_maker& m) { m.reset_connection(); }},
      {t.weather, [](trouble_maker& m) { m.change_weather(); }},
      {t.clock_jump, [](trouble_maker& m) { m.set_clock(); }},
      {t.move, [](trouble_maker& m) { m.move_some(); }},
      {t.swap, [](trouble_maker& m) { m.swap_some(); }},
  }};
  do_one_of(choices, t.total(), on_.draws(), *this);
}

void trouble_maker::kill_some() { on_.at(any()).kill(); }

void trouble_maker::lose_host() { on_.at(any()).kill(true); }

void trouble_maker::kill_many() {
  const std::uint64_t percent = 20 + on_.draws().below(81);
  for (node_index i = 0; i < on_.size(); ++i) {
    if (on_.draws().chance(percent, 100)) on_.at(i).kill();
  }
}

void trouble_maker::let_leave() { on_.at(any()).leave(); }

void trouble_maker::pause_some(bool clock_stands) {
  const node_index who = any();
  on_.at(who).pause(clock_stands);
  on_.clock().after(lasting(), [this, who] { on_.at(who).resume(); });
}

void trouble_maker::part_network() {
  // Each host on one of two sides, or one alone; both directions are cut between them, or only one.
  std::vector<bool> sides(on_.hosts());
  if (on_.draws().chance(1, 3)) {
    sides[on_.at(any()).host()] = true;
  } else {
    for (auto&& side : sides) side = on_.draws().chance(1, 2);
  }
  const bool one_way = on_.draws().chance(1, 4);
  std::string shown;
  for (const bool side : sides) shown += side ? '1' : '0';
  note("net", fmt::format("is cut: sides {}{}", shown, one_way ? ", one way" : ""));
  for (node_index from = 0; from < on_.hosts(); ++from) {
    for (node_index to = 0; to < on_.hosts(); ++to) {
      if (sides[from] != sides[to] && (sides[from] || !one_way)) on_.net().between().set_cut(from, to, true);
    }
  }
  on_.clock().after(lasting(), [this] {
    note("net", "is whole");
    on_.net().between().heal_all();
  });
}

void trouble_maker::cut_link() {
  const node_index from = on_.at(any()).host();
  const node_index to = on_.at(any()).host();
  const bool one_way = on_.draws().chance(1, 2);
  note("net", fmt::format("is cut from {} to {}{}", host_name_of(from), host_name_of(to), one_way ? "" : " and back"));
  on_.net().between().set_cut(from, to, true);
  if (!one_way) on_.net().between().set_cut(to, from, true);
  on_.clock().after(lasting(), [this, from, to] {
    on_.net().between().set_cut(from, to, false);
    on_.net().between().set_cut(to, from, false);
  });
}

void trouble_maker::reset_connection() {
  const node_index from = any();
  const node_index to = any();
  if (from == to) return;
  if (on_.draws().chance(1, 3) && on_.at(from).runs()) {
    note(name_of(from), fmt::format("is refused by {}'s host, for no reason", name_of(to)));
    on_.at(from).connection_refused(on_.at(to).host());
  } else {
    on_.net().break_connection(on_.at(from).host(), on_.at(to).host());
  }
}

void trouble_maker::change_weather() {
  link_quality quality = on_.how().quality;
  quality.lost_per_thousand = static_cast<std::uint32_t>(on_.draws().below(500));
  quality.doubled_per_thousand = static_cast<std::uint32_t>(on_.draws().below(200));
  quality.delay_max = quality.delay_min + microseconds{on_.draws().below(1'000'000)};
  note("net", fmt::format("loses {}/1000, takes up to {} us", quality.lost_per_thousand,
                          std::chrono::duration_cast<microseconds>(quality.delay_max).count()));
  on_.net().between().set_quality(quality);
  on_.clock().after(lasting(), [this] {
    note("net", "is as it was");
    if (active_) on_.net().between().set_quality(on_.how().quality);
  });
}

void trouble_maker::set_clock() {
  constexpr std::array<std::uint64_t, 3> spans_ms{2'000, 600'000, 86'400'000};
  const node_index who = any();
  const std::uint64_t span = spans_ms[on_.draws().below(spans_ms.size())];
  const auto forward_ms = static_cast<std::int64_t>(on_.draws().below(2 * span)) - static_cast<std::int64_t>(span);
  note(name_of(who), fmt::format("has its clock set by {} ms", forward_ms));
  on_.at(who).set_wall_clock(forward_ms);
}

void trouble_maker::move_some() {
  const node_index who = any();
  std::vector<node_index> free;
  bool other_seed_stays = false;
  for (node_index host = 0; host < on_.hosts(); ++host) {
    if (!on_.resident(host)) free.push_back(host);
    if (host < on_.how().seeds && host != on_.at(who).host()) other_seed_stays |= on_.resident(host).has_value();
  }
  // Whoever gives nodes seeds sees to it that somebody is at one of them.
  if (free.empty() || (on_.at(who).host() < on_.how().seeds && !other_seed_stays)) return;
  const node_index to = free[on_.draws().below(free.size())];
  on_.at(who).kill(on_.draws().chance(1, 2));
  note(name_of(who), fmt::format("moves to {}", host_name_of(to)));
  on_.move(who, to);
}

void trouble_maker::swap_some() {
  const node_index one = any();
  const node_index other = any();
  if (one == other) return;
  on_.at(one).kill();
  on_.at(other).kill();
  note(name_of(one), fmt::format("swaps its address with {}", name_of(other)));
  on_.swap(one, other);
}

}  // namespace muster::sim::peers
