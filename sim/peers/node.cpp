#include "sim/peers/node.hpp"

#include <algorithm>
#include <utility>

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
  process(std::uint64_t number, std::uint64_t seed) : life{number}, draws{seed} {}

  std::uint64_t life;
  prng draws;
  std::unique_ptr<cluster::node_core> core;
  std::unique_ptr<desk> front;

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

node::node(node_index index, surroundings& around) : index_{index}, name_{name_of(index)}, around_{around} {}
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
  process_ = std::make_unique<process>(++lives_, repeats ? index_ : around_.draws());
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
  auto made = cluster::node_core::make(std::move(how), address_of(index_), first_wall_clock_ms_, p.draws, local_now());
  if (!made) {
    around_.watch.on_violation(index_, fmt::format("it cannot start: {}", made.error().message));
    return;
  }
  p.core = *std::move(made);
  around_.log.line(around_.clock.now(), name_, "starts as {}", p.core->self().incarnation);
  around_.net.process_started(index_);
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
  around_.net.process_ended(index_, host_answers);
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

void node::connection_lost(node_index to) {
  around_.log.line(around_.clock.now(), name_, "loses its connection to {}", name_of(to));
  run_node([this, to](process& p) { p.core->handle_connection_lost(address_of(to), local_now()); });
}

void node::connection_refused(node_index to) {
  around_.log.line(around_.clock.now(), name_, "is refused a connection to {}", name_of(to));
  run_node([this, to](process& p) { p.core->handle_connection_refused(address_of(to), local_now()); });
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
    around_.log.line(around_.clock.now(), name_, "-> {} {}", name_of(to), brief(*one.content));
    if (sabotaged(sabotage::swallows_gossip) && to == 0 && one.on == cluster::channel::gossip) continue;
    around_.net.send(index_, to, one.on, one.content);
  }
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

}  // namespace muster::sim::peers
