#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "muster/receptionist/core.hpp"
#include "sim/peers/scenario.hpp"

namespace muster::sim::peers {

using receptionist::subscriber_id;

/// Holds one receptionist against what it was given, which it computes a second time with plain sets:
///
/// 1. What it publishes, finds and tells is exactly what its node had told it up to that turn, and what its own callers
///    have registered; reachable is what its node calls reachable.
/// 2. A subscriber is told at once when it subscribes, then whenever what is published differs from what it was told,
///    and at no other time: in between it knows what anybody would find.
/// 3. Nothing of a node that is gone is listed.
/// 4. Subscriptions keep their bounds, and a rejection has a bound as its reason.
class listing_checker {
 public:
  using row_id = std::pair<gossip::origin_id, gossip::entry>;  ///< this node's own: of incarnation 0

  listing_checker(const scenario& how, gossip::node_id own, std::function<void(std::string)> on_violation)
      : how_{how}, own_{std::move(own), gossip::incarnation{0}}, on_violation_{std::move(on_violation)} {}

  /// What the node's checker expects to be listed of others after the next news, `on_news`, in order.
  void expect(std::uint64_t sum) { expected_.push_back(sum); }

  void on_own(const any_key& key, const gossip::entry& what, bool is_withdrawn);
  void on_news(const receptionist::directory_news& news);
  void on_subscribed(const any_key& key, subscriber_id who, const receptionist::core::subscribed& outcome);
  void on_unsubscribed(const any_key& key, subscriber_id who);
  void on_found(const any_key& key, const receptionist::roster_ptr& rows);
  void on_told(const any_key& key, subscriber_id who, const receptionist::roster_ptr& rows);
  /// All that had to be told in this turn has been.
  void on_turn(const receptionist::published& shown);

  /// Compares everything that is published; O(rows).
  void check_all(const receptionist::published& shown);
  [[nodiscard]] std::uint64_t told() const noexcept { return told_count_; }

 private:
  template <typename... Args>
  void require(bool holds, fmt::format_string<Args...> sentence, Args&&... args) {
    if (!holds) on_violation_(fmt::format(sentence, std::forward<Args>(args)...));
  }
  void change(const any_key& key, const row_id& which, bool vanished);
  void set_reach(const receptionist::reachability& what);
  /// Of a whole listing: its rows, and which of them are reachable.
  [[nodiscard]] std::uint64_t sum_of(const receptionist::roster_ptr& rows);
  [[nodiscard]] std::uint64_t expected_sum_of(const any_key& key);

  const scenario& how_;
  const gossip::origin_id own_;
  std::function<void(std::string)> on_violation_;

  /// What is to be listed under a key, each row with its share of the sum.
  struct wanted_listing {
    std::map<row_id, std::uint64_t> rows;
    std::optional<std::uint64_t> sum;  ///< of all, once it has been asked for
  };
  std::map<any_key, wanted_listing> rows_;
  receptionist::roster_ptr last_summed_;
  std::uint64_t last_sum_{0};
  std::map<gossip::origin_id, std::size_t> rows_of_;
  std::set<gossip::origin_id> unreachable_;
  std::uint64_t others_sum_{0};
  std::deque<std::uint64_t> expected_;
  std::set<any_key> touched_;
  std::map<any_key, std::map<subscriber_id, std::uint64_t>> told_;  ///< the sums of what each was told last
  std::size_t subscriptions_{0};
  std::uint64_t told_count_{0};
};

/// A row's share of the sum over all that is listed.
[[nodiscard]] std::uint64_t share_of_row(std::string_view key, const listing_checker::row_id& which);

}  // namespace muster::sim::peers
