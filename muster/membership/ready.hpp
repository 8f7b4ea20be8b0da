#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "muster/base/bytes.hpp"
#include "muster/membership/member.hpp"
#include "muster/membership/messages.hpp"
#include "muster/membership/status.hpp"

namespace muster::membership {

/// What a message is for: the driver keeps probes apart from bulk, so that a big table delays no probe.
enum class traffic : std::uint8_t { probe, gossip, bulk };

/// A message to send, at most once and without waiting. It may be dropped when the peer's queue is full.
struct outgoing {
  member_ptr to;        ///< none: whoever is at `address`
  std::string address;  ///< set only if `to` is none
  traffic kind{};
  bytes content;

  [[nodiscard]] const std::string& destination() const noexcept { return to ? to->address : address; }
};

/// A real change of the member list. For each incarnation: one `up`, then `unreachable` and `reachable` by turns, then
/// one of `left` and `removed`, and nothing more.
struct event {
  event_kind kind{};
  member_ptr who;

  friend bool operator==(const event&, const event&) = default;
};

/// This process was removed while it was alive. The owner makes a new participant with a higher incarnation than
/// `above`; everybody forgets what the old one had said.
struct rejoin {
  incarnation above;
  std::string invited_by;          ///< for the options of the next one; may be empty
  std::vector<std::string> seeds;  ///< those of the options, and without `invited_by` some that answer now
  std::string sentence;            ///< why, for the log
};

/// One that was asked to let this process join has refused. Others are still asked, and it again now and then.
struct join_refusal {
  std::string address;
  refusal reason{};
  std::string sentence;  ///< what, and what to do
};

/// What the driver has to do, in any order. `ended()` says that nothing more will come from this participant.
struct ready {
  std::vector<outgoing> messages;
  std::vector<event> events;
  /// Take `participant::members()` anew if a snapshot is wanted; making one costs time only then.
  bool members_changed{false};
  /// This process has found its cluster (or stands alone as it should). Once.
  bool joined{false};
  std::vector<join_refusal> refusals;
  /// The graceful leave is done. Nothing follows.
  bool left{false};
  /// Nothing follows, except from the new participant.
  std::optional<membership::rejoin> rejoin;
  /// keep_majority: this side must stop serving; the sentence says why. Nothing follows; the owner may come back as
  /// after `rejoin`.
  std::optional<std::string> must_leave;
  /// Another living process uses this one's name, at another address; the sentence says where. Nothing follows.
  std::optional<std::string> replaced;

  [[nodiscard]] bool ended() const noexcept { return left || rejoin || must_leave || replaced; }
  [[nodiscard]] bool empty() const noexcept {
    return messages.empty() && events.empty() && !members_changed && !joined && refusals.empty() && !ended();
  }
};

}  // namespace muster::membership
