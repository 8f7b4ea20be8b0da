#include "sim/replicas/node.hpp"

#include <algorithm>
#include <utility>

#include "muster/base/codec.hpp"
#include "muster/base/invariant.hpp"
#include "muster/replication/framing.hpp"
#include "muster/replication/message_codec.hpp"

namespace muster::sim::replicas {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// Hands the rows of a store to the state machine and keeps the rest for the core.
class loading final : public replication::load_visitor {
 public:
  loading(replication::loaded& rest, registry::catalog_machine& machine) noexcept : rest_{rest}, machine_{machine} {}

  result<void> meta(byte_view content) override {
    rest_.meta = bytes{content.begin(), content.end()};
    return {};
  }
  result<void> row(std::uint8_t table, std::uint64_t key, byte_view value) override {
    return machine_.load_row(table, key, value);
  }
  result<void> log(replication::serial number, byte_view change) override {
    rest_.log.push_back({number, replication::shared_bytes{change}});
    return {};
  }

 private:
  replication::loaded& rest_;
  registry::catalog_machine& machine_;
};

duration up_to(prng& draws, duration most) {
  return duration{static_cast<duration::rep>(draws.below(static_cast<std::uint64_t>(most.count()) + 1))};
}

}  // namespace

bytes endpoints_of(node_index index, std::uint64_t version) {
  byte_writer out;
  out.size(index);
  out.size(version);
  return std::move(out).take();
}

std::optional<node_index> node_of_endpoints(byte_view endpoints) {
  byte_reader in{endpoints};
  const auto index = in.size();
  return in.failed() ? std::nullopt : std::optional<node_index>{index};
}

struct node::process {
  process(std::uint64_t number, std::uint64_t seed) : life{number}, draws{seed} {}

  std::uint64_t life;
  prng draws;
  shaky_machine machine;
  std::unique_ptr<replication::replica> core;

  // The process's clock: `origin` at the instant `started`, `drift_ppm` too fast.
  instant started{};
  instant origin{};
  std::int64_t drift_ppm{0};

  std::vector<std::function<void(process&)>> inbox;
  bool in_turn{false};
  bool stopping{false};
  instant tick_planned{instant_never};

  bool committing{false};
  std::optional<result<void>> commit_outcome;  ///< reported to the core when the commit's time has passed
  bool commit_due{false};                      ///< that time has passed, but the process was paused
  durable_step committed_step;
  replication::commit torn_step;  ///< only for the sabotage

  std::uint64_t messages_sent{0};
  std::map<peer_id, replication::frame_assembly> assemblies;
  std::map<node_index, peer_id> outgoing;
  std::set<peer_id> gone;
  std::uint64_t asked_round{0};
  bool asking{false};
  std::set<peer_id> asked;
};

node::node(node_index index, world& around)
    : index_{index},
      name_{fmt::format("r{}", index)},
      world_{around},
      files_fail_{around.how.troubles.disk_full > 0},
      commit_time_max_{around.how.commit_time_max} {}

node::~node() = default;

const replication::replica* node::core() const noexcept { return process_ ? process_->core.get() : nullptr; }

const catalog::state& node::published() const {
  MUSTER_INVARIANT(process_, "only a process has a published state");
  return process_->machine.catalog().published();
}

instant node::local_now() const {
  const duration elapsed = world_.clock.now() - process_->started;
  return process_->origin + elapsed + elapsed / 1'000'000 * process_->drift_ppm;
}

void node::start(const start_order& order) {
  MUSTER_INVARIANT(!process_, "a machine runs one replica process");
  order_ = order;
  paused_ = false;
  process_ = std::make_unique<process>(++lives_, world_.draws());
  process& p = *process_;
  p.started = world_.clock.now();
  p.origin = instant{} + std::chrono::seconds{static_cast<std::int64_t>(p.draws.below(1'000'000))};
  if (const auto most = static_cast<std::uint64_t>(world_.how.clock_drift_ppm_max); most != 0) {
    p.drift_ppm = static_cast<std::int64_t>(p.draws.below(2 * most + 1)) - static_cast<std::int64_t>(most);
  }
  world_.log.line(world_.clock.now(), name_, "starts as {}{}{}", to_string(order.role),
                  order.force ? " with --force" : "", order.copy_from ? " as a copy of " + *order.copy_from : "");
  world_.net.process_started(index_);

  replication::loaded from;
  loading visitor{from, p.machine.catalog()};
  result<void> read = disk_.load(visitor);
  if (read) read = p.machine.catalog().finish_load();
  if (!read) {
    world_.watch.on_violation(fmt::format("the database of {} does not open: {}", name_, read.error().message));
    return;
  }
  if (sabotaged(sabotage::slave_skips_changes) && order.role == replication::role::slave) {
    p.machine.skip_changes(p.draws);
  }

  replication::options how = world_.how.core;
  how.name = name_;
  how.role = order.role;
  how.force = order.force;
  how.initdb_from_replica = order.copy_from;
  how.endpoints = endpoints_of(index_, endpoints_version_);
  auto made = replication::replica::make(std::move(how), std::move(from), p.machine, p.draws, local_now());
  if (!made) {
    world_.watch.on_violation(fmt::format("{} cannot start: {}", name_, made.error().message));
    return;
  }
  p.core = std::move(*made);
  world_.watch.on_started(index_);
  input([](process&) {});
}

void node::kill() {
  if (!process_) return;
  world_.log.line(world_.clock.now(), name_, "is killed{}", disk_.unsettled() ? " in the middle of a commit" : "");
  end_process(false);
}

void node::end_process(bool refused_to_start) {
  if (disk_.unsettled()) {
    if (sabotaged(sabotage::tears_commits)) {
      replication::commit torn;
      torn.rows = std::move(process_->torn_step.rows);
      torn.meta = disk_.durable().meta;
      disk_.forget_unsettled();
      static_cast<void>(disk_.commit(std::move(torn)));
      disk_.settle();
    } else if (disk_.lose_power(world_.draws)) {
      world_.watch.on_durable(index_, process_->committed_step);
    }
  } else {
    static_cast<void>(disk_.lose_power(world_.draws));
  }
  process_.reset();
  world_.net.process_ended(index_);
  world_.watch.on_ended(index_, refused_to_start);
}

void node::stop() {
  if (!process_) return;
  world_.log.line(world_.clock.now(), name_, "is asked to stop");
  input([this](process& p) {
    p.core->handle_stop(local_now());
    p.stopping = true;
  });
}

void node::pause() {
  if (!process_ || paused_) return;
  world_.log.line(world_.clock.now(), name_, "is stopped by a signal");
  paused_ = true;
}

void node::resume() {
  if (!process_ || !paused_) return;
  world_.log.line(world_.clock.now(), name_, "goes on");
  paused_ = false;
  world_.watch.on_resumed(index_);
  if (std::exchange(process_->commit_due, false)) {
    end_commit();
  } else {
    turn();
  }
}

void node::fail_next_stage() {
  if (process_) process_->machine.fail_next_stage();
}

void node::change_endpoints() {
  ++endpoints_version_;
  world_.log.line(world_.clock.now(), name_, "** has new endpoints");
  input([this](process& p) { p.core->handle_endpoints(endpoints_of(index_, endpoints_version_), local_now()); });
}

void node::propose(ticket of, bytes change) {
  input([this, of, content = std::move(change)](process& p) mutable {
    p.core->handle_proposal(of, std::move(content), local_now());
  });
}

void node::barrier(ticket of) {
  input([this, of](process& p) { p.core->handle_barrier(of, local_now()); });
}

void node::deliver(peer_id from, bytes content) {
  if (!process_) return;
  auto whole = process_->assemblies[from].add(content);
  if (!whole) {
    world_.watch.on_violation(fmt::format("{} cannot read a frame: {}", name_, whole.error().message));
    return;
  }
  if (!*whole) return;
  auto read = replication::decode(**whole);
  if (!read) {
    world_.watch.on_violation(fmt::format("{} cannot read a message: {}", name_, read.error().message));
    return;
  }
  if (intercept(from, *read)) return;
  input([this, from, what = std::move(*read)](process&) mutable { handle(from, std::move(what)); });
}

bool node::intercept(peer_id from, const replication::message& what) {
  const auto* got = std::get_if<replication::append>(&what);
  if (got == nullptr) return false;
  if (sabotaged(sabotage::swallows_heartbeats)) return got->entries.empty();
  if (!sabotaged(sabotage::acknowledges_unread) || got->entries.empty() || !world_.draws.chance(1, 10)) return false;
  const replication::appended forged{got->session, got->entries.back().number, got->roster_version};
  send(from, forged, replication::supported_versions.max);
  return true;
}

void node::send(peer_id to, const replication::message& what, std::uint8_t version) {
  for (bytes& frame : replication::to_frames(replication::encode(what, version), ++process_->messages_sent,
                                             world_.how.frame_bytes_max)) {
    world_.net.send(to, std::move(frame));
  }
}

void node::handle(peer_id from, replication::message what) {
  if (process_->gone.contains(from)) return;
  world_.log.line(world_.clock.now(), name_, "<- {} {}", world_.net.far_end(from), brief(what));
  std::optional<std::uint64_t> answered_round;
  if (const auto* answer = std::get_if<replication::description>(&what)) answered_round = answer->round;
  process_->core->handle_message(from, std::move(what), local_now());
  if (answered_round) answered(from, *answered_round);
}

void node::gone(peer_id which) {
  input([this, which](process& p) {
    world_.log.line(world_.clock.now(), name_, "way {} to {} is gone", which, world_.net.far_end(which));
    p.gone.insert(which);
    p.assemblies.erase(which);
    p.core->handle_peer_gone(which, local_now());
    answered(which, p.asked_round);
  });
}

void node::input(std::function<void(process&)> what) {
  if (!process_ || !process_->core || process_->stopping) return;
  process_->inbox.push_back(std::move(what));
  turn();
}

void node::turn() {
  process& p = *process_;
  if (paused_ || p.in_turn || !p.core || (p.committing && world_.how.commit_blocks)) return;
  p.in_turn = true;
  do {
    const auto waiting = std::exchange(p.inbox, {});
    for (const auto& one : waiting) one(p);
    pump();
  } while (!p.inbox.empty() && !(p.committing && world_.how.commit_blocks));
  p.in_turn = false;
  world_.watch.on_turn(index_);

  const replication::phase now = p.core->current_phase();
  if (!p.committing && (now == replication::phase::start_refused || now == replication::phase::failed)) {
    world_.log.line(world_.clock.now(), name_, "ends: {}", to_string(now));
    end_process(now == replication::phase::start_refused);
  } else if (!p.committing && p.stopping) {
    world_.log.line(world_.clock.now(), name_, "has stopped");
    end_process(false);
  } else {
    plan_tick();
  }
}

void node::pump() {
  process& p = *process_;
  for (int round = 0;; ++round) {
    if (round > 10'000) {
      world_.watch.on_violation(fmt::format("{} hands out effects without end", name_));
      return;
    }
    replication::ready effects = p.core->poll_ready(local_now());
    if (effects.empty()) return;
    world_.watch.on_effects(index_, effects);
    for (auto& out : effects.messages) {
      world_.log.line(world_.clock.now(), name_, "-> {} {}", world_.net.far_end(out.to), brief(out.what));
      send(out.to, out.what, out.version);
    }
    for (auto& done : effects.completions) {
      if (sabotaged(sabotage::loses_completions) && world_.draws.chance(1, 50)) continue;
      world_.watch.on_completion(index_, done.of, done.outcome);
    }
    for (const auto& what : effects.events) {
      world_.log.line(world_.clock.now(), name_, "!! {} {} {} {}", to_string(what.kind), what.replica, what.at,
                      what.sentence);
      world_.watch.on_event(index_, what);
    }
    if (effects.ask) ask(*effects.ask);
    if (effects.tail) save_tail(std::move(*effects.tail));
    if (effects.persist) {
      begin_commit(std::move(*effects.persist));
      if (world_.how.commit_blocks) return;
    }
  }
}

void node::plan_tick() {
  process& p = *process_;
  const instant due = p.core->next_deadline();
  if (due == instant_never) return;
  const duration local_wait = std::max(due - local_now(), duration::zero());
  // A little late, as timers are; and never early by the clock of the process, however it drifts.
  const duration wait = local_wait - local_wait / 1'000'000 * p.drift_ppm + local_wait / 200 + microseconds{20};
  const instant when = world_.clock.now() + wait;
  if (when >= p.tick_planned) return;
  p.tick_planned = when;
  world_.clock.at(when, [this, life = p.life, when] {
    if (!process_ || process_->life != life || process_->tick_planned != when) return;
    process_->tick_planned = instant_never;
    input([this](process& alive) { alive.core->handle_tick(local_now()); });
  });
}

void node::begin_commit(replication::commit&& step) {
  process& p = *process_;
  if (p.committing) {
    world_.watch.on_violation(fmt::format("{} asks for a commit while one is under way", name_));
    return;
  }
  p.committing = true;
  // With that sabotage a step becomes durable only when the next one comes.
  if (sabotaged(sabotage::answers_before_durable)) settle();
  p.committed_step = {step.what, step.log_append, p.core->current_phase()};
  if (sabotaged(sabotage::tears_commits)) p.torn_step = step;
  if (sabotaged(sabotage::forgets_erasures)) {
    std::erase_if(step.rows, [](const replication::row_write& one) { return !one.value; });
  }
  world_.log.line(world_.clock.now(), name_, "commits {} rows, {} changes{}", step.rows.size(), step.log_append.size(),
                  step.what == replication::commit::kind::changes ? "" : " of a replacement");
  p.commit_outcome = disk_.commit(std::move(step));
  if (!disk_.broken_contract().empty()) {
    world_.watch.on_violation(fmt::format("{} breaks the contract of its store: {}", name_, disk_.broken_contract()));
  }
  const duration lasts = microseconds{20} + up_to(world_.draws, commit_time_max_);
  const bool early = sabotaged(sabotage::answers_before_durable);
  world_.clock.after(early ? microseconds{10} : lasts, [this, life = p.life] {
    if (!process_ || process_->life != life) return;
    if (paused_) {
      process_->commit_due = true;
    } else {
      end_commit();
    }
  });
}

void node::settle() {
  if (!disk_.unsettled()) return;
  disk_.settle();
  world_.watch.on_durable(index_, process_->committed_step);
}

void node::end_commit() {
  process& p = *process_;
  const bool failed_hard = !*p.commit_outcome && p.commit_outcome->error().code == errc::io_error;
  // What a failed disk holds is found out at the next start; the process knows nothing of it.
  if (!failed_hard && !sabotaged(sabotage::answers_before_durable)) settle();
  if (!*p.commit_outcome) {
    world_.log.line(world_.clock.now(), name_, "commit fails: {}", p.commit_outcome->error().message);
  }
  p.committing = false;
  const result<void> outcome = std::move(*p.commit_outcome);
  p.commit_outcome.reset();
  p.core->handle_committed(outcome, local_now());
  turn();
}

void node::save_tail(replication::save_tail&& tail) {
  process& p = *process_;
  world_.log.line(world_.clock.now(), name_, "saves the tail {}", tail.suggested_name);
  const bool full = disk_.present_trouble() == disk::trouble::full || (files_fail_ && world_.draws.chance(1, 3));
  if (!full && !sabotaged(sabotage::tail_is_not_written)) files_[tail.suggested_name] = std::move(tail.content);
  result<std::string> outcome = tail.suggested_name;
  if (full) outcome = fail(errc::storage_full, "the simulated disk is full");
  world_.clock.after(
      milliseconds{1} + up_to(world_.draws, milliseconds{400}),
      [this, life = p.life, outcome = std::move(outcome)]() mutable {
        if (!process_ || process_->life != life) return;
        input([this, what = std::move(outcome)](process& alive) { alive.core->handle_tail_saved(what, local_now()); });
      });
}

void node::ask(const replication::discover& what) {
  process& p = *process_;
  p.asking = true;
  p.asked_round = what.question.round;
  p.asked.clear();
  std::set<node_index> whom;
  if (order_.role == replication::role::slave || order_.copy_from || world_.how.masters_know_locator) {
    for (node_index other = 0; other < world_.how.nodes; ++other) whom.insert(other);
  }
  for (const auto& known : what.recorded) {
    if (const auto found = node_of_endpoints(known.endpoints)) whom.insert(*found);
  }
  whom.erase(index_);
  for (const node_index other : whom) {
    const auto known = p.outgoing.find(other);
    peer_id way;
    if (known != p.outgoing.end() && world_.net.is_open(known->second) && !p.gone.contains(known->second) &&
        !p.draws.chance(1, 8)) {
      way = known->second;
    } else {
      way = world_.net.connect(index_, other);
      p.outgoing[other] = way;
    }
    p.asked.insert(way);
    world_.log.line(world_.clock.now(), name_, "-> {} {}", other, brief(what.question));
    send(way, what.question, replication::handshake_version);
  }
  // Not within the turn that asks, as a driver could not know so soon either.
  world_.clock.after(microseconds{50}, [this, life = p.life] {
    if (process_ && process_->life == life) check_discovery();
  });
}

void node::answered(peer_id who, std::uint64_t round) {
  process& p = *process_;
  if (p.asking && p.asked_round == round && p.asked.erase(who) != 0) check_discovery();
}

void node::check_discovery() {
  process& p = *process_;
  if (!p.asking || !p.asked.empty() || !world_.how.reports_discovery_complete) return;
  p.asking = false;
  input([this, round = p.asked_round](process& alive) { alive.core->handle_discovery_complete(round, local_now()); });
}

}  // namespace muster::sim::replicas
