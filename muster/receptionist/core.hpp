#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "muster/base/strong.hpp"
#include "muster/gossip/identity.hpp"
#include "muster/gossip/ready.hpp"
#include "muster/receptionist/directory.hpp"
#include "muster/receptionist/published.hpp"
#include "muster/receptionist/roster.hpp"
#include "muster/receptionist/service_key.hpp"

namespace muster::receptionist {

/// Whoever subscribes, as the driver numbers them.
using subscriber_id = strong<struct subscriber_id_tag, std::uint64_t>;

/// The receptionist without actors: who is registered under which key, who wants to know, and what each has been told.
/// A sans-IO object with one owner; it publishes what is valid in a `published` that others read.
///
/// Inputs are `add`, `remove`, `handle_*`, `subscribe`, ...; after any number of them (a *turn*) `poll_notices`
/// publishes what has changed and says whom to tell. Always holds:
/// - `current` shows every input at once; what is published and told changes with `poll_notices` only;
/// - a subscriber is told a roster exactly when it differs from the last one that it was given, so whatever comes and
///   goes within a turn, or is heard twice, is told to nobody;
/// - subscriptions never exceed the bounds, and what was rejected or ended leaves nothing behind.
class core {
 public:
  struct bounds {
    std::size_t subscribers_per_key_max{1'000};
    std::size_t subscribers_total_max{10'000};
  };

  /// `own` names the registrations of this node. `seen_in` may be null where nobody makes refs of rows.
  core(const bounds& how, std::shared_ptr<published> shown, gossip::node_id own, std::shared_ptr<scene> seen_in);
  core(const core&) = delete;
  core& operator=(const core&) = delete;
  ~core() = default;

  // --- registrations ---

  [[nodiscard]] bool has_own(const any_key& key, const gossip::entry& what) const;
  /// False when it is there already.
  bool add_own(const any_key& key, const gossip::entry& what);
  bool remove_own(const any_key& key, const gossip::entry& what);
  /// Likewise where `has_own` has said that it is not there, or `own_entries` that it is.
  void add_new_own(const any_key& key, gossip::entry what) { change(key, own_row(std::move(what)), false); }
  void remove_present_own(const any_key& key, gossip::entry what) { change(key, own_row(std::move(what)), true); }
  /// What this node has registered of one actor under a key: one entry for each name of a type.
  [[nodiscard]] std::vector<gossip::entry> own_entries(const any_key& key, const gossip::shared_text& path,
                                                       std::uint64_t incarnation) const;
  /// Of other nodes; news of this node's own are passed over. An origin that goes with all it has is hidden at once,
  /// under all keys; its rows are taken out later, some with each `poll_notices`, when nobody sees them any more.
  void handle(directory_news news);
  /// News that are handled piece by piece, in order.
  struct news_in_work {
    directory_news news;
    std::size_t next{0};  ///< of its changes
    /// Hidden already: what the changes tell of them is passed over.
    std::optional<std::vector<gossip::origin_id>> hidden{};
  };
  /// So many changes of it, at most. True when that was all of it, but for `refused`, which is the driver's.
  bool handle_some(news_in_work& what, std::size_t changes_max);

  /// What is registered under a key now; null for nothing.
  [[nodiscard]] roster_ptr current(const any_key& key);

  // --- subscriptions ---

  enum class outcome : std::uint8_t {
    subscribed,
    again,         ///< it was already; no second place is taken
    over_per_key,  ///< looked at first
    over_total,
  };
  struct subscribed {
    core::outcome what{};
    roster_ptr rows;  ///< to be told now, unless over a bound
  };
  [[nodiscard]] subscribed subscribe(const any_key& key, subscriber_id who);
  bool unsubscribe(const any_key& key, subscriber_id who);
  /// All its subscriptions.
  void forget(subscriber_id who);

  // --- effects ---

  struct notice {
    struct addressee {
      subscriber_id who;
      roster_ptr told;  ///< what it was given before: something else than `rows`
    };
    any_key key;
    roster_ptr rows;
    std::vector<addressee> to;
  };
  /// There is work for `poll_notices`: it may take several turns, so as not to hold up others.
  [[nodiscard]] bool has_changes() const noexcept {
    return !touched_.empty() || reach_changed_ || renewal_.has_value();
  }
  /// Changes since the last time.
  [[nodiscard]] std::size_t pending() const noexcept { return pending_; }
  /// Rows that are published.
  [[nodiscard]] std::size_t row_count() const noexcept { return rows_; }
  /// Publishes, then gives what is to be told, in the order in which keys were first touched.
  [[nodiscard]] std::vector<notice> poll_notices();

  [[nodiscard]] std::size_t subscription_count() const noexcept { return subscription_count_; }
  [[nodiscard]] std::size_t subscriber_count() const noexcept { return keys_of_.size(); }
  /// Keys that somebody subscribes to; for tests of what is left behind.
  [[nodiscard]] std::size_t subscribed_key_count() const noexcept { return subscriptions_.size(); }
  [[nodiscard]] const core::bounds& limits() const noexcept { return bounds_; }
  [[nodiscard]] std::size_t origin_count() const noexcept { return origins_.size(); }

 private:
  /// What has happened to a key since it was last published.
  struct changes {
    std::map<row, bool> edits;  ///< true: vanishes. Only what differs from what is published.
    roster_ptr preview;         ///< what it comes to, if somebody has asked since
    std::uint64_t preview_age{0};
  };

  struct known_origin {
    origin_ptr record;
    std::size_t rows{0};  ///< with all that has been handled
  };

  [[nodiscard]] known_origin& origin_of(const gossip::origin_id& who);
  [[nodiscard]] row own_row(gossip::entry what) const {
    return {own_, std::move(what.path), what.incarnation, std::move(what.type)};
  }
  [[nodiscard]] bool holds(const any_key& key, const row& what) const;
  /// True if it changes anything.
  bool apply(const any_key& key, row what, bool vanishes);
  /// One that is there exactly if it vanishes.
  void change(const any_key& key, row what, bool vanishes);
  changes& touch(const any_key& key);
  /// Hides the origins that these news take away entirely: which.
  [[nodiscard]] std::vector<gossip::origin_id> hide_those_that_go(const directory_news& news);
  void hide(const origin_ptr& which);
  /// No row of those that are gone is left anywhere.
  void end_hiding();
  [[nodiscard]] bool is_hidden(const origin_ptr& which) const noexcept {
    return unreachable_ && unreachable_->is_gone(which);
  }
  void set_reach(const reachability& what);
  /// Of keys that nobody subscribes to nothing needs to be done for it: readers see what is unreachable now.
  void publish_reach();
  void renew_some();
  [[nodiscard]] roster_ptr preview(const any_key& key, changes& of);
  void collect(const any_key& key, const roster_ptr& before, const roster_ptr& now, std::vector<notice>& out);
  void let_go_of_origins();

  const core::bounds bounds_;
  const std::shared_ptr<published> published_;
  const std::shared_ptr<scene> scene_;
  const gossip::node_id own_name_;
  const origin_ptr own_;
  std::map<gossip::origin_id, known_origin> origins_;
  std::size_t origins_max_{64};  ///< beyond, those without rows are let go

  unreachable_ptr unreachable_;  ///< now
  unreachable_ptr unreachable_published_;
  bool reach_changed_{false};
  /// Where to go on with putting rosters anew that readers have to correct.
  struct renewal {
    std::size_t next_bucket{0};
    std::size_t of_buckets{0};
  };
  std::optional<renewal> renewal_;
  std::uint64_t age_{1};  ///< rises when reachability changes: previews from before are not valid

  std::vector<any_key> touched_;
  std::unordered_map<any_key, changes> changes_;
  std::size_t pending_{0};
  std::size_t rows_{0};

  std::unordered_map<any_key, std::map<subscriber_id, roster_ptr>> subscriptions_;  ///< with what each was told last
  std::map<subscriber_id, std::set<any_key>> keys_of_;
  std::size_t subscription_count_{0};
};

}  // namespace muster::receptionist
