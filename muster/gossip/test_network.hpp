#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "muster/base/instant.hpp"
#include "muster/base/prng.hpp"
#include "muster/gossip/core.hpp"
#include "muster/gossip/message_codec.hpp"

namespace muster::gossip::testing {

[[nodiscard]] inline entry some_entry(std::string_view path, std::uint64_t life = 1, std::string_view type = "api") {
  return {shared_text{path}, life, shared_text{type}};
}

/// One visible registration, to be compared with others.
using seen =
    std::tuple<std::string, std::string, std::uint64_t>;  // key, origin, actor incarnation (paths follow the key)

/// Some cores under virtual time on a network that can be told to misbehave. Messages really are encoded and decoded.
/// The layer above, which knows the members, is the test. The same seed and the same calls give the same run.
class network {
 public:
  struct node {
    origin_id id;
    std::unique_ptr<prng> random;
    std::unique_ptr<core> gossip;
    bool paused{false};
    std::vector<std::pair<origin_id, bytes>> missed;  // what came while it was paused
    /// What the changes that were handed out add up to: must be what the core shows.
    std::set<std::tuple<std::string, origin_id, entry>> shown;
    std::vector<event> events;
    std::optional<gossip::forgotten_self> forgotten_self;
    std::size_t changes{0};
    std::size_t messages_sent{0};
    std::size_t bytes_sent{0};
    std::size_t longest_message{0};
  };

  struct faults {
    std::uint64_t lost_percent{0};
    std::uint64_t doubled_percent{0};
    duration delay_max{std::chrono::milliseconds{1}};
    bool in_order{true};  ///< as a connection is; else messages overtake each other
  };

  faults weather;
  options how;

  explicit network(std::uint64_t seed = 1) : random_{seed} {}

  [[nodiscard]] instant now() const noexcept { return now_; }
  [[nodiscard]] node& at(const std::string& name) { return nodes_.at(name); }
  [[nodiscard]] core& gossip(const std::string& name) { return *nodes_.at(name).gossip; }
  [[nodiscard]] std::map<std::string, node>& nodes() noexcept { return nodes_; }

  /// A process; nobody knows it yet. In place of the process before under this name.
  node& start(const std::string& name, std::uint64_t life = 1) {
    node& one = nodes_[name];
    one = node{};
    one.id = make_origin(name, life);
    one.random = std::make_unique<prng>(random_());
    one.gossip = *core::make(how, one.id, *one.random, now_);
    return one;
  }
  void crash(const std::string& name) { nodes_.erase(name); }

  /// Tells `whom` that `who` is up.
  void introduce(const std::string& whom, const std::string& who) {
    node& one = nodes_.at(whom);
    one.gossip->handle_member_up(nodes_.at(who).id, now_);
    pump(one);
  }
  void join_all() {
    for (auto& [name, one] : nodes_) {
      for (auto& [other, ignored] : nodes_) {
        if (name != other) {
          introduce(name, other);
        }
      }
    }
  }
  void start_all(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      start(name_of(i));
    }
    join_all();
    run(std::chrono::seconds{1});
  }
  [[nodiscard]] static std::string name_of(std::size_t i) {
    return i < 26 ? std::string(1, static_cast<char>('A' + i)) : fmt::format("N{}", i);
  }
  /// Tells everybody that this incarnation is removed.
  void forget_everywhere(const origin_id& who) {
    for (auto& [name, one] : nodes_) {
      if (one.id != who) {
        one.gossip->forget(who, now_);
        pump(one);
      }
    }
  }

  void add(const std::string& name, std::string_view key, std::uint64_t life = 1) {
    node& one = nodes_.at(name);
    (void)*one.gossip->add(key, entry_for(key, life));
    pump(one);
  }
  void remove(const std::string& name, std::string_view key, std::uint64_t life = 1) {
    node& one = nodes_.at(name);
    one.gossip->remove(key, entry_for(key, life));
    pump(one);
  }
  [[nodiscard]] static entry entry_for(std::string_view key, std::uint64_t life) {
    return some_entry(fmt::format("/user/{}", key), life);
  }

  /// Hands out and delivers what the core has to say. Called after each input here; after own inputs call it yourself.
  void pump(node& one) {
    if (one.paused) {
      return;
    }
    ready effects = one.gossip->poll_ready();
    for (change& each : effects.changes) {
      ++one.changes;
      auto item = std::tuple{std::string{each.key.view()}, each.origin, each.what};
      const bool fits = each.vanished ? one.shown.erase(item) == 1 : one.shown.insert(item).second;
      inconsistent = inconsistent || !fits;
    }
    for (outgoing& each : effects.messages) {
      const bytes content = encode(each.what);
      one.longest_message = std::max(one.longest_message, content.size());
      for (const origin_id& to : each.to) {
        ++one.messages_sent;
        one.bytes_sent += content.size();
        if (on_send) {
          on_send(one.id, to, each.what);
        }
        post(one.id, to, content);
      }
    }
    for (event& each : effects.events) {
      one.events.push_back(std::move(each));
    }
    if (effects.forgotten_self) {
      one.forgotten_self = std::move(effects.forgotten_self);
    }
    if (after_turn) {
      after_turn(one);
    }
  }

  void pause(const std::string& name) { nodes_.at(name).paused = true; }
  void resume(const std::string& name) {
    node& one = nodes_.at(name);
    one.paused = false;
    for (auto& [from, content] : std::exchange(one.missed, {})) {
      deliver(one, from, content);
    }
  }

  /// Messages between the two are lost, both ways.
  void cut(const std::string& a, const std::string& b) { cuts_.insert(std::minmax(a, b)); }
  void mend_all() { cuts_.clear(); }

  /// Hands a message to a node as if it came from `from`.
  void inject(const std::string& to, const origin_id& from, const message& what) {
    deliver(nodes_.at(to), from, encode(what));
  }

  void run(duration how_long) {
    run_until([] { return false; }, how_long);
  }
  /// True as soon as `condition` holds; false when it does not within `bound` of virtual time.
  bool run_until(const std::function<bool()>& condition, duration bound) {
    const instant end = now_ + bound;
    while (!condition()) {
      const instant due = next_due();
      if (due > end) {
        now_ = end;
        return condition();
      }
      now_ = std::max(now_, due);
      turn();
    }
    return true;
  }
  /// Runs until nothing is on its way; no timer is fired, so nothing is repaired.
  void settle() {
    while (!in_flight_.empty()) {
      now_ = std::max(now_, in_flight_.begin()->first.first);
      arrive();
    }
  }

  /// What the core shows.
  [[nodiscard]] std::multiset<seen> view(const std::string& name) {
    std::multiset<seen> out;
    core& from = gossip(name);
    from.for_each_key([&](const shared_text& key, std::size_t) {
      from.for_each_entry(key.view(), [&](const origin_id& origin, const entry& what) {
        out.emplace(key.view(), fmt::format("{}", origin), what.incarnation);
      });
    });
    return out;
  }
  [[nodiscard]] bool shows(const std::string& name, std::string_view key) { return gossip(name).entry_count(key) > 0; }
  [[nodiscard]] bool all_equal() {
    return std::ranges::all_of(nodes_, [&](const auto& one) {
      return one.second.gossip->root_hash() == nodes_.begin()->second.gossip->root_hash() &&
             view(one.first) == view(nodes_.begin()->first);
    });
  }
  [[nodiscard]] std::size_t told(const std::string& name, event_kind kind) {
    return static_cast<std::size_t>(
        std::ranges::count(nodes_.at(name).events, kind, [](const event& one) { return one.kind; }));
  }

  std::function<void(const origin_id& from, const origin_id& to, const message&)> on_send;
  std::function<void(node&)> after_turn;
  bool inconsistent{false};  ///< a change was told that cannot be
  bool undecodable{false};   ///< a core sent what cannot be read

 private:
  struct flight {
    origin_id from;
    origin_id to;
    bytes content;
  };

  void post(const origin_id& from, const origin_id& to, const bytes& content) {
    if (cuts_.contains(std::minmax(std::string{from.node.view()}, std::string{to.node.view()}))) {
      return;
    }
    const std::uint64_t copies = random_.chance(weather.lost_percent, 100)      ? 0
                                 : random_.chance(weather.doubled_percent, 100) ? 2
                                                                                : 1;
    for (std::uint64_t i = 0; i < copies; ++i) {
      instant due = now_ + duration{static_cast<duration::rep>(
                               1 + random_.below(static_cast<std::uint64_t>(weather.delay_max.count())))};
      if (weather.in_order) {
        instant& last = last_due_[{from, to}];
        last = due = std::max(due, last);
      }
      in_flight_.emplace(std::pair{due, ++last_message_}, flight{from, to, content});
    }
  }

  [[nodiscard]] instant next_due() {
    instant out = in_flight_.empty() ? instant_never : in_flight_.begin()->first.first;
    for (auto& [name, one] : nodes_) {
      out = one.paused ? out : std::min(out, one.gossip->next_deadline());
    }
    return out;
  }

  void turn() {
    if (!in_flight_.empty() && in_flight_.begin()->first.first <= now_) {
      arrive();
      return;
    }
    for (auto& [name, one] : nodes_) {
      if (!one.paused && one.gossip->next_deadline() <= now_) {
        one.gossip->handle_tick(now_);
        pump(one);
      }
    }
  }

  void arrive() {
    const flight what = std::move(in_flight_.extract(in_flight_.begin()).mapped());
    const auto to = nodes_.find(std::string{what.to.node.view()});
    // A message reaches the life of a process that it was sent to, or nobody.
    if (to != nodes_.end() && to->second.id == what.to) {
      deliver(to->second, what.from, what.content);
    }
  }

  void deliver(node& to, const origin_id& from, const bytes& content) {
    if (to.paused) {
      to.missed.emplace_back(from, content);
      return;
    }
    const auto what = decode(content);
    if (!what) {
      undecodable = true;
      return;
    }
    to.gossip->handle_message(from, *what, now_);
    pump(to);
  }

  prng random_;
  instant now_{std::chrono::seconds{1}};
  std::map<std::string, node> nodes_;
  std::set<std::pair<std::string, std::string>> cuts_;
  std::map<std::pair<instant, std::uint64_t>, flight> in_flight_;
  std::map<std::pair<origin_id, origin_id>, instant> last_due_;
  std::uint64_t last_message_{0};
};

}  // namespace muster::gossip::testing
