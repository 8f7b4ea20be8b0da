#include "muster/replication/replica.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "muster/replication/core.hpp"
#include "muster/replication/follower.hpp"
#include "muster/replication/leader.hpp"
#include "muster/replication/shipping.hpp"
#include "muster/replication/starter.hpp"

namespace muster::replication {

namespace {

result<void> check(const options& how) {
  if (how.name.empty()) {
    return fail(errc::invalid_argument, "a replica needs a name: IceGrid.Registry.ReplicaName is empty");
  }
  if (how.versions.min == handshake_version || how.versions.min > how.versions.max) {
    return fail(errc::invalid_argument, "protocol versions {} to {}: 1 to 255 in order are allowed", how.versions.min,
                how.versions.max);
  }
  if (how.batch_changes_max == 0 || how.message_bytes_max == 0 || how.snapshot_window_chunks == 0 ||
      how.sessions_max == 0) {
    return fail(errc::invalid_argument, "a bound of the replication protocol is 0: nothing could ever be sent");
  }
  if (how.initdb_from_replica && how.initdb_from_replica->empty()) {
    return fail(errc::invalid_argument, "--initdb-from-replica needs the name of a replica");
  }
  return {};
}

}  // namespace

/// Wires the parts together: an input goes to the part that it concerns, then everything that it made possible begins.
class replica::state {
 public:
  state(options how, durable_meta meta, change_log log, state_machine& machine, prng& random)
      : core_{std::move(how), std::move(meta), std::move(log), machine, random}, shipping_{core_}, starter_{core_} {}

  void start(instant now) {
    if (core_.how.initdb_from_replica) {
      copier_.emplace(core_, *core_.how.initdb_from_replica);
      copier_->start(now);
    } else {
      starter_.start(now);
    }
    proceed(now);
  }

  // --- inputs ---

  void propose(ticket of, bytes change) {
    if (auto why = why_no_changes()) {
      core_.complete(of, fail(*std::move(why)));
      return;
    }
    leader_->handle_proposal(of, std::move(change));
  }

  void barrier(ticket of, instant now) {
    if (auto why = why_no_changes()) {
      core_.complete(of, fail(*std::move(why)));
      return;
    }
    leader_->handle_barrier(of, now);
  }

  void message_from(peer_id from, message what, instant now) {
    if (halted()) {
      return;
    }
    std::visit([&](auto&& one) { take(from, std::forward<decltype(one)>(one), now); }, std::move(what));
    proceed(now);
  }

  void peer_gone(peer_id which, instant now) {
    shipping_.handle_peer_gone(which, now);
    if (copier_) {
      copier_->handle_peer_gone(which, now);
    }
    if (follower_) {
      follower_->handle_peer_gone(which, now);
    }
    proceed(now);
  }

  void committed(const result<void>& outcome, instant now) {
    MUSTER_INVARIANT(core_.stepping != step_owner::none, "an outcome belongs to a step that was handed out");
    const step_owner whose = std::exchange(core_.stepping, step_owner::none);
    if (outcome) {
      core_.durable.succeed();
    } else {
      core_.durable.fail(now);
    }
    switch (whose) {
      case step_owner::none:
      case step_owner::flush: break;
      case step_owner::starter: starter_.handle_committed(outcome); break;
      case step_owner::leader: leader_->handle_committed(outcome, now); break;
      case step_owner::follower: (copier_ ? *copier_ : *follower_).handle_committed(outcome, now); break;
    }
    if (!outcome && outcome.error().code == errc::io_error) {
      storage_failed(outcome.error(), now);
    }
    proceed(now);
  }

  void tail_saved(const result<std::string>& outcome, instant now) {
    if (copier_) {
      copier_->handle_tail_saved(outcome, now);
    } else if (follower_) {
      follower_->handle_tail_saved(outcome, now);
    }
    proceed(now);
  }

  void discovery_complete(std::uint64_t round, instant now) {
    starter_.handle_discovery_complete(round);
    if (copier_) {
      copier_->handle_discovery_complete(round, now);
    }
    if (follower_) {
      follower_->handle_discovery_complete(round, now);
    }
    tick(now);
  }

  void endpoints(bytes now_reached_at, instant now) {
    if (core_.how.endpoints == now_reached_at) {
      return;
    }
    core_.how.endpoints = std::move(now_reached_at);
    if (leader_) {
      shipping_.refresh_roster(now);
    }
    if (follower_) {
      follower_->announce_endpoints(now);
    }
    proceed(now);
  }

  void tick(instant now) {
    if (halted()) {
      return;
    }
    starter_.handle_tick(now);
    if (copier_) {
      copier_->handle_tick(now);
    }
    if (follower_) {
      follower_->handle_tick(now);
    }
    if (leader_) {
      leader_->handle_tick(now);
    }
    shipping_.handle_tick(now);
    proceed(now);
  }

  void stop(instant now) {
    if (halted()) {
      return;
    }
    halt(refusal::asked_to_leave, {errc::unavailable, fmt::format("replica '{}' is shutting down", core_.how.name)},
         now);
    // What was only piggy-backed would otherwise be forgotten.
    if (core_.stepping == step_owner::none && core_.durable.flush_due() != instant_never && !copier_) {
      core_.begin_step(step_owner::flush, core_.durable.begin_meta(core_.durable.meta()));
    }
    stopped_ = true;
  }

  // --- effects ---

  ready poll(instant now) {
    if (now >= next_deadline()) {
      tick(now);
    }
    return std::exchange(core_.out, {});
  }

  [[nodiscard]] instant next_deadline() const {
    if (halted()) {
      return instant_never;
    }
    instant out = std::min(starter_.next_deadline(), shipping_.next_deadline());
    if (copier_) {
      out = std::min(out, copier_->next_deadline());
    }
    if (follower_) {
      out = std::min(out, follower_->next_deadline());
    }
    if (leader_) {
      out = std::min(out, leader_->next_deadline());
    }
    return settled() ? std::min(out, core_.durable.flush_due()) : out;
  }

  // --- what it is ---

  [[nodiscard]] const core& shared() const noexcept { return core_; }

  [[nodiscard]] std::optional<replica_info> current_master() const {
    return follower_ ? follower_->current_master() : std::nullopt;
  }

  [[nodiscard]] std::optional<peer_id> master_peer() const {
    return follower_ ? follower_->master_peer() : std::nullopt;
  }

  [[nodiscard]] const shipping& slaves() const noexcept { return shipping_; }

  [[nodiscard]] replication::status status() const {
    replication::status out;
    out.role = core_.how.role;
    out.phase = core_.doing;
    out.history = core_.position();
    out.log_first = core_.durable.log().first();
    out.log_entries = core_.durable.log().size();
    out.log_bytes = core_.durable.log().held_bytes();
    out.waiting_proposals = leader_ ? leader_->waiting() : 0;
    out.slaves = shipping_.slaves();
    if (auto master = current_master()) {
      out.master_name = std::move(master->name);
    } else if (core_.doing == phase::serving) {
      out.master_name = core_.how.name;
    }
    out.trouble = core_.trouble;
    return out;
  }

 private:
  [[nodiscard]] bool halted() const noexcept {
    return stopped_ || core_.doing == phase::start_refused || core_.doing == phase::failed;
  }
  /// The role has begun.
  [[nodiscard]] bool settled() const noexcept { return leader_.has_value() || follower_.has_value(); }

  /// Why a proposal cannot be taken at all; nothing on a serving master.
  [[nodiscard]] std::optional<error> why_no_changes() const {
    if (stopped_) {
      return error{errc::unavailable, fmt::format("replica '{}' is shutting down", core_.how.name)};
    }
    if (core_.doing == phase::serving) {
      return std::nullopt;
    }
    if (core_.doing == phase::failed) {
      return error{errc::io_error, core_.trouble};
    }
    if (core_.how.role == role::slave) {
      // Begins with the words of the stock registry, which people search for.
      const auto master = current_master();
      const std::string last = follower_ ? follower_->last_master() : std::string{};
      return error{
          errc::not_master,
          fmt::format("this operation is not allowed on a slave or read-only master registry: '{}' is a slave, and {}",
                      core_.how.name,
                      master         ? fmt::format("its master is '{}'", master->name)
                      : last.empty() ? std::string{"it has met no master since it was started"}
                                     : fmt::format("its master, '{}' when it was last met, is not reached now", last))};
    }
    if (core_.doing == phase::stepped_down) {
      return error{errc::not_master, core_.trouble};
    }
    return error{errc::unavailable, fmt::format("master '{}' has not started to serve", core_.how.name)};
  }

  void take(peer_id from, const describe& what, instant now) {
    core_.send(from, description{.round = what.round, .from = core_.describe_self()});
    observe(what.from, now);
  }

  void take(peer_id from, const description& what, instant now) {
    starter_.handle_description(from, what, now);
    if (copier_) {
      copier_->handle_description(from, what, now);
    }
    if (follower_) {
      follower_->handle_description(from, what, now);
    }
    observe(what.from, now);
  }

  void take(peer_id from, const open& what, instant now) {
    observe(what.from, now);
    shipping_.handle_open(from, what, now);
    advance(now);
  }

  void take(peer_id from, const refused& what, instant now) {
    observe(what.from, now);
    if (follower* receiving = receiver()) {
      receiving->handle_refused(from, what, now);
    }
  }

  void take(peer_id from, const opened& what, instant now) {
    if (follower* receiving = receiver()) {
      receiving->handle_opened(from, what, now);
    }
  }

  void take(peer_id from, append what, instant now) {
    if (follower* receiving = receiver()) {
      receiving->handle_append(from, std::move(what), now);
    }
  }

  void take(peer_id from, snapshot_chunk what, instant now) {
    if (follower* receiving = receiver()) {
      receiving->handle_snapshot_chunk(from, std::move(what), now);
    }
  }

  void take(peer_id from, const appended& what, instant now) {
    shipping_.handle_appended(from, what, now);
    advance(now);
  }

  void take(peer_id from, const snapshot_received& what, instant now) {
    shipping_.handle_snapshot_received(from, what, now);
    advance(now);
  }

  void take(peer_id from, const closed& what, instant now) {
    if (follower* receiving = receiver(); !shipping_.handle_closed(from, what, now) && receiving != nullptr) {
      receiving->handle_closed(from, what, now);
    }
    advance(now);
  }

  [[nodiscard]] follower* receiver() noexcept { return copier_ ? &*copier_ : (follower_ ? &*follower_ : nullptr); }

  void advance(instant now) {
    if (leader_) {
      leader_->advance(now);
    }
  }

  void observe(const self_description& other, instant now) {
    if (other.incarnation == core_.incarnation) {
      return;
    }
    if (leader_) {
      leader_->observe(other, now);
    }
    if (follower_) {
      follower_->observe(other, now);
    }
  }

  /// Begins whatever the last input made possible: the next part of the life, and the next step to the store.
  void proceed(instant now) {
    if (halted()) {
      return;
    }
    if (copier_ && copier_->copied() && core_.stepping == step_owner::none) {
      const result<void> outcome = *copier_->copied();
      copier_.reset();
      if (!outcome) {
        starter_.refuse(outcome.error().message);
        return;
      }
      starter_.start(now);
    }
    starter_.begin_steps();
    if (starter_.done() && !settled()) {
      if (core_.how.role == role::master) {
        leader_.emplace(core_, shipping_);
        leader_->start(now);
      } else {
        follower_.emplace(core_);
        follower_->start(now);
      }
    }
    if (copier_) {
      copier_->begin_steps(now);
    }
    if (follower_) {
      follower_->begin_steps(now);
    }
    if (leader_) {
      advance(now);
    }
    if (settled() && core_.stepping == step_owner::none && now >= core_.durable.flush_due()) {
      core_.begin_step(step_owner::flush, core_.durable.begin_meta(core_.durable.meta()));
    }
  }

  void halt(refusal reason, const error& why, instant now) {
    if (leader_) {
      leader_->stop(core_.doing, reason, why, now);
    } else {
      shipping_.close_all(reason, why.message);
    }
    if (follower* receiving = receiver()) {
      receiving->stop();
    }
  }

  void storage_failed(const error& why, instant now) {
    core_.trouble = fmt::format("the storage of '{}' failed and its state is unknown, so that the process ends: {}",
                                core_.how.name, why.message);
    halt(refusal::storage, {errc::unavailable, core_.trouble}, now);
    core_.doing = phase::failed;
    core_.tell(event_kind::storage_failed, core_.how.name, core_.trouble);
  }

  core core_;
  shipping shipping_;
  starter starter_;
  std::optional<follower> copier_;
  std::optional<leader> leader_;
  std::optional<follower> follower_;
  bool stopped_{false};

 public:
  void begin_batch(instant now) {
    if (leader_ && !halted()) {
      leader_->begin_batch(now);
    }
  }
};

result<std::unique_ptr<replica>> replica::make(options how, loaded from, state_machine& machine, prng& random,
                                               instant now) {
  if (auto fine = check(how); !fine) {
    return fail(fine.error());
  }
  durable_meta meta;
  if (from.meta) {
    auto read = decode_meta(*from.meta);
    if (!read) {
      return fail(read.error());
    }
    meta = *std::move(read);
  }
  auto log = change_log::from_entries(std::move(from.log), meta.history.last);
  if (!log) {
    return fail(log.error());
  }
  auto inner = std::make_unique<state>(std::move(how), std::move(meta), *std::move(log), machine, random);
  inner->start(now);
  return std::unique_ptr<replica>{new replica{std::move(inner)}};
}

replica::replica(std::unique_ptr<state> inner) noexcept : state_{std::move(inner)} {}
replica::~replica() = default;

void replica::handle_proposal(ticket of, bytes change, instant /*now*/) { state_->propose(of, std::move(change)); }
void replica::handle_barrier(ticket of, instant now) { state_->barrier(of, now); }
void replica::handle_message(peer_id from, message what, instant now) {
  state_->message_from(from, std::move(what), now);
}
void replica::handle_peer_gone(peer_id which, instant now) { state_->peer_gone(which, now); }
void replica::handle_committed(const result<void>& outcome, instant now) { state_->committed(outcome, now); }
void replica::handle_tail_saved(const result<std::string>& outcome, instant now) { state_->tail_saved(outcome, now); }
void replica::handle_discovery_complete(std::uint64_t round, instant now) { state_->discovery_complete(round, now); }
void replica::handle_endpoints(bytes endpoints, instant now) { state_->endpoints(std::move(endpoints), now); }
void replica::handle_tick(instant now) { state_->tick(now); }
void replica::handle_stop(instant now) { state_->stop(now); }

ready replica::poll_ready(instant now) {
  // Only here, so that all proposals of one turn make one commit.
  state_->begin_batch(now);
  return state_->poll(now);
}

instant replica::next_deadline() const { return state_->next_deadline(); }
role replica::own_role() const noexcept { return state_->shared().how.role; }
phase replica::current_phase() const noexcept { return state_->shared().doing; }
const history& replica::history() const noexcept { return state_->shared().position(); }
bool replica::has_copy() const noexcept { return history().has_copy(); }
bool replica::takes_changes() const noexcept {
  return current_phase() == phase::serving && !state_->shared().how.read_only;
}
std::optional<replica_info> replica::current_master() const { return state_->current_master(); }
const std::vector<replica_info>& replica::known_replicas() const noexcept {
  return state_->shared().durable.meta().known_replicas;
}
std::optional<peer_id> replica::master_peer() const { return state_->master_peer(); }
bool replica::is_active_slave(peer_id which) const { return state_->slaves().is_active(which); }
std::optional<peer_id> replica::slave_peer(std::string_view name) const { return state_->slaves().peer_of(name); }
status replica::status() const { return state_->status(); }

}  // namespace muster::replication
