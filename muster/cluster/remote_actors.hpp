#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "muster/actor/remote.hpp"
#include "muster/base/instant.hpp"
#include "muster/base/result.hpp"
#include "muster/cluster/actor_messages.hpp"
#include "muster/cluster/options.hpp"
#include "muster/cluster/ordered_inbox.hpp"
#include "muster/cluster/ready.hpp"

namespace muster::cluster {

/// What one node has to do with actors of others, and they with its own: messages in their order, watches, stops. A
/// part of `node_core`, which says who is a member; inside the folder only.
///
/// Messages of actors are sent once. Watches are states that both sides agree on in the end, whatever is lost: what is
/// wanted is sent again until it is confirmed, and so is the news of an end.
class remote_actors {
 public:
  struct outgoing_payload {
    actor_node to;
    bytes payload;
    std::optional<actor_address> told{};
  };
  struct counters {
    std::uint64_t told{0};
    std::uint64_t delivered{0};    ///< handed over to this node's actors
    std::uint64_t undelivered{0};  ///< came for actors that are no more, or could not be read
    std::uint64_t misdirected{0};  ///< meant for another incarnation of this node
    std::uint64_t doubled{0};
    std::uint64_t given_up{0};
    std::uint64_t watches_refused{0};
  };
  struct effects {
    std::vector<outgoing_payload> payloads;
    std::vector<delivery> deliveries;
    std::vector<local_watch> watches;
    std::vector<local_stop> stops;
    std::vector<death_watch> terminated;
    std::vector<lost_letter> lost_letters;
    std::vector<actor_node> over_bound;  ///< nodes with which there are as many watches as may be
  };

  /// Whether a member would listen now; nothing for who is no member.
  using reach_lookup = std::function<std::optional<bool>(const actor_node&)>;

  remote_actors(const options& how, actor_node self, reach_lookup reach)
      : how_{how}, self_{std::move(self)}, reach_{std::move(reach)} {}

  // --- nodes, as node_core knows them ---

  /// A new one, or one that is reachable again. It is a member by then.
  void handle_node_up(const actor_node& who, instant now);
  void handle_node_unreachable(const actor_node& who);
  void handle_node_removed(const actor_node& who);
  /// Not met again, and taken for gone; but the same incarnation may be met after all, and goes on counting then.
  void handle_node_let_go(const actor_node& who);
  /// This node is no member any more, and nobody is for it: no other node will be met.
  void handle_alone();
  /// This node goes on under this name: others know nothing of what was agreed with the one before.
  void handle_renamed(actor_node self);

  // --- from this node's actors ---

  /// False where no such node is known.
  bool tell(const actor_address& to, std::string_view name, bytes content);
  void watch(const death_watch& who, bool is_known_gone, instant now);
  void unwatch(const death_watch& who, instant now);
  void stop(const actor_address& which, stop_when when);
  void handle_local_ended(const actor_key& which, instant now);
  void handle_undelivered(const delivery& what, fate why);

  // --- from others, and time ---

  /// `from` is a member. An error says that the payload cannot be read.
  [[nodiscard]] result<void> handle_payload(const actor_node& from, byte_view payload, instant now);
  void handle_tick(instant now);
  [[nodiscard]] instant next_deadline() const noexcept { return earliest_; }

  [[nodiscard]] effects take_effects() { return std::exchange(out_, {}); }
  [[nodiscard]] counters counted() const;
  /// Actors elsewhere that are watched from here.
  [[nodiscard]] std::size_t watch_count() const;
  /// Actors here that are watched by others, each node counted.
  [[nodiscard]] std::size_t watched_count() const;

 private:
  struct watched {
    bool is_wanted{true};
    std::uint64_t round{0};  ///< since when; an answer to an earlier one says nothing
    std::vector<death_watch> watchers;
  };
  enum class watched_state : std::uint8_t { alive, ended };
  /// Between this incarnation and one of another node.
  struct conversation {
    explicit conversation(const options& how) : inbox{how} {}

    bool is_reachable{true};
    std::uint64_t sent{0};    ///< the number of the last payload
    std::uint64_t rounds{0};  ///< begun by this side
    ordered_inbox inbox;
    std::map<actor_key, watched> watches;           ///< of its actors by ours
    std::set<actor_key> unconfirmed;                ///< of those
    std::map<actor_key, watched_state> watched_by;  ///< our actors that it watches
    std::map<actor_key, std::uint64_t> unheard;     ///< of those, by round: ended, and it has not said that it knows
    instant retry_at{instant_never};
  };
  using conversations = std::map<actor_node, conversation>;
  struct awaited {
    instant until;
    std::vector<death_watch> watchers;
  };

  /// With a member it begins when it is asked for first: of many nodes' actors most never speak with each other.
  [[nodiscard]] conversations::iterator conversation_with(const actor_node& who);
  void send(conversations::iterator to, actor_message what, std::optional<actor_address> told = {});
  void take(conversations::iterator from, actor_message& what, instant now);
  void handle(conversations::iterator from, cluster::tell& what, instant now);
  void handle(conversations::iterator from, undelivered& what, instant now);
  void handle(conversations::iterator from, cluster::watch& what, instant now);
  void handle(conversations::iterator from, watching& what, instant now);
  void handle(conversations::iterator from, watch_refused& what, instant now);
  void handle(conversations::iterator from, cluster::unwatch& what, instant now);
  void handle(conversations::iterator from, unwatched& what, instant now);
  void handle(conversations::iterator from, ended& what, instant now);
  void handle(conversations::iterator from, ended_heard& what, instant now);
  void handle(conversations::iterator from, stop_request& what, instant now);

  /// Tells the other side what is wanted of a watch, now and again until it confirms.
  void negotiate(conversations::iterator with, const actor_key& whom, instant now);
  /// Says, or says again, what is wanted of it.
  void say(conversations::iterator with, const actor_key& whom);
  void retry(conversations::iterator with, instant now);
  void expect_answer(conversation& from, instant at) {
    from.retry_at = std::min(from.retry_at, at);
    wake_at(at);
  }
  void wake_at(instant at) { earliest_ = std::min(earliest_, at); }
  /// What is wanted of it by this side, if it began this round; else null.
  [[nodiscard]] static watched* find_asked(conversation& with, const actor_key& whom, std::uint64_t round);
  /// All who watched it here hear of the end; nothing is left of the watch.
  void conclude(conversation& with, const actor_key& whom);
  /// Earlier lives of this node, which were never met, are over.
  void conclude_awaited_before(const actor_node& who);
  void end_watches(const actor_node& who, conversation& with);
  void add_watch(conversations::iterator with, const death_watch& who, instant now);
  void drop_watched_by(const actor_node& who, conversation& with);
  void release_local(const actor_node& watcher, const actor_key& whom);

  const options& how_;
  actor_node self_;
  reach_lookup reach_;
  conversations conversations_;
  std::map<actor_node, awaited> awaited_;            ///< watches of actors on nodes that nobody has told of yet
  std::map<actor_key, std::set<actor_node>> local_;  ///< our actors that are watched, by whom
  instant earliest_{instant_never};                  // no deadline is before it; there may be none at it
  effects out_;
  counters counted_;
};

}  // namespace muster::cluster
