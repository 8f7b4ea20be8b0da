#include "sim/peers/node.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "muster/cluster/frame.hpp"
#include "muster/cluster/identity.hpp"

namespace muster::sim::peers {

using cluster::phase;
using cluster::ready;
using std::chrono::duration_cast;
using std::chrono::milliseconds;

namespace {

// 2026; nothing depends on it.
constexpr std::uint64_t wall_clock_begins_ms = 1'767'225'600'000;

std::string text_of(const event& what) {
  std::string out{what.name};
  for (const auto& [key, value] : what.fields) out += fmt::format(" {}={}", key, value);
  return out;
}

receptionist::directory_news to_directory(const cluster::registration_news& news) {
  using reach = cluster::registration_news::reach;
  using state = receptionist::reachability::state;
  receptionist::directory_news out;
  out.changes = news.changes;
  for (const auto& one : news.nodes) {
    const state now = one.now == reach::reachable     ? state::reachable
                      : one.now == reach::unreachable ? state::unreachable
                                                      : state::gone;
    out.reach.push_back({cluster::to_origin(one.node), now});
  }
  return out;
}

}  // namespace

struct node::process {
  process(std::uint64_t number, std::uint64_t seed, std::size_t watchable)
      : life{number}, draws{seed}, cast{watchable} {}

  std::uint64_t life;
  prng draws;
  std::unique_ptr<cluster::node_core> core;
  std::unique_ptr<desk> front;
  actors cast;

  // The process's clock: `origin` at the instant `started`, `drift_ppm` too fast; it stood still for `stood_still`.
  instant started{};
  instant origin{};
  std::int64_t drift_ppm{0};
  duration stood_still{0};

  std::vector<std::function<void(process&)>> missed;  ///< while it was stopped
  bool turn_planned{false};
  instant tick_planned{instant_never};
  instant last_to_node{};
  instant last_to_desk{};
  receptionist::directory_news held_back;  ///< only for a sabotage
};

node::node(node_index index, surroundings& around)
    : index_{index}, host_{index}, name_{name_of(index)}, around_{around} {}
node::~node() = default;

const cluster::node_core* node::core() const noexcept { return process_ ? process_->core.get() : nullptr; }
const desk* node::front() const noexcept { return process_ ? process_->front.get() : nullptr; }
bool node::is_leaving() const { return process_ && process_->core->phase() == phase::leaving; }
bool node::has_ended() const { return process_ && process_->core->phase() == phase::ended; }

duration node::up_to(duration most) {
  return duration{static_cast<duration::rep>(around_.draws.below(static_cast<std::uint64_t>(most.count()) + 1))};
}

instant node::local_now() const {
  const process& p = *process_;
  const instant now = clock_stands_ ? paused_since_ : around_.clock.now();
  const duration elapsed = now - p.started - p.stood_still;
  return p.origin + elapsed + elapsed / 1'000'000 * p.drift_ppm;
}

std::uint64_t node::wall_clock_ms() const {
  const auto since = duration_cast<milliseconds>(around_.clock.now().time_since_epoch()).count();
  return wall_clock_begins_ms + static_cast<std::uint64_t>(since + wall_offset_ms_);
}

// --- a process's life ---

void node::start() {
  MUSTER_INVARIANT(!process_, "a machine runs one process");
  paused_ = false;
  clock_stands_ = false;
  const bool repeats = sabotaged(sabotage::reuses_incarnations);
  process_ = std::make_unique<process>(++lives_, repeats ? index_ : around_.draws(), around_.how.watchable);
  process& p = *process_;
  p.started = around_.clock.now();
  p.origin = instant{} + std::chrono::seconds{static_cast<std::int64_t>(p.draws.below(1'000'000))};
  if (const auto most = static_cast<std::uint64_t>(around_.how.clock_drift_ppm_max); most != 0) {
    p.drift_ppm = static_cast<std::int64_t>(p.draws.below(2 * most + 1)) - static_cast<std::int64_t>(most);
  }
  if (!repeats || first_wall_clock_ms_ == 0) first_wall_clock_ms_ = wall_clock_ms();

  cluster::options how = around_.how.core;
  how.name = name_;
  how.cluster = "site";
  for (node_index seed = 0; seed < around_.how.seeds; ++seed) how.seeds.push_back(address_of(seed));
  auto made = cluster::node_core::make(std::move(how), address_of(host_), first_wall_clock_ms_, p.draws, local_now());
  if (!made) {
    around_.watch.on_violation(index_, fmt::format("it cannot start: {}", made.error().message));
    return;
  }
  p.core = *std::move(made);
  around_.log.line(around_.clock.now(), name_, "starts as {} at {}", p.core->self().incarnation, host_name_of(host_));
  around_.net.process_started(host_);
  around_.watch.on_started(index_, *p.core);
  p.front = std::make_unique<desk>(around_.how, gossip::node_id{name_}, around_.defect, p.draws,
                                   around_.watch.listings(index_));
  run_node([](process&) {});
}

void node::kill(bool host_goes_down) {
  if (!process_) return;
  around_.log.line(around_.clock.now(), name_, "{}", host_goes_down ? "loses its power" : "is killed");
  end_process(!host_goes_down);
}

void node::end_process(bool host_answers) {
  around_.watch.on_ended(index_);
  process_.reset();
  around_.net.process_ended(host_, host_answers);
  around_.on_ended(index_);
}

void node::leave() {
  if (!process_) return;
  around_.log.line(around_.clock.now(), name_, "is asked to leave");
  run_node([this](process& p) { p.core->handle_leave(local_now()); });
}

void node::pause(bool clock_stands) {
  if (!process_ || paused_) return;
  around_.log.line(around_.clock.now(), name_, "{}", clock_stands ? "falls asleep" : "is stopped by a signal");
  paused_since_ = around_.clock.now();
  paused_ = true;
  clock_stands_ = clock_stands;
}

void node::resume() {
  if (!process_ || !paused_) return;
  around_.log.line(around_.clock.now(), name_, "goes on");
  if (clock_stands_) process_->stood_still += around_.clock.now() - paused_since_;
  paused_ = false;
  clock_stands_ = false;
  const std::uint64_t life = process_->life;
  for (const auto& one : std::exchange(process_->missed, {})) {
    if (!process_ || process_->life != life) return;
    one(*process_);
  }
  plan_tick();
}

// --- inputs ---

void node::deliver(const cluster::shared_frame& frame) {
  if (!process_) return;
  around_.log.line(around_.clock.now(), name_, "<- {}", brief(*frame));
  run_node([this, frame](process& p) { p.core->handle_frame(*frame, {}, local_now()); });
}

void node::connection_lost(node_index to_host) {
  around_.log.line(around_.clock.now(), name_, "loses its connection to {}", host_name_of(to_host));
  run_node([this, to_host](process& p) { p.core->handle_connection_lost(address_of(to_host), local_now()); });
}

void node::connection_refused(node_index to_host) {
  around_.log.line(around_.clock.now(), name_, "is refused a connection to {}", host_name_of(to_host));
  run_node([this, to_host](process& p) { p.core->handle_connection_refused(address_of(to_host), local_now()); });
}

void node::run_node(std::function<void(process&)> what) {
  if (!process_) return;
  if (paused_) {
    process_->missed.push_back([this, what = std::move(what)](process&) { run_node(what); });
    return;
  }
  what(*process_);
  plan_turn();
}

void node::post(instant& last, std::function<void(process&)> what) {
  last = std::max(last, around_.clock.now() + up_to(around_.how.hop_time_max));
  around_.clock.at(last, [this, life = process_->life, what = std::move(what)]() mutable {
    if (!process_ || process_->life != life) return;
    if (paused_) {
      process_->missed.push_back(std::move(what));
    } else {
      what(*process_);
    }
  });
}

void node::post_to_node(std::function<void(process&)> what) {
  post(process_->last_to_node, [this, what = std::move(what)](process&) { run_node(what); });
}

void node::post_to_desk(std::function<void(process&)> what) {
  post(process_->last_to_desk, [this, what = std::move(what)](process& p) {
    what(p);
    end_desk_turn();
  });
}

// --- turns ---

void node::plan_turn() {
  if (around_.how.turn_time_max == duration{}) {
    turn();
    return;
  }
  if (std::exchange(process_->turn_planned, true)) return;
  around_.clock.after(up_to(around_.how.turn_time_max), [this, life = process_->life] {
    if (!process_ || process_->life != life) return;
    process_->turn_planned = false;
    if (paused_) {
      process_->missed.push_back([this](process&) { plan_turn(); });
    } else {
      turn();
    }
  });
}

void node::turn() {
  process& p = *process_;
  ready effects = p.core->poll_ready(local_now());
  tamper(effects);
  around_.watch.on_turn(index_, *p.core, effects);
  for (const auto& one : effects.events) {
    around_.log.line(around_.clock.now(), name_, "!! {}#{} is {}", one.node.name, one.node.incarnation,
                     to_string(one.kind));
  }
  for (const auto& one : effects.log) around_.log.line(around_.clock.now(), name_, "!! {}", text_of(one));
  for (const auto& one : effects.news.changes) {
    around_.log.line(around_.clock.now(), name_, "{} {} {} {}", one.vanished ? "hides" : "shows", one.origin, one.key,
                     one.what.incarnation);
  }
  const std::uint64_t life = p.life;
  const bool is_over = p.core->phase() == phase::ended;
  hand_out(effects);
  if (!process_ || process_->life != life) return;
  if (is_over) {
    // Its owner sees it, and ends it soon.
    around_.clock.after(up_to(std::chrono::seconds{2}), [this, life] {
      if (process_ && process_->life == life && !paused_) end_process(true);
    });
  }
  plan_tick();
}

void node::hand_out(const ready& effects) {
  for (const auto& one : effects.frames) {
    const node_index to = index_of_address(one.address);
    around_.log.line(around_.clock.now(), name_, "-> {} {}", host_name_of(to), brief(*one.content));
    if (swallows(one)) continue;
    around_.net.send(host_, to, one.on, one.content);
  }
  hand_out_watches(effects);
  if (effects.news.empty()) return;
  if (!sabotaged(sabotage::reverses_news)) {
    post_to_desk([news = to_directory(effects.news)](process& p) { p.front->handle(news); });
    return;
  }
  post_to_desk([this, news = to_directory(effects.news)](process& p) {
    if (p.held_back.changes.empty() && around_.draws.chance(1, 10)) {
      p.held_back = news;
      return;
    }
    p.front->handle(news);
    if (!p.held_back.changes.empty()) p.front->handle(std::exchange(p.held_back, {}));
  });
}

void node::tamper(ready& effects) {
  auto& changes = effects.news.changes;
  if (sabotaged(sabotage::loses_changes)) {
    std::erase_if(changes, [&](const auto&) { return around_.draws.chance(1, 50); });
  }
  if (sabotaged(sabotage::skips_versions)) {
    std::erase_if(changes, [&](const auto& one) { return one.vanished && around_.draws.chance(1, 10); });
  }
  if (sabotaged(sabotage::invents_registrations) && !changes.empty() && around_.draws.chance(1, 20)) {
    gossip::change made = changes.front();
    made.what.incarnation += 1'000'000;
    made.vanished = false;
    changes.push_back(std::move(made));
  }
  if (sabotaged(sabotage::raises_the_dead)) {
    const bool is_removal = std::ranges::any_of(
        effects.news.nodes, [](const auto& one) { return one.now == cluster::registration_news::reach::gone; });
    if (is_removal && !changes.empty() && changes.back().vanished) {
      gossip::change again = changes.back();
      again.vanished = false;
      changes.push_back(std::move(again));
    }
  }
  if (sabotaged(sabotage::repeats_messages) && !effects.deliveries.empty() && around_.draws.chance(1, 10)) {
    effects.deliveries.push_back(effects.deliveries.back());
  }
  if (sabotaged(sabotage::confuses_addresses) && around_.draws.chance(1, 20)) {
    for (auto& one : effects.events) one.address = address_of(host_);
  }
  tamper_with_watches(effects);
}

void node::tamper_with_watches(ready& effects) {
  auto& ends = effects.terminated;
  if (sabotaged(sabotage::loses_ends)) {
    std::erase_if(ends, [&](const auto&) { return around_.draws.chance(1, 10); });
  }
  if (sabotaged(sabotage::repeats_ends) && !ends.empty() && around_.draws.chance(1, 10)) ends.push_back(ends.back());
  if (sabotaged(sabotage::ends_the_unreachable)) {
    for (const auto& one : effects.events) {
      if (one.kind != cluster::member_event_kind::unreachable) continue;
      for (const auto& [number, watch] : process_->cast.watches()) {
        if (watch.target().node == one.node) ends.push_back(watch);
      }
    }
  }
}

bool node::swallows(const cluster::outgoing& frame) const {
  if (sabotaged(sabotage::swallows_gossip)) {
    return frame.on == cluster::channel::gossip && index_of_address(frame.address) == 0;
  }
  if (!sabotaged(sabotage::swallows_confirmations) || frame.on != cluster::channel::actors) return false;
  const auto what = cluster::decode_actor_envelope(cluster::decode_frame(*frame.content)->payload);
  return what && std::holds_alternative<cluster::ended_heard>(what->what);
}

void node::plan_tick() {
  if (!process_ || paused_) return;
  process& p = *process_;
  const instant due = p.core->next_deadline();
  if (due == instant_never) return;
  // Never early by the process's own clock.
  const duration left = std::max(due - local_now(), duration{0});
  const instant when = around_.clock.now() + left + left / 1'000'000 * std::max<std::int64_t>(-p.drift_ppm, 0) * 2 +
                       std::chrono::microseconds{1};
  if (when >= p.tick_planned) return;
  p.tick_planned = when;
  around_.clock.at(when, [this, life = p.life, when] {
    if (!process_ || process_->life != life || process_->tick_planned != when) return;
    process_->tick_planned = instant_never;
    if (paused_) return;
    if (process_->core->next_deadline() <= local_now()) {
      run_node([this](process& one) { one.core->handle_tick(local_now()); });
    } else {
      plan_tick();
    }
  });
}

// --- the receptionist ---

void node::call(std::function<void(desk&)> what) {
  if (!process_) return;
  post_to_desk([what = std::move(what)](process& p) { what(*p.front); });
}

void node::end_desk_turn() {
  process& p = *process_;
  auto steps = p.front->end_turn();
  if (steps.empty()) return;
  post_to_node([this, steps = std::move(steps)](process&) {
    for (const auto& one : steps) take_step(one);
  });
}

void node::take_step(const desk::step& what) {
  process& p = *process_;
  const auto& [key, entry] = what.what;
  if (what.removes) {
    if (p.core->remove(key.view(), entry)) around_.watch.on_operation(index_, *p.core, what.what, true);
    return;
  }
  const auto added = p.core->add(key.view(), entry);
  if (added && *added) around_.watch.on_operation(index_, *p.core, what.what, false);
  if (!added) post_to_desk([what](process& one) { one.front->refuse(what); });
}

// --- actors ---

void node::tell(const actor_node& whom) {
  if (!process_ || paused_) return;
  run_node([this, whom](process& p) {
    const actor_address to{whom, "/user/actor", actor_incarnation{1}};
    std::uint64_t number = around_.watch.on_tell(*p.core);
    bytes content(8);
    for (auto octet = content.rbegin(); octet != content.rend(); ++octet, number >>= 8U) {
      *octet = static_cast<std::uint8_t>(number);
    }
    p.core->handle_tell(to, "sim.numbered", std::move(content));
  });
}

void node::watch(const actor_address& whom) {
  if (!process_ || paused_) return;
  run_node([this, whom](process& p) {
    if (whom.node == p.core->self()) return;  // Within the process; the node has nothing to do with it.
    const watch_number number = around_.watch.watches().on_watch(index_, whom);
    around_.log.line(around_.clock.now(), name_, "watches {} ({})", whom, number);
    const death_watch made = p.cast.begin_watch(number, whom);
    const std::size_t watches = p.core->actors().watch_count();
    p.core->handle_watch(made, local_now());
    // Once more is not twice, unless the first has ended at once.
    if (p.core->actors().watch_count() > watches && around_.draws.chance(1, 8)) {
      p.core->handle_watch(made, local_now());
    }
  });
}

void node::unwatch() {
  if (!process_ || paused_ || process_->cast.watches().empty()) return;
  run_node([this](process& p) {
    const auto& all = p.cast.watches();
    if (all.empty()) return;
    const auto [number, ends] = *std::next(all.begin(), static_cast<std::ptrdiff_t>(around_.draws.below(all.size())));
    around_.log.line(around_.clock.now(), name_, "watches {} no more ({})", ends.target(), number);
    around_.watch.watches().on_unwatch(index_, number);
    p.cast.forget(number);
    if (!sabotaged(sabotage::forgets_unwatches)) p.core->handle_unwatch(ends, local_now());
  });
}

actor_address node::watchable(std::size_t which) const {
  const auto present = process_->cast.present(which);
  return {process_->core->self(), present.path, actor_incarnation{present.incarnation}};
}

void node::stop_watchable(std::size_t which) {
  if (!process_ || paused_) return;
  const cluster::actor_key stopped = process_->cast.stop(which);
  around_.log.line(around_.clock.now(), name_, "stops its actor {}#{}", stopped.path, stopped.incarnation);
  around_.watch.watches().on_actor_stopped(index_, stopped);
  if (process_->cast.is_followed(stopped)) report_end(stopped);
}

void node::report_end(const cluster::actor_key& which) {
  post_to_node([this, which](process& p) {
    if (p.cast.report(which)) p.core->handle_local_ended(which, local_now());
  });
}

void node::hand_out_watches(const ready& effects) {
  process& p = *process_;
  for (const auto& one : effects.watches) {
    if (p.cast.follow(one)) report_end(one.whom);
  }
  for (const auto& one : effects.terminated) {
    around_.log.line(around_.clock.now(), name_, "is told of the end of {}", one.target());
    one.terminated();
  }
  for (const watch_number number : p.cast.take_heard()) {
    around_.watch.on_terminated(index_, *p.core, number);
    p.cast.forget(number);
  }
  around_.watch.watches().on_turn(index_, p.core->phase() != phase::ended);
}

}  // namespace muster::sim::peers
