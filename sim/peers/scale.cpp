#include "sim/peers/scale.hpp"

#include <malloc.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "muster/cluster/node_core.hpp"
#include "sim/peers/frames.hpp"
#include "sim/peers/scenario.hpp"
#include "sim/plot.hpp"
#include "sim/scheduler.hpp"

namespace muster::sim::peers {

using cluster::member_event_kind;
using cluster::node_core;
using cluster::ready;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

namespace {

constexpr duration sampled_every = milliseconds{100};
constexpr std::size_t seeds = 3;

double in_seconds(duration of) { return std::chrono::duration<double>(of).count(); }

std::size_t heap_bytes_in_use() {
  const auto all = ::mallinfo2();
  return all.uordblks + all.hblkhd;
}

/// Nodes without callers, clocks of their own or trouble, counted while they run.
class crowd final : private frames::receiver {
 public:
  explicit crowd(const scale_options& how)
      : draws_{how.seed},
        net_{{.nodes = how.nodes + 1, .keeps_order = false, .ends_noticed_percent = 0}, clock_, draws_, *this},
        nodes_(how.nodes + 1) {
    how_.membership.pool = &pool_;
    how_.known_nodes = &known_nodes_;
    for (node_index i = 0; i < seeds; ++i) how_.seeds.push_back(address_of(i));
    how_.cluster = "site";
  }

  /// Of members and registrations, over all nodes together.
  struct tally {
    std::uint64_t up{0};
    std::uint64_t gone{0};
    std::uint64_t lost{0};  ///< called unreachable, and is
    std::uint64_t false_alarms{0};
    std::uint64_t shown{0};
    std::uint64_t frames{0};
    std::uint64_t bytes{0};
  };

  [[nodiscard]] scheduler& clock() noexcept { return clock_; }
  [[nodiscard]] const tally& counted() const noexcept { return counted_; }
  [[nodiscard]] const cluster::options& how() const noexcept { return how_; }

  void start_later(node_index which, duration delay) {
    clock_.after(delay, [this, which] { start(which); });
  }
  void leave(node_index which) {
    nodes_[which].core->handle_leave(clock_.now());
    pump(which);
  }
  void lose(node_index which) {
    nodes_[which].core.reset();
    net_.process_ended(which, false);
  }
  void add(node_index which, std::string_view key) {
    const auto added =
        nodes_[which].core->add(key, {gossip::shared_text{"/user/service"}, 1, gossip::shared_text{"sim.message"}});
    MUSTER_INVARIANT(added && *added, "a node has room for one registration");
    pump(which);
  }
  void forget_traffic() {
    for (one& each : nodes_) each.bytes = 0;
  }
  /// Nobody has anything left to tell of members.
  [[nodiscard]] bool is_quiet() const {
    return std::ranges::all_of(
        nodes_, [](const one& each) { return !each.core || each.core->membership_status().pending_news == 0; });
  }
  [[nodiscard]] std::uint64_t bytes_of_busiest() const {
    return std::ranges::max_element(nodes_, {}, &one::bytes)->bytes;
  }

 private:
  struct one {
    std::unique_ptr<prng> random;
    std::unique_ptr<node_core> core;
    instant tick_planned{instant_never};
    std::uint64_t bytes{0};
  };

  void start(node_index which) {
    one& here = nodes_[which];
    here.random = std::make_unique<prng>(draws_());
    cluster::options how = how_;
    how.name = name_of(which);
    const auto wall_clock = std::chrono::duration_cast<milliseconds>(clock_.now().time_since_epoch()).count();
    auto made = node_core::make(std::move(how), address_of(which),
                                1'767'225'600'000 + static_cast<std::uint64_t>(wall_clock), *here.random, clock_.now());
    MUSTER_INVARIANT(made, "the options of the scale run make sense");
    here.core = *std::move(made);
    net_.process_started(which);
    pump(which);
  }

  void deliver(node_index at, const cluster::shared_frame& frame) override {
    if (!nodes_[at].core) return;
    nodes_[at].core->handle_frame(*frame, {}, clock_.now());
    pump(at);
  }
  void connection_lost(node_index, node_index) override {}
  void connection_refused(node_index, node_index) override {}

  void pump(node_index at) {
    one& here = nodes_[at];
    const ready effects = here.core->poll_ready(clock_.now());
    for (const auto& each : effects.frames) {
      here.bytes += each.content->size();
      counted_.bytes += each.content->size();
      ++counted_.frames;
      net_.send(at, index_of_address(each.address), each.on, each.content);
    }
    // Whoever has left sees nobody any more; that is no news of the others.
    if (here.core->phase() != cluster::phase::ended) {
      for (const auto& each : effects.events) count(each);
    }
    for (const auto& each : effects.news.changes) counted_.shown += each.vanished ? 0 : 1;
    plan_tick(at);
  }

  void count(const cluster::member_event& what) {
    switch (what.kind) {
      case member_event_kind::up: ++counted_.up; return;
      case member_event_kind::left:
      case member_event_kind::removed: ++counted_.gone; return;
      case member_event_kind::reachable: return;
      case member_event_kind::unreachable:
        (nodes_[index_of_address(what.address)].core ? counted_.false_alarms : counted_.lost) += 1;
        return;
    }
  }

  void plan_tick(node_index at) {
    one& here = nodes_[at];
    const instant due = here.core->next_deadline();
    if (due == instant_never || due >= here.tick_planned) return;
    here.tick_planned = due;
    clock_.at(due, [this, at, due] {
      one& now = nodes_[at];
      if (now.tick_planned != due) return;
      now.tick_planned = instant_never;
      if (!now.core) return;
      now.core->handle_tick(clock_.now());
      pump(at);
    });
  }

  prng draws_;
  scheduler clock_;
  frames net_;
  membership::member_pool pool_;
  cluster::known_node_pool known_nodes_;
  cluster::options how_;
  std::vector<one> nodes_;
  tally counted_;
};

/// Does it, then runs the crowd until `heard`, of the tally, has risen by `expected`, or the time is up.
scale_phase spread(crowd& all, std::string what, const std::function<void()>& happens,
                   std::uint64_t crowd::tally::*heard, std::uint64_t expected, duration bound) {
  scale_phase out;
  out.what = std::move(what);
  const crowd::tally before = all.counted();
  const instant began = all.clock().now();
  instant sample = began;
  const auto so_far = [&] { return all.counted().*heard - before.*heard; };
  const auto note = [&](instant at) {
    const double share = expected == 0 ? 0 : static_cast<double>(so_far()) / static_cast<double>(expected);
    out.spread.push_back({in_seconds(at - began), std::min(share, 1.0)});
  };
  happens();
  while ((expected == 0 || so_far() < expected) && all.clock().now() - began < bound && all.clock().run_one()) {
    for (; all.clock().now() >= sample; sample += sampled_every) note(sample);
  }
  note(all.clock().now());
  out.is_whole = expected == 0 || so_far() >= expected;
  out.took = all.clock().now() - began;
  out.frames = all.counted().frames - before.frames;
  out.bytes = all.counted().bytes - before.bytes;
  out.false_alarms = all.counted().false_alarms - before.false_alarms;
  out.bytes_of_busiest = all.bytes_of_busiest();
  all.forget_traffic();
  return out;
}

/// What nodes send when nothing happens.
scale_phase rest(crowd& all, duration lasts) {
  scale_phase out = spread(
      all, "nothing", [] {}, &crowd::tally::up, 0, lasts);
  out.spreads = false;
  out.spread.clear();
  return out;
}

}  // namespace

scale_report run_scale(const scale_options& how) {
  const std::uint64_t nodes = how.nodes;
  scale_report out;
  out.nodes = how.nodes;
  const std::size_t heap_before = heap_bytes_in_use();
  crowd all{how};
  out.round = all.how().membership.gossip_interval;

  using tally = crowd::tally;
  const auto all_join = [&] {
    prng draws{how.seed + 1};
    for (node_index i = 0; i < nodes; ++i) {
      all.start_later(i, milliseconds{static_cast<std::int64_t>(draws.below(1000))});
    }
  };
  out.phases.push_back(spread(all, "all join within 1 s", all_join, &tally::up, nodes * (nodes - 1), minutes{5}));
  // What is still being told of the storm dies away.
  static_cast<void>(rest(all, seconds{30}));
  while (!all.is_quiet() && all.clock().now() - instant{} < minutes{10}) static_cast<void>(rest(all, seconds{1}));
  out.quiet_after = all.clock().now() - instant{};
  out.heap_bytes = heap_bytes_in_use() - heap_before;
  out.phases.push_back(rest(all, seconds{10}));

  const auto then = [&](std::string what, const std::function<void()>& happens, std::uint64_t tally::*heard,
                        std::uint64_t expected) {
    out.phases.push_back(spread(all, std::move(what), happens, heard, expected, minutes{2}));
    static_cast<void>(rest(all, seconds{10}));
  };
  then(
      "one registers", [&] { all.add(nodes / 2, "one-service"); }, &tally::shown, nodes);
  then(
      "one joins", [&] { all.start_later(nodes, duration{}); }, &tally::up, 2 * nodes);
  then(
      "one leaves", [&] { all.leave(nodes); }, &tally::gone, nodes);
  const std::uint64_t lost = nodes / 10;
  const auto lose_a_tenth = [&] {
    for (node_index i = 0; i < lost; ++i) all.lose(nodes - 1 - i * 10);
  };
  then("a tenth is lost", lose_a_tenth, &tally::lost, lost * (nodes - lost));
  out.events = all.clock().events_run();
  return out;
}

// --- for people ---

namespace {

std::string human(double bytes) {
  if (bytes < 10'000) return fmt::format("{:.0f} B", bytes);
  if (bytes < 10'000'000) return fmt::format("{:.1f} kB", bytes / 1000);
  return fmt::format("{:.1f} MB", bytes / 1'000'000);
}

}  // namespace

std::string table_of(const scale_report& what) {
  const auto nodes = static_cast<double>(what.nodes);
  std::string out = fmt::format(
      "{} nodes; {:.0f} bytes of memory a node and member, {:.1f} MB a node; {} events; nothing of the "
      "joins was left to tell after {:.0f} s\n\n"
      "| what happens | until all know | rounds | messages a node | bytes a node | of the busiest | false alarms |\n"
      "| --- | --- | --- | --- | --- | --- | --- |\n",
      what.nodes, what.bytes_a_pair(), static_cast<double>(what.heap_bytes) / nodes / 1e6, what.events,
      in_seconds(what.quiet_after));
  for (const scale_phase& one : what.phases) {
    const std::string until = one.spreads
                                  ? fmt::format("{}{:.2f} s", one.is_whole ? "" : "not in ", in_seconds(one.took))
                                  : fmt::format("({:.0f} s)", in_seconds(one.took));
    const std::string rounds = one.spreads ? fmt::format("{:.0f}", in_seconds(one.took) / in_seconds(what.round)) : "";
    out += fmt::format("| {} | {} | {} | {:.1f} | {} | {} | {} |\n", one.what, until, rounds,
                       static_cast<double>(one.frames) / nodes, human(static_cast<double>(one.bytes) / nodes),
                       human(static_cast<double>(one.bytes_of_busiest)), one.false_alarms);
  }
  return out;
}

std::string picture_of(const std::vector<scale_report>& all) {
  std::vector<plot_line> lines;
  for (const scale_report& one : all) {
    for (const scale_phase& phase : one.phases) {
      if (!phase.spreads) continue;
      plot_line line{fmt::format("{} of {} nodes", phase.what, one.nodes), {}};
      for (const spread_point& point : phase.spread) line.points.emplace_back(point.seconds, point.share * 100);
      lines.push_back(std::move(line));
    }
  }
  return svg_of({.title = "How news spread in a cluster, in virtual time",
                 .x_label = "seconds since it happened",
                 .y_label = "% of those who have to know it",
                 .y_max = 100},
                lines);
}

}  // namespace muster::sim::peers
