#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "muster/gossip/assemblies.hpp"
#include "muster/gossip/core.hpp"
#include "muster/gossip/frozen_origins.hpp"
#include "muster/gossip/members.hpp"
#include "muster/gossip/origin_table.hpp"

namespace muster::gossip {

/// The parts of a core and the rules between them. Inputs change the tables at once and leave what is to be sent in the
/// fields at the end; `poll_ready` makes messages of that.
class core::state {
 public:
  state(const options& how, origin_id self, prng& random, instant now);

  // core.cpp: own registrations, members, effects
  result<bool> add(const shared_text& key, const entry& what);
  bool remove(const shared_text& key, const entry& what);
  std::size_t remove_oldest(std::size_t most);
  result<void> reincarnate(incarnation next);
  void handle_member_up(const origin_id& who, instant now);
  void handle_member_unreachable(const origin_id& who);
  void forget(const origin_id& who, instant now);
  void let_go(const origin_id& who);
  void handle_message(const origin_id& from, const message& what, instant now);
  void handle_tick(instant now);
  void set_gossip_interval(duration wanted, instant now);
  [[nodiscard]] instant next_deadline() const;
  [[nodiscard]] ready poll_ready();

  // What is read from outside.
  [[nodiscard]] const origin_id& self() const noexcept { return self_; }
  [[nodiscard]] const origin_table& table() const noexcept { return table_; }
  [[nodiscard]] gossip::counters counted() const;

 private:
  // updates.cpp: news of origins, passing them on, whole origins in chunks
  void handle(const origin_id& from, const update& what, instant now);
  void handle(const origin_id& from, const chunk& what, instant now);
  void handle(const origin_id& from, const want_chunks& what, instant now);
  void take(const origin_id& from, const origin_update& part, std::uint8_t hops, instant now);
  void take_whole(const origin_id& from, const origin_id& origin, const mark& at,
                  const std::vector<registration>& content, instant now);
  void judge_outcome(const origin_id& from, origin_record& origin, origin_table::outcome outcome, instant now);
  void push_own(ready& out);
  void pass_on(ready& out);
  /// By infection. Also the most that is taken from others, whose count of peers may differ a little.
  [[nodiscard]] std::uint8_t hops_needed() const;

  // repair.cpp: comparing, asking, answering
  void handle(const origin_id& from, const root& what, instant now);
  void handle(const origin_id& from, const buckets& what, instant now);
  void handle(const origin_id& from, const digest& what, instant now);
  void handle(const origin_id& from, const greeting& what, instant now);
  void handle(const origin_id& from, const want& what, instant now);
  void handle(const origin_id& from, const forgotten& what, instant now);
  void compare_with(const origin_id& peer);
  void send_digests(const origin_id& to, place first, place last, instant now);
  /// Asks `from` for what it has of the origin beyond `have`, unless somebody has just been asked.
  void ask(const origin_id& from, const origin_id& origin, version have, instant now);
  /// Somebody knows this version of the origin: where it is news, whoever is believed is asked for it.
  void follow(const origin_id& from, const origin_id& origin, version at, instant now);
  /// Lets `to` know what it lacks, within the rest of the budget: by sending it, or where only the origin is believed
  /// by saying which version there is.
  void offer(const origin_id& to, const origin_record& origin, version have, std::size_t& budget_bytes, instant now);
  /// Sends what `to` lacks, within the rest of the budget.
  void fill(const origin_id& to, const origin_record& origin, version have, std::size_t& budget_bytes, instant now);
  void answer(const origin_id& to, origin_update part, std::size_t part_bytes);
  /// Asks for all of those origins of which something is lacking that would have room now.
  void heal(instant now);

  // judgement.cpp: what is taken from whom
  /// Whether news of this origin are taken. Tells the origin if it is forgotten, and this node if it is itself.
  [[nodiscard]] bool admits(const origin_id& from, const origin_id& origin, version at);
  /// Whether it may tell what the origin has registered.
  [[nodiscard]] bool is_believed(const origin_id& from, const origin_id& origin) const {
    return how_.taken_from == news_source::any_member || from == origin;
  }
  /// Somebody speaks of this node's name.
  void judge_own(const origin_id& from, const origin_id& spoken_of, version at, bool is_forgotten);
  void supersede(const origin_id& older, const origin_id& by, instant now);
  /// Tells them so again; takes those whose horizon has passed.
  void remind_refused_members(instant now);
  /// The layer above counts it, or a later life, among the members that are up no more.
  void refuse_no_more(const origin_id& who);
  void drop_origin(const node_id& node);
  [[nodiscard]] bool is_self(const node_id& node) const noexcept { return node == self_.node; }
  [[nodiscard]] version version_of(const origin_id& origin) const;
  /// Tells an event unless the same was told of the same origin within the last minute.
  void tell(event_kind kind, const origin_id& about, std::string sentence, instant now);
  void malformed(const origin_id& from, std::string_view what, instant now);

  void send(const origin_id& to, message what) {
    sent_.push_back({{to}, std::move(what)});
    open_answer_bytes_ = 0;
  }

  options how_;
  origin_id self_;
  prng& random_;
  members members_;
  origin_table table_;
  frozen_origins frozen_;
  assemblies assemblies_;
  gossip::counters counters_;
  incarnation refused_above_{};  ///< the next incarnation of this node is greater
  instant next_comparison_;
  /// Up to the layer above, and forgotten here: told so with each comparison, because what it was told may be lost and
  /// it may have forgotten this node, too, so that neither sends the other anything else.
  std::map<node_id, incarnation> refused_members_;
  /// Until when an origin is not asked for again, because somebody was.
  std::map<node_id, instant> asked_;
  std::map<node_id, instant> to_heal_;  ///< incomplete origins, and when to try
  std::map<std::pair<event_kind, node_id>, instant> told_;

  // What is to be handed out.
  struct own_operation {
    operation what;
    mark after;
  };
  struct passed_on {
    origin_update part;
    std::uint8_t hops;
    origin_id from;
  };
  std::vector<own_operation> own_news_;
  std::vector<passed_on> to_pass_on_;
  std::map<origin_id, std::vector<wanted>> wants_;
  std::vector<outgoing> sent_;
  std::size_t open_answer_bytes_{0};  ///< of the last of `sent_`, if it is an answer that may grow
  std::optional<gossip::forgotten_self> forgotten_self_;
  std::vector<event> events_;
};

}  // namespace muster::gossip
