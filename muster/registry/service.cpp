#include "muster/registry/service.hpp"

#include <algorithm>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "muster/catalog/apply.hpp"
#include "muster/replication/store.hpp"

namespace muster::registry {
namespace {

// Sorts what the store holds: rows become the state, the rest is the replication core's.
class start_visitor final : public replication::load_visitor {
 public:
  explicit start_visitor(catalog_machine& machine) : machine_{machine} {}

  result<void> meta(byte_view content) override {
    loaded.meta = bytes{content.begin(), content.end()};
    return {};
  }
  result<void> row(std::uint8_t table, std::uint64_t key, byte_view value) override {
    return machine_.load_row(table, key, value);
  }
  result<void> log(replication::serial number, byte_view change) override {
    loaded.log.push_back({number, replication::shared_bytes{change}});
    return {};
  }

  replication::loaded loaded;

 private:
  catalog_machine& machine_;
};

severity severity_of(replication::event_kind kind) {
  using enum replication::event_kind;
  switch (kind) {
    case start_refused:
    case stepped_down:
    case storage_failed:
    case refused_by_master:
    case other_master_seen:
    case tail_not_saved:
    case refused_master: return severity::error;
    case startup_unanswered:
    case start_forced:
    case slave_dropped:
    case slave_refused:
    case master_lost:
    case no_master:
    case apply_failed:
    case tail_saved:
    case storage_refused: return severity::warning;
    case master_serving:
    case term_begun:
    case slave_opened:
    case slave_active:
    case master_found:
    case slave_caught_up:
    case snapshot_sent:
    case snapshot_installed: return severity::info;
  }
  return severity::info;
}

metrics::drop_reason drop_reason_of(std::optional<replication::refusal> why) {
  if (!why) return metrics::drop_reason::disconnected;
  return *why == replication::refusal::missed_bound ? metrics::drop_reason::timed_out : metrics::drop_reason::other;
}

// As in IceGrid, no other replica than the master may have this name, and the master has no other.
constexpr std::string_view name_of_masters = "Master";

constexpr duration measure_interval = std::chrono::milliseconds{250};

bool ends_process(replication::event_kind kind) {
  return kind == replication::event_kind::start_refused || kind == replication::event_kind::storage_failed;
}

}  // namespace

service::service(service_options how, ports around, std::uint64_t seed)
    : options_{std::move(how)},
      strand_{around.strand},
      store_{around.store},
      peers_{around.peers},
      tails_{around.tails},
      log_{around.log},
      figures_{around.figures},
      shell_{around.shell},
      random_{seed},
      sessions_{around.strand, around.figures, options_.sessions},
      replicas_{std::make_shared<const replica_list>()} {}

service::~service() = default;

result<std::unique_ptr<service>> service::make(service_options how, ports around, std::uint64_t seed) {
  std::unique_ptr<service> made{new service{std::move(how), around, seed}};
  if (auto loaded = made->load(around.strand.now()); !loaded) return fail(std::move(loaded).error());
  return made;
}

result<void> service::load(instant now) {
  start_visitor visitor{machine_};
  if (auto read = store_.load(visitor); !read) return read;
  if (auto built = machine_.finish_load(); !built) return built;

  options_.replication.endpoints = encode(options_.own);
  auto core = replication::replica::make(options_.replication, std::move(visitor.loaded), machine_, random_, now);
  if (!core) return fail(std::move(core).error());
  core_ = std::move(*core);
  const auto& met = core_->known_replicas();
  if (std::ranges::find(met, name_of_masters, &replication::replica_info::name) != met.end()) {
    last_master_name_ = name_of_masters;
  }

  own_objects_ = std::make_shared<const locator::well_known>();
  options_.own.objects.name = options_.replication.name;
  machine_.observe([this](const catalog::state&) { republish(); });
  republish();
  return {};
}

void service::start() {
  strand_.at_turn_end([this] { turn(); });
  strand_.post([] {});  // the first turn
}

void service::stop(std::function<void()> done) {
  strand_.post([this, done = std::move(done)] {
    sessions_.close();
    core_->handle_stop(strand_.now());
    turn();
    stopped_ = true;
    done();
  });
}

// --- The loop: what came in during this turn becomes effects. ---

void service::turn() {
  if (stopped_) return;
  const auto now = strand_.now();
  if (now >= core_->next_deadline()) core_->handle_tick(now);
  sessions_.tick(now);
  bool any = false;
  for (auto effects = core_->poll_ready(strand_.now()); !effects.empty(); effects = core_->poll_ready(strand_.now())) {
    perform(effects);
    any = true;
  }
  if (any) measure(now);
  if (!opened_ && serves()) {
    opened_ = true;
    republish();
    shell_.on_serving();
  }
  strand_.wake_at(std::min(core_->next_deadline(), sessions_.next_deadline()));
}

void service::perform(replication::ready& effects) {
  for (auto& message : effects.messages) {
    trace(message.what, traffic::sent, message.to);
    peers_.send(std::move(message));
  }
  if (effects.replicas) adopt(std::move(effects.replicas));
  for (const auto& what : effects.events) report(what);
  for (auto& completion : effects.completions) {
    const auto found = waiting_.find(completion.of.value());
    if (found == waiting_.end()) continue;
    auto entry = std::move(found->second);
    waiting_.erase(found);
    figures_.answer_latency.observe(strand_.now() - entry.since);
    if (!completion.outcome) figures_.changes_refused[completion.outcome.error().code].add();
    entry.done(std::move(completion.outcome));
  }
  if (effects.ask) peers_.discover(std::move(*effects.ask));
  if (effects.tail) {
    auto saved = tails_.save(*effects.tail);
    if (saved) figures_.diverged_tails_saved.add();
    core_->handle_tail_saved(saved, strand_.now());
  }
  if (effects.persist) persist(std::move(*effects.persist));
}

void service::persist(replication::commit step) {
  const auto changes = step.log_append.size();
  const auto began = strand_.now();
  const auto outcome = store_.commit(std::move(step));
  const auto ended = strand_.now();
  if (outcome && changes != 0) {
    figures_.changes_committed.add(changes);
    figures_.batch_changes.observe(changes);
    figures_.commit_latency.observe(ended - began);
  }
  core_->handle_committed(outcome, ended);
}

void service::report(const replication::event& what) {
  auto line = event{severity_of(what.kind), replication::to_string(what.kind)};
  if (!what.replica.empty()) line.with("replica", what.replica);
  if (what.at.value() != 0) line.with("serial", what.at);
  log_.write(line.with("message", what.sentence));

  using enum replication::event_kind;
  switch (what.kind) {
    case slave_dropped: figures_.slaves_dropped[drop_reason_of(what.why)].add(); break;
    case snapshot_sent: figures_.snapshots_sent.add(); break;
    case snapshot_installed: figures_.snapshots_installed.add(); break;
    default: break;
  }
  if (what.kind == slave_dropped) figures_.remove_slave(what.replica);
  measured_ = {};
  trouble_ = core_->status().trouble;
  if (ends_process(what.kind)) shell_.on_must_end(what.sentence);
  republish();
}

void service::adopt(std::shared_ptr<const replication::roster> replicas) {
  roster_ = std::move(replicas);
  auto list = std::make_shared<replica_list>();
  std::vector<locator::active_replica> active;
  for (std::size_t at = 0; roster_ && at < roster_->replicas.size(); ++at) {
    const auto& info = roster_->replicas[at];
    auto card = decode_replica_card(info.endpoints);
    if (!card) {
      log_.write(event{severity::warning, "replica_card_unreadable"}
                     .with("replica", info.name)
                     .with("message", card.error().message));
      continue;
    }
    card->objects.name = info.name;
    card->objects.is_master = at == 0 && roster_->master_first;
    active.push_back(card->objects);
    list->replicas.push_back(std::move(*card));
  }
  // What this replica knows best is itself: before it meets a master, before others know its new endpoints, and as a
  // master that has stepped down, whose objects keep their names.
  const auto own = std::ranges::find(active, options_.own.objects.name, &locator::active_replica::name);
  auto self = options_.own;
  self.objects.is_master = core_->own_role() == replication::role::master;
  if (own == active.end()) {
    active.push_back(self.objects);
    list->replicas.push_back(std::move(self));
  } else {
    *own = self.objects;
    list->replicas[static_cast<std::size_t>(own - active.begin())] = std::move(self);
  }
  replicas_ = std::move(list);
  own_objects_ = locator::well_known::make(options_.instance_name, options_.replication.name, active);
  republish();
}

bool service::serves() const {
  using enum replication::phase;
  const auto phase = core_->current_phase();
  const bool is_started =
      phase != asking && phase != copying && phase != beginning && phase != start_refused && phase != failed;
  return is_started && core_->has_copy();
}

void service::republish() {
  auto now = std::make_shared<published>();
  now->view.state = machine_.published();
  now->view.own = own_objects_;
  now->replicas = replicas_;
  now->role = core_->own_role();
  now->serves = serves();
  now->takes_changes = core_->takes_changes();
  if (now->role == replication::role::master) {
    // A read-only master is one, too; a master that has stepped down is none.
    if (core_->current_phase() == replication::phase::serving) now->master_name = options_.replication.name;
  } else if (const auto master = core_->current_master()) {
    now->master_name = master->name;
  }
  if (!now->master_name.empty()) last_master_name_ = now->master_name;
  now->last_master_name = last_master_name_;
  now->phase = core_->current_phase();
  now->term = core_->history().terms.current();
  now->serial = core_->history().last;
  now->trouble = trouble_;
  current_.store(std::move(now), std::memory_order_release);
}

void service::measure(instant now) {
  const auto& state = machine_.published();
  figures_.objects.set_count(state.objects().size());
  figures_.adapters.set_count(state.adapters().size());
  figures_.applications.set_count(state.applications().size());
  figures_.changes_waiting.set_count(waiting_.size());
  const auto& history = core_->history();
  figures_.set_role(core_->own_role() == replication::role::master ? metrics::replica_role::master
                                                                   : metrics::replica_role::slave);
  figures_.serving.set(serves() ? 1 : 0);
  figures_.term.set_count(history.terms.current().number);
  figures_.serial.set_count(history.last.value());
  figures_.acknowledged_serial.set_count(history.acknowledged.value());

  // What takes a copy of names is looked at now and then only.
  if (now - measured_ < measure_interval && measured_ != instant{}) return;
  measured_ = now;
  const auto status = core_->status();
  figures_.log_entries.set_count(status.log_entries);
  figures_.log_bytes.set_count(status.log_bytes);
  std::size_t active = 0;
  for (const auto& slave : status.slaves) {
    figures_.set_slave(slave.name, history.last.value() - std::min(history.last, slave.matched).value(), slave.active);
    if (slave.active) ++active;
  }
  figures_.active_slaves.set_count(active);
}

// --- Changes ---

replication::ticket service::enlist(change_done done) {
  const replication::ticket mine{++last_ticket_};
  waiting_.emplace(mine.value(), waiting{std::move(done), strand_.now()});
  return mine;
}

void service::propose(catalog::change what, change_done done) {
  auto shared = std::make_shared<change_done>(std::move(done));
  auto posted =
      strand_.try_post([this, what = std::move(what), shared]() mutable { propose_here(what, std::move(*shared)); });
  if (!posted) (*shared)(fail(std::move(posted).error()));
}

void service::propose_here(const catalog::change& what, change_done done) {
  const auto now = strand_.now();
  const auto mine = enlist(std::move(done));
  if (core_->takes_changes() && catalog::changes_nothing(machine_.published(), what)) {
    // The caller is told of a state that some slave may not have yet, so the answer waits for what is on its way.
    core_->handle_barrier(mine, now);
  } else {
    core_->handle_proposal(mine, catalog::encode(what), now);
  }
}

// --- Registrations ---

template <typename Registration>
void service::register_or_forward(Registration what, registration_done done) {
  auto shared = std::make_shared<registration_done>(std::move(done));
  auto posted = strand_.try_post([this, what = std::move(what), shared]() mutable {
    if (core_->own_role() == replication::role::master) {
      register_here(std::move(what), std::move(*shared));
      return;
    }
    if (const auto master = core_->master_peer()) {
      peers_.forward(*master, std::move(what), std::move(*shared));
      return;
    }
    (*shared)(tl::unexpected<registration_refusal>{
        {registration_failure::unavailable,
         fmt::format("replica '{}' is a slave and reaches no running master, which alone takes registrations{}",
                     options_.replication.name,
                     last_master_name_.empty() ? "" : fmt::format("; the last was replica '{}'", last_master_name_))}});
  });
  if (!posted) {
    (*shared)(tl::unexpected<registration_refusal>{{registration_failure::unavailable, posted.error().message}});
  }
}

void service::register_adapter(adapter_registration what, registration_done done) {
  auto name_it = [this, id = what.adapter_id, group = what.replica_group_id,
                  done = std::move(done)](registration_outcome outcome) {
    if (!outcome) log_refusal({id, group, {}}, outcome.error());
    done(std::move(outcome));
  };
  register_or_forward(std::move(what), std::move(name_it));
}

void service::register_process(process_registration what, registration_done done) {
  register_or_forward(std::move(what), std::move(done));
}

void service::register_here(adapter_registration what, registration_done done) {
  if (auto allowed = may_register(machine_.staged(), what, options_.dynamic_registration); !allowed) {
    done(std::move(allowed));
    return;
  }
  auto request = std::make_shared<const adapter_registration>(std::move(what));
  catalog::change change;
  if (request->proxy.is_null()) {
    change = catalog::unset_adapter{request->adapter_id};
  } else {
    change = catalog::set_adapter{request->adapter_id, request->replica_group_id, request->proxy};
  }
  propose_here(change, [request, done = std::move(done)](result<replication::serial> outcome) {
    if (outcome) {
      done({});
    } else {
      done(tl::unexpected<registration_refusal>{to_refusal(outcome.error(), *request)});
    }
  });
}

void service::register_here(const process_registration& what, const registration_done& done) {
  const auto* server = machine_.published().find_server(what.server_id);
  done(tl::unexpected<registration_refusal>{
      {registration_failure::server_unknown, server == nullptr
                                                 ? fmt::format("no application describes server '{}'", what.server_id)
                                                 : fmt::format("server '{}' belongs on node '{}', which is not active",
                                                               what.server_id, server->entry.node)}});
}

void service::log_refusal(const adapter_registration& what, const registration_refusal& why) {
  log_.write(event{severity::warning, "registration_refused"}
                 .with("adapter", what.adapter_id)
                 .with("replica_group", what.replica_group_id)
                 .with("message", why.reason));
}

void service::handle_forwarded(replication::peer_id from, adapter_registration what, registration_done done) {
  strand_.post([this, from, what = std::move(what), done = std::move(done)]() mutable {
    if (core_->is_active_slave(from)) {
      register_here(std::move(what), std::move(done));
      return;
    }
    done(tl::unexpected<registration_refusal>{
        {registration_failure::unavailable, "only an active slave of this master may hand a registration on"}});
  });
}

void service::handle_forwarded(replication::peer_id from, process_registration what, registration_done done) {
  strand_.post([this, from, what = std::move(what), done = std::move(done)] {
    if (core_->is_active_slave(from)) {
      register_here(what, done);
      return;
    }
    done(tl::unexpected<registration_refusal>{
        {registration_failure::unavailable, "only an active slave of this master may hand a registration on"}});
  });
}

// --- The rest ---

void service::describe(std::function<void(replication::status)> done) {
  strand_.post([this, done = std::move(done)] { done(core_->status()); });
}

void service::set_card(replica_card own) {
  strand_.post([this, own = std::move(own)]() mutable {
    options_.own = std::move(own);
    adopt(roster_);
    core_->handle_endpoints(encode(options_.own), strand_.now());
  });
}

void service::shut_down_replica(const std::string& name, std::function<void(result<void>)> done) {
  strand_.post([this, name, done = std::move(done)] {
    if (name == options_.replication.name) {
      done({});
      shell_.on_must_end({});
      return;
    }
    if (const auto slave = core_->slave_peer(name)) {
      peers_.shut_down(*slave);
      done({});
      return;
    }
    done(fail(errc::not_found, "no active replica is named '{}'", name));
  });
}

void service::handle_message(replication::peer_id from, replication::message what) {
  strand_.post([this, from, what = std::move(what)]() mutable {
    trace(what, traffic::received, from);
    core_->handle_message(from, std::move(what), strand_.now());
  });
}

void service::trace(const replication::message& what, traffic way, replication::peer_id peer) {
  if (const auto line = trace_of(what, way, peer, options_.replica_trace)) log_.write(*line);
}

void service::handle_peer_gone(replication::peer_id which) {
  strand_.post([this, which] { core_->handle_peer_gone(which, strand_.now()); });
}

void service::handle_discovery_complete(std::uint64_t round) {
  strand_.post([this, round] { core_->handle_discovery_complete(round, strand_.now()); });
}

void service::handle_shut_down(replication::peer_id from) {
  strand_.post([this, from] {
    if (core_->master_peer() == from) shell_.on_must_end({});
  });
}

}  // namespace muster::registry
