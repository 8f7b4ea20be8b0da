#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "muster/actor/dead_letters.hpp"
#include "muster/actor/remote.hpp"
#include "muster/base/event.hpp"
#include "muster/cluster/actor_messages.hpp"
#include "muster/cluster/members.hpp"
#include "muster/cluster/registrations.hpp"
#include "muster/cluster/transport.hpp"

namespace muster::cluster {

/// A frame to hand to the transport.
struct outgoing {
  std::string address;
  channel on{};
  shared_frame content;
  /// Set when it carries a message of an actor: if the transport refuses it, report it by `handle_refused`.
  std::optional<actor_address> told{};
};

/// A message for an actor of this node. What cannot be handed over is reported by `node_core::handle_undelivered`.
struct delivery {
  actor_node from;
  tell what;  ///< its `to` is an actor of this node
};

/// Somebody elsewhere asks an actor of this node to stop.
struct local_stop {
  actor_key whom;
  stop_when when{};
};

/// An actor of this node is watched for others from now on (or no more): its end is reported by
/// `node_core::handle_local_ended`, at once when it has ended already.
struct local_watch {
  actor_key whom;
  bool is_wanted{true};
};

/// A message that this node sent for an actor was not handed over.
struct lost_letter {
  actor_address to;
  dead_letter_reason why{};
  std::string name{};  ///< the message's; empty where it is not known any more
};

/// What the driver has to do, in this order of members: a name comes before what is said under it, and messages of an
/// actor before the news of its end.
struct ready {
  std::optional<actor_node> renamed;  ///< for `actor_system::set_node`
  std::vector<outgoing> frames;
  std::vector<delivery> deliveries;
  std::vector<local_watch> watches;
  std::vector<local_stop> stops;
  std::vector<death_watch> terminated;  ///< to be told, each exactly once
  std::vector<lost_letter> lost_letters;
  registration_news news;
  std::vector<member_event> events;
  /// Take `node_core::members()` anew, if it is wanted: making it costs time for each member.
  bool members_changed{false};
  std::vector<event> log;

  [[nodiscard]] bool empty() const noexcept {
    return !renamed && frames.empty() && deliveries.empty() && watches.empty() && stops.empty() && terminated.empty() &&
           lost_letters.empty() && news.empty() && events.empty() && !members_changed && log.empty();
  }
};

}  // namespace muster::cluster
