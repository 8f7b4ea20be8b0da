#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "muster/actor/actor_address.hpp"
#include "muster/base/bytes.hpp"
#include "muster/membership/status.hpp"

namespace muster::cluster {

/// What becomes of a member is the same here as in membership.
using member_event_kind = membership::event_kind;

/// One of the cluster, seen from here.
struct member {
  actor_node node;
  std::string address;
  bytes meta;  ///< what its owner says of it: membership::options::meta
  bool is_reachable{true};

  friend bool operator==(const member&, const member&) = default;
};

/// In `ended` it has left, or had to: it is no member of the cluster any more.
using phase = membership::phase;

/// All members at one moment, this node included, by name. Immutable and shared.
struct member_snapshot {
  actor_node self;
  cluster::phase phase{cluster::phase::joining};
  std::string why_ended;  ///< in `ended`: a sentence; empty after a leave
  std::vector<member> members;

  [[nodiscard]] const member* find(const actor_node& node) const noexcept;
};

struct member_event {
  member_event_kind kind{};
  actor_node node;
  std::string address;

  friend bool operator==(const member_event&, const member_event&) = default;
};

/// What subscribers get: at first the snapshot of the moment without events, then one at each change.
struct member_news {
  static constexpr std::string_view message_name = "muster.cluster.member_news";

  std::shared_ptr<const member_snapshot> now;
  std::vector<member_event> events;  ///< since the last one; none when only the phase or this node's name changed
};

}  // namespace muster::cluster
