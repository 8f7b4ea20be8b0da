#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "muster/base/bytes.hpp"
#include "muster/base/instant.hpp"
#include "muster/base/prng.hpp"
#include "muster/base/result.hpp"
#include "muster/membership/member.hpp"
#include "muster/membership/options.hpp"
#include "muster/membership/ready.hpp"
#include "muster/membership/status.hpp"

namespace muster::membership {

/// One process's part in the cluster: SWIM with Lifeguard, as a sans-IO object owned by one strand.
///
/// It owns no socket, clock, entropy or thread: inputs are `handle_*`, effects are data from `poll_ready`. The driver's
/// loop, after any number of inputs:
///
///     for (auto effects = one.poll_ready(now()); !effects.empty(); effects = one.poll_ready(now())) {
///       send(effects.messages); publish(effects.events); if (effects.members_changed) show(one.members()); ...
///     }
///     wake_at(one.next_deadline());   // then handle_tick
///
/// One object is one incarnation. After `ready::rejoin` the owner makes a new one.
///
/// Always holds:
/// - each incarnation goes through up, then unreachable and reachable by turns, then left or removed; a removed one
///   does not come back within `options::removed_horizon`, whatever is gossiped;
/// - no two members share a name or an address;
/// - every message, table and list is bounded by the options.
class participant {
 public:
  /// `random` and `how.pool` outlive the participant. `invalid_argument` for options that make no sense.
  [[nodiscard]] static result<std::unique_ptr<participant>> make(options how, prng& random, instant now);
  ~participant();
  participant(const participant&) = delete;
  participant& operator=(const participant&) = delete;

  /// A message came. `authenticated_name` is the sender's name as the transport knows it (its certificate); empty when
  /// the transport cannot tell. Whoever speaks for another is counted and dropped.
  void handle_message(byte_view content, std::string_view authenticated_name, instant now);
  /// The connection to a peer broke, in whatever way but its own graceful close: it is probed at once, by others too.
  void handle_connection_lost(std::string_view address, instant now);
  /// A message could not be sent because the host of `address` refuses connections there: no process listens. When
  /// everyone asked finds the same, the member is unreachable now.
  void handle_connection_refused(std::string_view address, instant now);
  /// Leaves gracefully: others are told, then `ready::left` comes, within `options::leave_timeout`.
  void handle_leave(instant now);
  void handle_tick(instant now);

  [[nodiscard]] ready poll_ready(instant now);
  /// When `handle_tick` is due; `instant_never` once ended.
  [[nodiscard]] instant next_deadline() const;

  [[nodiscard]] const member_ptr& self() const noexcept;
  /// The present list, made at the first call after a change.
  [[nodiscard]] std::shared_ptr<const member_list> members() const;
  /// The living member of this name, or null. `find_at`: at this address.
  [[nodiscard]] member_ptr find(std::string_view name) const;
  [[nodiscard]] member_ptr find_at(std::string_view address) const;
  /// The state of this very incarnation; nothing when it is no member (any more).
  [[nodiscard]] std::optional<member_state> state_of(std::string_view name, incarnation of) const;
  /// Whether this incarnation has left or was removed within the horizon.
  [[nodiscard]] bool is_removed(std::string_view name, incarnation of) const;
  [[nodiscard]] membership::status status() const;

 private:
  class core;
  explicit participant(std::unique_ptr<core> inner) noexcept;

  std::unique_ptr<core> core_;
};

}  // namespace muster::membership
