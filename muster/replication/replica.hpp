#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "muster/base/bytes.hpp"
#include "muster/base/instant.hpp"
#include "muster/base/prng.hpp"
#include "muster/base/result.hpp"
#include "muster/replication/messages.hpp"
#include "muster/replication/options.hpp"
#include "muster/replication/ready.hpp"
#include "muster/replication/state_machine.hpp"
#include "muster/replication/status.hpp"
#include "muster/replication/store.hpp"

namespace muster::replication {

/// What `store::load` gave, without the rows (these go to the state machine).
struct loaded {
  std::optional<bytes> meta;
  std::vector<log_entry> log;
};

/// The replication core of one replica process: a sans-IO object owned by one strand.
///
/// It decides what a start means (fresh, restart, promotion), orders changes as a master, follows as a slave, and
/// knows when a caller may be answered. It owns no socket, file, clock or thread: inputs are `handle_*`, effects are
/// data from `poll_ready`. The driver's loop, after any number of inputs:
///
///     for (auto effects = core.poll_ready(now()); !effects.empty(); effects = core.poll_ready(now())) {
///       send(effects.messages); answer(effects.completions); log(effects.events); ...
///       if (effects.persist) core.handle_committed(store.commit(std::move(*effects.persist)), now());
///     }
///     wake_at(core.next_deadline());   // then handle_tick
///
/// Several proposals handled before one `poll_ready` become one commit (group commit); a lone one commits at once.
///
/// Always holds:
/// - persist, then publish, then ship, then answer, for each change; a slave acknowledges only what is durable there;
/// - what a completion has reported as done is durable here and published at every slave that is active then, and
///   was never held back by a slave for longer than its bound;
/// - `history().terms` names the term of each change; no serial is written twice within a term;
/// - nothing of this replica's history is replaced unless it is a beginning of the new one, or its rest was saved as a
///   tail that nobody was told is done, or the operator asked for `initdb_from_replica`.
class replica {
 public:
  /// `machine` holds the rows of the same store that `from` was loaded from; it, and `random`, outlive the replica.
  /// `corrupt` or `incompatible` when `from` cannot be read; `invalid_argument` for options that make no sense.
  [[nodiscard]] static result<std::unique_ptr<replica>> make(options how, loaded from, state_machine& machine,
                                                             prng& random, instant now);
  ~replica();
  replica(const replica&) = delete;
  replica& operator=(const replica&) = delete;

  /// A change to be ordered. Exactly one completion follows for each call, in the order of the calls among those that
  /// change something.
  void handle_proposal(ticket of, bytes change, instant now);
  /// Completes when all that is committed here now is held by every active slave, at once if it is. What a caller is
  /// told on the strength of the published state alone ("it is there already") must wait for it, else it could be told
  /// of a change that a promotion loses.
  void handle_barrier(ticket of, instant now);

  void handle_message(peer_id from, message what, instant now);
  /// The connection is gone: nothing sent or to come on it will arrive.
  void handle_peer_gone(peer_id which, instant now);
  /// The outcome of the last `ready::persist`.
  void handle_committed(const result<void>& outcome, instant now);
  /// The outcome of the last `ready::tail`: the file's path as an operator would type it.
  void handle_tail_saved(const result<std::string>& outcome, instant now);
  /// All that were asked in `round` have answered or cannot be reached.
  void handle_discovery_complete(std::uint64_t round, instant now);
  /// How others reach this replica has changed (or is known only now); it is told to them as soon as may be.
  void handle_endpoints(bytes endpoints, instant now);
  void handle_tick(instant now);
  /// The process ends in good order: sessions are closed so that nobody waits for a bound. Proposals not yet
  /// committed get `unavailable`, those not yet acknowledged `outcome_unknown`. Inputs after this do nothing.
  void handle_stop(instant now);

  [[nodiscard]] ready poll_ready(instant now);
  /// When `handle_tick` is due; `instant_never` if only an input can change anything.
  [[nodiscard]] instant next_deadline() const;

  [[nodiscard]] role own_role() const noexcept;
  [[nodiscard]] phase current_phase() const noexcept;
  /// What is durable and published here.
  [[nodiscard]] const replication::history& history() const noexcept;
  /// There is something to serve: a slave opens its client endpoint only then. A master has a copy once it serves.
  [[nodiscard]] bool has_copy() const noexcept;
  /// This replica is a master that takes changes.
  [[nodiscard]] bool takes_changes() const noexcept;
  /// The master that this slave has a session with; nothing on a master or without one.
  [[nodiscard]] std::optional<replica_info> current_master() const;
  /// The replicas of this database that were met, in this life or an earlier one; without this replica itself, but for
  /// what it was called when it had another name.
  [[nodiscard]] const std::vector<replica_info>& known_replicas() const noexcept;
  /// The peer that carries this slave's session; nothing on a master or without one.
  [[nodiscard]] std::optional<peer_id> master_peer() const;
  /// On a master: whether this peer carries the session of an active slave (who alone may hand registrations on).
  [[nodiscard]] bool is_active_slave(peer_id which) const;
  /// On a master: the peer of the active slave of this name.
  [[nodiscard]] std::optional<peer_id> slave_peer(std::string_view name) const;
  [[nodiscard]] replication::status status() const;

 private:
  class state;
  explicit replica(std::unique_ptr<state> inner) noexcept;

  std::unique_ptr<state> state_;
};

}  // namespace muster::replication
