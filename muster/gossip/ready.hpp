#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "muster/gossip/identity.hpp"
#include "muster/gossip/messages.hpp"

namespace muster::gossip {

/// A message to send to each of these members, in this order after what was handed out for them before. Encode it once.
struct outgoing {
  std::vector<origin_id> to;
  message what;
};

/// A registration became visible here, or ceased to be.
struct change {
  shared_text key;
  origin_id origin;
  entry what;
  bool vanished{false};

  friend bool operator==(const change&, const change&) = default;
};

enum class forgotten_reason : std::uint8_t {
  forgotten,   ///< a member refuses this incarnation: it was removed while it lived
  superseded,  ///< a member knows a later incarnation of this node's name
  impostor,    ///< a member knows operations of this incarnation that this node never made
};

[[nodiscard]] std::string_view to_string(forgotten_reason value) noexcept;

/// This node's incarnation is of no use any more: choose one greater than `above` and call `core::reincarnate`.
struct forgotten_self {
  forgotten_reason reason{};
  origin_id told_by;
  incarnation above;
};

enum class event_kind : std::uint8_t {
  forgotten_self,       ///< see the effect
  origin_superseded,    ///< a later incarnation took the place of this one, whose entries went
  origin_forgotten,     ///< a removed member's entries went
  forgotten_came_back,  ///< a forgotten incarnation was announced as a member or tells something; it was told so
  over_bound,           ///< an origin has more, or longer, registrations than this node takes; the excess is left out
  within_bounds_again,  ///< all registrations of such an origin are here now
  diverged,             ///< an origin's registrations are not what its mark says; they are fetched again
  malformed,            ///< a member sent something that cannot be; it was dropped
  transfer_failed,      ///< an origin could not be received in chunks; the next comparison begins anew
};

[[nodiscard]] std::string_view to_string(event_kind value) noexcept;

/// Something that an operator acts on or must be able to reconstruct. Each is told once for a while, not with each
/// message.
struct event {
  event_kind kind{};
  origin_id about;       ///< the offender, where there is one
  std::string sentence;  ///< complete in itself
};

/// What the driver has to do. Any order is safe; changes first makes a consumer see them before others hear of them.
struct ready {
  /// What differs from the state at the last `poll_ready`: a registration that came and went in between is not in it.
  std::vector<change> changes;
  std::vector<outgoing> messages;
  std::optional<gossip::forgotten_self> forgotten_self;
  std::vector<event> events;

  [[nodiscard]] bool empty() const noexcept {
    return changes.empty() && messages.empty() && !forgotten_self && events.empty();
  }
};

}  // namespace muster::gossip
