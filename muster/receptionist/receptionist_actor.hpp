#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "muster/actor/actor.hpp"
#include "muster/receptionist/core.hpp"
#include "muster/receptionist/desk.hpp"
#include "muster/receptionist/directory.hpp"
#include "muster/receptionist/messages.hpp"

namespace muster::receptionist {

/// The receptionist tells itself this at the first change of a turn: when it comes to it, it has handled all that
/// waited before, and the turn is over.
struct turn_over {
  static constexpr bool dies_with_actor = true;
  static constexpr bool teller_may_handle = true;
};

using message = std::variant<register_, deregister, find, subscribe, unsubscribe, directory_news, turn_over>;

/// The actor at /system/cluster/receptionist: the core, between messages and refs on one side and the directory on the
/// other.
///
/// A turn ends in this order: what this node has registered goes to the directory, and so to other nodes; what is valid
/// is published for `lookup`; requests are acknowledged; subscribers are told. So whoever has `registered` finds the
/// actor by any way.
///
/// No turn is long, however much comes at once: of news of other nodes, and of what an actor that has ended had
/// registered, so many changes are handled in one turn; the rest waits behind the messages that have come meanwhile.
///
/// No message makes it fail: what goes wrong while one is handled is logged and counted, and the others are handled.
class receptionist_actor final : public actor<message> {
 public:
  explicit receptionist_actor(std::shared_ptr<desk> at);

  void on_start(context& self) override;
  void receive(context& self, message what) override;
  void on_terminated(context& self, const terminated& what) override;
  void on_stop(context& self) override;

 private:
  /// Somebody who is watched: a subscriber, or an actor whose registrations end with it, or both.
  struct person {
    struct line {
      const audience* kind;
      std::unique_ptr<listing_line> way;
    };
    subscriber_id id;
    std::map<any_key, line> lines;
    std::set<any_key> kept_alive;
  };
  using answer =
      std::variant<std::pair<actor_ref<registered>, registered>, std::pair<actor_ref<deregistered>, deregistered>>;

  void handle(context& self, register_& what);
  void handle(context& self, deregister& what);
  void handle(context& self, find& what);
  void handle(context& self, subscribe& what);
  void handle(context& self, unsubscribe& what);
  void handle(context& self, directory_news& what);
  void handle(context& self, turn_over& what);

  void refuse(context& self, const register_& what, refusal why, std::string sentence);
  void reject(context& self, const subscribe& what, core::outcome why);
  /// All registrations of one actor under a key.
  void withdraw(const any_key& key, const any_ref& whom);
  void end_turn(context& self);
  /// What is left of what was too much for one turn: some of it.
  void work_off(context& self, std::size_t changes_max);
  void end_news(context& self, const directory_news& what);
  /// Sees to it that the turn ends, if anything has happened in it.
  void schedule(context& self);

  person& person_of(context& self, const any_ref& whom);
  /// Without any business left, it is watched no more.
  void let_go(context& self, const any_ref& whom);

  /// The same text where it was asked for not long ago: most actors that have several keys get them at once.
  [[nodiscard]] const gossip::shared_text& path_of(const any_ref& whom);
  [[nodiscard]] gossip::entry entry_of(const any_ref& whom, std::string_view type);
  void warn_of_unnamed(context& self, const register_& what);

  template <typename Function>
  void guard(context& self, std::string_view doing, Function&& function) noexcept;

  const std::shared_ptr<desk> desk_;
  core core_;
  std::unordered_map<any_ref, person> people_;
  std::unordered_map<subscriber_id, person*> by_id_;
  std::uint64_t ids_{0};
  std::vector<answer> answers_;
  /// What was too much for one turn, in the order of its coming.
  std::deque<core::news_in_work> news_;
  std::deque<std::pair<any_ref, std::set<any_key>>> to_withdraw_;
  bool turn_ends_{false};                                  // `turn_over` is on its way
  std::map<std::string_view, gossip::shared_text> types_;  // keys live as long as the process
  std::array<gossip::shared_text, 16> recent_paths_;
  std::set<any_key> warned_of_;
};

}  // namespace muster::receptionist
