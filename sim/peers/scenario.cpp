#include "sim/peers/scenario.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace muster::sim::peers {

namespace {

using std::chrono::duration_cast;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::string_view address_prefix = "tcp -h h";

/// Usually nothing; else a weight from 1 to 4.
std::uint32_t weight(prng& draws, std::uint64_t chosen_percent) {
  return draws.chance(chosen_percent, 100) ? 1 + static_cast<std::uint32_t>(draws.below(4)) : 0;
}

template <typename T, std::size_t N>
T one_of(prng& draws, const std::array<T, N>& values) {
  return values[draws.below(N)];
}

/// Mostly a handful; now and then so many that changes travel by infection and digests by buckets.
std::size_t draw_nodes(prng& draws) {
  const auto sort = draws.below(100);
  if (sort < 80) return 3 + draws.below(5);
  if (sort < 97) return 8 + draws.below(13);
  return 21 + draws.below(80);
}

trouble_weights draw_troubles(prng& draws) {
  trouble_weights out;
  out.kill = weight(draws, 60);
  out.lose_host = weight(draws, 25);
  out.kill_many = weight(draws, 15);
  out.leave = weight(draws, 30);
  out.pause = weight(draws, 40);
  out.suspend = weight(draws, 15);
  out.partition = weight(draws, 50);
  out.cut_link = weight(draws, 30);
  out.reset = weight(draws, 25);
  out.weather = weight(draws, 40);
  out.clock_jump = weight(draws, 20);
  out.move = weight(draws, 20);
  out.swap = weight(draws, 15);
  return out;
}

void draw_core(prng& draws, std::size_t nodes, cluster::options& out) {
  auto& membership = out.membership;
  membership.removal_timeout = one_of(draws, std::array<duration, 4>{seconds{2}, seconds{5}, seconds{15}, seconds{60}});
  membership.keep_majority = draws.chance(1, 6);
  membership.majority_delay = std::min<duration>(membership.removal_timeout / 2, seconds{8});
  membership.message_bytes_max = one_of(draws, std::array<std::size_t, 3>{1024, 1400, 16'384});
  membership.chunk_bytes_max = one_of(draws, std::array<std::size_t, 2>{2048, 16'384});
  membership.suspicion_confirmations = draws.below(4);

  // Small bounds, so that each is met within seconds by a few hundred changes.
  auto& gossip = out.gossip;
  gossip.message_bytes_max = one_of(draws, std::array<std::size_t, 2>{8192, 65'536});
  gossip.reply_bytes_max = gossip.message_bytes_max * one_of(draws, std::array<std::size_t, 3>{1, 2, 64});
  gossip.log_operations_max = one_of(draws, std::array<std::size_t, 4>{0, 5, 100, 16'384});
  gossip.log_bytes_max = one_of(draws, std::array<std::size_t, 2>{1'000, 4'194'304});
  gossip.push_peers_max = one_of(draws, std::array<std::size_t, 3>{1, 4, 64});
  gossip.push_fan_out = one_of(draws, std::array<std::size_t, 3>{1, 3, 8});
  gossip.relay_fan_out = one_of(draws, std::array<std::size_t, 2>{2, 4});
  gossip.transfer_window_chunks = 1 + draws.below(4);
  gossip.transfers_max = one_of(draws, std::array<std::size_t, 3>{1, 2, 8});
  if (draws.chance(1, 6)) gossip.registrations_per_origin_max = 1 + draws.below(30);
  if (draws.chance(1, 12)) gossip.registrations_max = nodes * (1 + draws.below(10));
  if (draws.chance(1, 12)) gossip.keys_max = 2 + draws.below(4);

  out.frame_bytes_max = one_of(draws, std::array<std::size_t, 2>{4096, 1'048'576});
  out.reunion_timeout = one_of(draws, std::array<duration, 2>{seconds{1}, seconds{3}});
  if (draws.chance(1, 10)) out.watches_per_node_max = 1 + draws.below(3);
}

}  // namespace

std::string_view to_string(sabotage what) noexcept {
  switch (what) {
    case sabotage::none: return "none";
    case sabotage::loses_changes: return "loses_changes";
    case sabotage::raises_the_dead: return "raises_the_dead";
    case sabotage::invents_registrations: return "invents_registrations";
    case sabotage::forgets_withdrawals: return "forgets_withdrawals";
    case sabotage::skips_versions: return "skips_versions";
    case sabotage::repeats_listings: return "repeats_listings";
    case sabotage::withholds_listings: return "withholds_listings";
    case sabotage::reverses_news: return "reverses_news";
    case sabotage::swallows_gossip: return "swallows_gossip";
    case sabotage::stays_cut: return "stays_cut";
    case sabotage::reuses_incarnations: return "reuses_incarnations";
    case sabotage::repeats_messages: return "repeats_messages";
    case sabotage::loses_ends: return "loses_ends";
    case sabotage::repeats_ends: return "repeats_ends";
    case sabotage::ends_the_unreachable: return "ends_the_unreachable";
    case sabotage::forgets_unwatches: return "forgets_unwatches";
    case sabotage::swallows_confirmations: return "swallows_confirmations";
    case sabotage::confuses_addresses: return "confuses_addresses";
  }
  return "?";
}

scenario scenario::of_seed(prng& draws, bool is_long) {
  scenario out;
  out.nodes = draw_nodes(draws);
  const bool is_big = out.nodes > 20;
  out.seeds = 1 + draws.below(3);
  out.troubles = draw_troubles(draws);
  if (out.troubles.move != 0) out.spare_addresses = 1 + draws.below(2);
  out.trouble_interval = one_of(draws, std::array<duration, 4>{milliseconds{500}, seconds{2}, seconds{4}, seconds{8}});
  out.trouble_lasts_max = one_of(draws, std::array<duration, 3>{seconds{1}, seconds{6}, seconds{25}});
  out.restart_after_max = one_of(draws, std::array<duration, 3>{milliseconds{300}, seconds{4}, seconds{20}});

  out.quality.delay_min = microseconds{50 + static_cast<std::int64_t>(draws.below(400))};
  out.quality.delay_max =
      out.quality.delay_min +
      one_of(draws, std::array<duration, 4>{microseconds{100}, milliseconds{2}, milliseconds{20}, milliseconds{150}});
  if (draws.chance(1, 2)) {
    out.quality.lost_per_thousand = one_of(draws, std::array<std::uint32_t, 4>{1, 10, 50, 200});
  }
  if (draws.chance(1, 3)) {
    out.quality.doubled_per_thousand = one_of(draws, std::array<std::uint32_t, 3>{5, 50, 200});
  }
  out.keeps_order = draws.chance(2, 5);
  out.ends_noticed_percent = one_of(draws, std::array<std::uint32_t, 4>{100, 100, 50, 0});

  out.turn_time_max = one_of(draws, std::array<duration, 3>{duration{}, microseconds{100}, milliseconds{20}});
  out.hop_time_max = one_of(draws, std::array<duration, 3>{microseconds{1}, microseconds{100}, milliseconds{20}});
  out.clock_drift_ppm_max = draws.chance(1, 3) ? 50'000 : 0;

  out.call_interval = one_of(draws, std::array<duration, 3>{milliseconds{60}, milliseconds{250}, milliseconds{1000}});
  if (is_big) out.call_interval = milliseconds{250};
  out.burst_max = one_of(draws, std::array<std::size_t, 4>{1, 3, 12, 40});
  out.keys = one_of(draws, std::array<std::size_t, 3>{2, 6, 30});
  out.actors = one_of(draws, std::array<std::size_t, 3>{3, 10, 60});
  out.path_bytes = one_of(draws, std::array<std::size_t, 3>{10, 10, 600});
  out.calls.tell = draws.chance(1, 2) ? 2 : 0;
  out.calls.watch = draws.chance(2, 3) ? 1 + static_cast<std::uint32_t>(draws.below(3)) : 0;
  out.calls.unwatch = out.calls.watch == 0 ? 0 : static_cast<std::uint32_t>(draws.below(3));
  out.calls.stop_watched = out.calls.watch == 0 ? 0 : static_cast<std::uint32_t>(draws.below(3));
  out.calls.remove = 1 + static_cast<std::uint32_t>(draws.below(5));

  out.safety_lasts = seconds{10 + static_cast<std::int64_t>(draws.below(is_big ? 10 : 40))} * (is_long ? 6 : 1);
  draw_core(draws, out.nodes, out.core);
  if (draws.chance(1, 4)) {
    out.subscribers = {.subscribers_per_key_max = 1 + draws.below(3), .subscribers_total_max = 1 + draws.below(12)};
  }
  if (draws.chance(1, 3)) out.core.gossip.taken_from = gossip::news_source::origin_only;
  return out;
}

std::string scenario::describe() const {
  const auto ms = [](duration value) { return duration_cast<milliseconds>(value).count(); };
  const auto us = [](duration value) { return duration_cast<microseconds>(value).count(); };
  const auto& t = troubles;
  const auto& m = core.membership;
  const auto& g = core.gossip;
  return fmt::format(
      "{} nodes, {} of them seeds, frames {} with delays up to {} us, lost {}/1000, doubled {}/1000, ends noticed {}%; "
      "troubles about every {} ms up to {} ms long: kill {} lose_host {} kill_many {} leave {} pause {} suspend {} "
      "partition {} cut_link {} reset {} weather {} clock_jump {} move {} swap {}; restarts within {} ms; turns of {} "
      "us, hops of {} us, drift {} ppm; calls about every {} ms in bursts up to {}, {} keys, {} actors with paths of "
      "{} "
      "B; watch {} unwatch {} stop_watched {}, {} watches of a node; membership: "
      "removal {} ms{}, messages {} B, chunks {} B; gossip: messages {} B, replies {} B, log {} / {} B, push {} by {} "
      "and {}, window {}, transfers {}, of an origin {}, of all {}, keys {}{}; subscribers {} a key, {} in all; {} ms",
      nodes, seeds, keeps_order ? "in order" : "out of order", us(quality.delay_max), quality.lost_per_thousand,
      quality.doubled_per_thousand, ends_noticed_percent, ms(trouble_interval), ms(trouble_lasts_max), t.kill,
      t.lose_host, t.kill_many, t.leave, t.pause, t.suspend, t.partition, t.cut_link, t.reset, t.weather, t.clock_jump,
      t.move, t.swap, ms(restart_after_max), us(turn_time_max), us(hop_time_max), clock_drift_ppm_max,
      ms(call_interval), burst_max, keys, actors, path_bytes, calls.watch, calls.unwatch, calls.stop_watched,
      core.watches_per_node_max, ms(m.removal_timeout), m.keep_majority ? " keep_majority" : "", m.message_bytes_max,
      m.chunk_bytes_max, g.message_bytes_max, g.reply_bytes_max, g.log_operations_max, g.log_bytes_max,
      g.push_peers_max, g.push_fan_out, g.relay_fan_out, g.transfer_window_chunks, g.transfers_max,
      g.registrations_per_origin_max, g.registrations_max, g.keys_max,
      g.taken_from == gossip::news_source::origin_only ? ", of itself alone" : "", subscribers.subscribers_per_key_max,
      subscribers.subscribers_total_max, ms(safety_lasts));
}

std::string key_of(std::size_t number) { return fmt::format("key-{}", number); }

std::string name_of(node_index which) { return fmt::format("n{}", which); }

std::optional<node_index> index_of_name(std::string_view name) {
  node_index out = 0;
  if (name.empty() || name.front() != 'n') return std::nullopt;
  const auto [end, failed] = std::from_chars(name.data() + 1, name.data() + name.size(), out);
  return failed == std::errc{} && end == name.data() + name.size() ? std::optional{out} : std::nullopt;
}

std::string address_of(node_index host) { return fmt::format("{}{}", address_prefix, host); }

std::string host_name_of(node_index host) { return fmt::format("h{}", host); }

node_index index_of_address(std::string_view address) {
  node_index out = 0;
  address.remove_prefix(address_prefix.size());
  const auto [end, failed] = std::from_chars(address.data(), address.data() + address.size(), out);
  MUSTER_INVARIANT(failed == std::errc{}, "frames go to addresses of this site");
  return out;
}

}  // namespace muster::sim::peers
