#include "sim/replicas/scenario.hpp"

#include <array>

#include <fmt/format.h>

namespace muster::sim::replicas {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// Usually nothing; else a weight from 1 to 4.
std::uint32_t weight(prng& draws, std::uint64_t chosen_percent) {
  return draws.chance(chosen_percent, 100) ? 1 + static_cast<std::uint32_t>(draws.below(4)) : 0;
}

template <typename T, std::size_t N>
T one_of(prng& draws, const std::array<T, N>& values) {
  return values[draws.below(N)];
}

trouble_weights draw_troubles(prng& draws) {
  trouble_weights out;
  out.kill = weight(draws, 60);
  out.kill_all = weight(draws, 20);
  out.stop = weight(draws, 25);
  out.pause = weight(draws, 40);
  out.partition = weight(draws, 45);
  out.reset_connection = weight(draws, 30);
  out.promote = weight(draws, 55);
  out.disk_full = weight(draws, 25);
  out.disk_broken = weight(draws, 20);
  out.disk_slow = weight(draws, 20);
  out.stage_fails = weight(draws, 20);
  out.copy_database = weight(draws, 15);
  out.new_endpoints = weight(draws, 15);
  out.restore_backup = weight(draws, 10);
  return out;
}

link_quality draw_quality(prng& draws) {
  link_quality out;
  out.delay_min = microseconds{50 + static_cast<std::int64_t>(draws.below(400))};
  out.delay_max = out.delay_min + one_of(draws, std::array<duration, 4>{microseconds{100}, milliseconds{2},
                                                                        milliseconds{20}, milliseconds{150}});
  if (draws.chance(1, 2)) out.lost_per_thousand = one_of(draws, std::array<std::uint32_t, 4>{1, 10, 50, 150});
  if (draws.chance(1, 3)) out.doubled_per_thousand = one_of(draws, std::array<std::uint32_t, 3>{5, 50, 200});
  return out;
}

replication::options draw_core(prng& draws) {
  replication::options out;
  // Small bounds, so that each is met within seconds by a few hundred changes.
  out.batch_changes_max = one_of(draws, std::array<std::size_t, 4>{1, 3, 16, 1024});
  out.message_bytes_max = one_of(draws, std::array<std::size_t, 4>{64, 300, 2'000, 262'144});
  out.snapshot_window_chunks = 1 + draws.below(4);
  out.proposals_max = one_of(draws, std::array<std::size_t, 3>{8, 64, 8192});
  out.log_entries_max = one_of(draws, std::array<std::size_t, 4>{1, 10, 60, 10'000});
  out.log_bytes_max = one_of(draws, std::array<std::size_t, 3>{500, 8'000, 4'194'304});
  out.log_bytes_hard_max = out.log_bytes_max * one_of(draws, std::array<std::size_t, 3>{1, 3, 16});
  return out;
}

}  // namespace

std::string_view to_string(sabotage what) noexcept {
  switch (what) {
    case sabotage::none: return "none";
    case sabotage::answers_before_durable: return "answers_before_durable";
    case sabotage::acknowledges_unread: return "acknowledges_unread";
    case sabotage::forgets_erasures: return "forgets_erasures";
    case sabotage::slave_skips_changes: return "slave_skips_changes";
    case sabotage::tears_commits: return "tears_commits";
    case sabotage::tail_is_not_written: return "tail_is_not_written";
    case sabotage::clones_a_master: return "clones_a_master";
    case sabotage::swallows_heartbeats: return "swallows_heartbeats";
    case sabotage::loses_completions: return "loses_completions";
  }
  return "?";
}

scenario scenario::of_seed(prng& draws, bool is_long) {
  scenario out;
  out.nodes = 2 + draws.below(4);
  out.habit = draws.chance(3, 5) ? operator_habit::careful : operator_habit::reckless;
  out.troubles = draw_troubles(draws);
  out.trouble_interval = one_of(draws, std::array<duration, 4>{milliseconds{700}, seconds{2}, seconds{4}, seconds{8}});
  out.trouble_lasts_max = one_of(draws, std::array<duration, 3>{seconds{1}, seconds{5}, seconds{12}});

  out.transport = draws.chance(3, 5) ? network::style::datagrams : network::style::streams;
  out.quality = draw_quality(draws);
  out.ends_noticed_percent = one_of(draws, std::array<std::uint32_t, 4>{100, 100, 50, 0});
  out.frame_bytes_max = one_of(draws, std::array<std::size_t, 3>{150, 262'144, 262'144});
  out.reports_discovery_complete = draws.chance(1, 2);
  out.masters_know_locator = draws.chance(2, 3);

  out.commit_time_max =
      one_of(draws, std::array<duration, 4>{microseconds{50}, milliseconds{2}, milliseconds{20}, milliseconds{200}});
  out.commit_blocks = draws.chance(2, 3);
  out.clock_drift_ppm_max = draws.chance(1, 3) ? 50'000 : 0;

  out.change_interval =
      one_of(draws, std::array<duration, 4>{milliseconds{15}, milliseconds{60}, milliseconds{250}, milliseconds{1000}});
  out.burst_max = one_of(draws, std::array<std::size_t, 4>{1, 3, 12, 40});
  out.names = one_of(draws, std::array<std::size_t, 4>{3, 12, 40, 150});
  out.invalid_percent = one_of(draws, std::array<std::uint32_t, 3>{0, 5, 30});
  out.misdirected_percent = one_of(draws, std::array<std::uint32_t, 3>{0, 3, 20});
  out.barrier_percent = one_of(draws, std::array<std::uint32_t, 3>{0, 5, 25});

  out.safety_lasts = seconds{15 + static_cast<std::int64_t>(draws.below(30))} * (is_long ? 6 : 1);
  out.core = draw_core(draws);
  if (draws.chance(1, 5)) out.core.active_slaves_min = 1 + draws.below(out.nodes - 1);
  return out;
}

std::string scenario::describe() const {
  const auto ms = [](duration value) { return std::chrono::duration_cast<milliseconds>(value).count(); };
  const auto& t = troubles;
  return fmt::format(
      "{} replicas, a {} operator, {} with delays up to {} ms, lost {}/1000, doubled {}/1000, ends noticed {}%, frames "
      "of {} B; "
      "troubles about every {} ms up to {} ms long: kill {} kill_all {} stop {} pause {} partition {} reset {} promote "
      "{} "
      "disk_full {} disk_broken {} disk_slow {} stage_fails {} copy {} endpoints {} "
      "restore {}; commits up to {} us, {}; drift {} "
      "ppm; changes about every {} ms in bursts up to {}, {} names, {}% invalid; core: batch {} message {} B window {} "
      "proposals {} log {} entries {} B hard {} B, active_slaves_min {}; {} ms",
      nodes, habit == operator_habit::careful ? "careful" : "reckless",
      transport == network::style::datagrams ? "datagrams" : "streams", ms(quality.delay_max),
      quality.lost_per_thousand, quality.doubled_per_thousand, ends_noticed_percent, frame_bytes_max,
      ms(trouble_interval), ms(trouble_lasts_max), t.kill, t.kill_all, t.stop, t.pause, t.partition, t.reset_connection,
      t.promote, t.disk_full, t.disk_broken, t.disk_slow, t.stage_fails, t.copy_database, t.new_endpoints,
      t.restore_backup, std::chrono::duration_cast<microseconds>(commit_time_max).count(),
      commit_blocks ? "blocking" : "not blocking", clock_drift_ppm_max, ms(change_interval), burst_max, names,
      invalid_percent, core.batch_changes_max, core.message_bytes_max, core.snapshot_window_chunks, core.proposals_max,
      core.log_entries_max, core.log_bytes_max, core.log_bytes_hard_max, core.active_slaves_min, ms(safety_lasts));
}

}  // namespace muster::sim::replicas
