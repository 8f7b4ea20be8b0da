#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "muster/base/instant.hpp"
#include "muster/base/prng.hpp"
#include "muster/base/result.hpp"
#include "muster/gossip/identity.hpp"
#include "muster/gossip/messages.hpp"
#include "muster/gossip/options.hpp"
#include "muster/gossip/ready.hpp"

namespace muster::gossip {

/// What is counted from the start of the core; never falls.
struct counters {
  std::uint64_t messages_received{0};
  std::uint64_t messages_dropped{0};        ///< of no member, or malformed
  std::uint64_t origins_refused{0};         ///< parts about an origin that is no member, or forgotten
  std::uint64_t operations_applied{0};      ///< of other origins, one by one
  std::uint64_t wholes_installed{0};        ///< of other origins, all registrations at once
  std::uint64_t gaps_seen{0};               ///< operations came before others that precede them
  std::uint64_t comparisons_begun{0};       ///< roots sent
  std::uint64_t comparisons_different{0};   ///< roots received that differ
  std::uint64_t registrations_left_out{0};  ///< over a bound
};

/// What is known of one node's registrations.
struct origin_status {
  origin_id origin;
  version at;
  std::size_t registrations{0};
  bool complete{true};  ///< false: some were left out over a bound
};

/// The gossip core of one node: a sans-IO object owned by one strand.
///
/// It keeps what every member has registered, tells peers what this node registers, and repairs what got lost. It owns
/// no socket, clock or thread: inputs are `add`, `remove` and `handle_*`, effects are data from `poll_ready`. The
/// driver's loop, after any number of inputs (a *turn*):
///
///     auto effects = core.poll_ready();
///     show(effects.changes); send(effects.messages); ...
///     wake_at(core.next_deadline());   // then handle_tick
///
/// Trust: `from` is the member that the transport has authenticated, and the layer above hands in messages of members
/// only. Members may pass on what others have registered, unless `options::taken_from` says otherwise. Only
/// registrations of known members, of exactly the incarnation that `handle_member_up` named, are taken.
///
/// Always holds:
/// - an origin's version here never falls while its incarnation is the same, and what is visible of it is what it had
///   at that version (less what is over a bound here, which `origin_status::complete` tells);
/// - nothing of an incarnation that is forgotten, superseded or unknown is visible;
/// - a change made here is visible here at once, and handed out for others by the next `poll_ready`.
class core {
 public:
  /// `self` is this node; its incarnation is greater than those of its earlier lives. `random` outlives the core.
  /// `invalid_argument` for options that make no sense, an empty or too long name, or incarnation 0.
  [[nodiscard]] static result<std::unique_ptr<core>> make(const options& how, origin_id self, prng& random,
                                                          instant now);
  ~core();
  core(const core&) = delete;
  core& operator=(const core&) = delete;

  // --- this node's registrations ---

  /// True: added; false: known already. `limit_exceeded` (naming the bound) or `invalid_argument` (an empty key or
  /// path), with nothing changed.
  [[nodiscard]] result<bool> add(const shared_text& key, const entry& what);
  [[nodiscard]] result<bool> add(std::string_view key, const entry& what) { return add(shared_text{key}, what); }
  /// True: removed; false: there was none.
  bool remove(const shared_text& key, const entry& what);
  bool remove(std::string_view key, const entry& what) { return remove(shared_text{key}, what); }
  /// Removes the oldest ones, so many at most; gives how many are left.
  std::size_t remove_oldest(std::size_t most);
  /// This node goes on as a new incarnation, with all its registrations; visible as a change of origin of each. Peers
  /// learn of them by the next `poll_ready`. It begins as a newcomer: whom it had forgotten it takes again as a member,
  /// since it is this node that was removed, and not they. `invalid_argument` unless it is greater than the present one
  /// and than what `forgotten_self` named.
  [[nodiscard]] result<void> reincarnate(incarnation next);

  // --- members, as the layer above knows them ---

  /// The member is up: it gets what changes. A greater incarnation than the one known takes its place at once. A
  /// forgotten incarnation, or a smaller one, is refused; it is told so if it is forgotten.
  void handle_member_up(const origin_id& who, instant now);
  /// Nothing is sent to it until it is up again; what it registered stays.
  void handle_member_unreachable(const origin_id& who);
  /// The member is removed: its registrations go, and this incarnation and those before are refused for the horizon.
  void forget(const origin_id& who, instant now);
  /// The member is none any more, as far as is known here: its registrations go; it may be met again as it is.
  void let_go(const origin_id& who);

  // --- messages and time ---

  void handle_message(const origin_id& from, const message& what, instant now);
  void handle_tick(instant now);
  /// Between two comparisons, from now on; within the bounds of `options::check`.
  void set_gossip_interval(duration wanted, instant now);
  /// When `handle_tick` is due; `instant_never` if only an input can change anything.
  [[nodiscard]] instant next_deadline() const;
  [[nodiscard]] ready poll_ready();

  // --- reads: what is visible, including what `poll_ready` has not told yet ---

  [[nodiscard]] const origin_id& self() const noexcept;
  /// Registrations under a key, in no particular order: costs their number, not that of others.
  void for_each_entry(std::string_view key, const std::function<void(const origin_id&, const entry&)>& visit) const;
  [[nodiscard]] std::size_t entry_count(std::string_view key) const;
  void for_each_key(const std::function<void(const shared_text& key, std::size_t entries)>& visit) const;
  [[nodiscard]] std::size_t key_count() const noexcept;
  [[nodiscard]] std::size_t registration_count() const noexcept;
  /// All registrations of a node, oldest first where they came one by one.
  void for_each_registration(const node_id& node,
                             const std::function<void(const shared_text&, const entry&)>& visit) const;
  [[nodiscard]] std::optional<origin_status> status_of(const node_id& node) const;
  /// All origins that have made an operation.
  void for_each_origin(const std::function<void(const origin_status&)>& visit) const;
  /// Equal on two nodes exactly when they know the same versions of the same origins (but for a collision of hashes).
  [[nodiscard]] std::uint64_t root_hash() const noexcept;
  [[nodiscard]] gossip::counters counters() const;

 private:
  class state;
  explicit core(std::unique_ptr<state> inner) noexcept;

  std::unique_ptr<state> state_;
};

}  // namespace muster::gossip
