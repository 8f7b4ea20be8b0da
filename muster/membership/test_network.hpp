#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "muster/base/instant.hpp"
#include "muster/base/prng.hpp"
#include "muster/membership/participant.hpp"

namespace muster::membership::testing {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

/// Processes under virtual time on a network that can be told to misbehave. What must hold at every moment is checked
/// whenever one of them hands out effects. The same seed and the same calls give the same run.
class network {
 public:
  struct process {
    std::string name;
    options how;
    // One life:
    std::unique_ptr<prng> random;
    std::unique_ptr<participant> core;
    std::uint64_t life{0};  ///< counts the lives; what was meant for an earlier one is lost
    bool paused{false};
    std::vector<std::function<void()>> missed;
    instant wakes_at{instant_never};
    struct chapter {
      event_kind last{};
      instant when;
    };
    std::map<std::pair<std::string, incarnation>, chapter> story;  ///< the last event of each incarnation
    std::vector<event> events;
    bool joined{false};
    std::vector<join_refusal> refusals;
    // Over all lives:
    incarnation last_incarnation;
    std::size_t rejoins{0};
    std::optional<std::string> must_leave;
    std::optional<std::string> replaced;
    bool left{false};
  };

  struct faults {
    std::uint64_t lost_percent{0};
    std::uint64_t doubled_percent{0};
    duration delay_min{std::chrono::microseconds{100}};
    duration delay_max{milliseconds{1}};
  };

  faults weather;
  /// Whether each event and list is checked; a cluster of many hundreds does without.
  bool checks{true};
  /// Whether a process that gets `must_leave` or `rejoin` comes back by itself.
  bool comes_back{true};
  std::function<void(const process& from, const outgoing& what)> on_send = [](const auto&, const auto&) {};

  explicit network(std::uint64_t seed = 1) : random_{seed} {}

  [[nodiscard]] instant now() const noexcept { return now_; }
  [[nodiscard]] prng& random() noexcept { return random_; }
  [[nodiscard]] process& at(const std::string& name) { return processes_.at(name); }
  [[nodiscard]] std::map<std::string, process>& processes() noexcept { return processes_; }

  [[nodiscard]] static std::string address_of(const std::string& name) { return "at-" + name; }

  [[nodiscard]] static options defaults(const std::string& name, std::vector<std::string> seeds = {}) {
    options out;
    out.name = name;
    out.address = address_of(name);
    out.cluster = "shop";
    for (auto& seed : seeds) {
      out.seeds.push_back(address_of(seed));
    }
    return out;
  }

  /// Starts a process, with a new incarnation; one that runs under this name is killed first.
  void start(options how, incarnation above = incarnation{0}) {
    process& one = processes_[how.name];
    one.name = how.name;
    if (one.core) {
      crash(one.name);
    }
    ++one.life;
    one.how = how;
    one.random = std::make_unique<prng>(random_());
    if (how.incarnation.value() == 0) {
      const auto wall = std::chrono::duration_cast<milliseconds>(now_.time_since_epoch()).count() + 1'000'000;
      how.incarnation = make_incarnation(static_cast<std::uint64_t>(wall), *one.random,
                                         incarnation{std::max(above.value(), one.last_incarnation.value()) + 1});
    }
    one.last_incarnation = how.incarnation;
    one.paused = false;
    one.missed.clear();
    one.story.clear();
    one.events.clear();
    one.refusals.clear();
    one.joined = false;
    one.left = false;
    by_address_[how.address] = how.name;
    auto made = participant::make(std::move(how), *one.random, now_);
    ASSERT_TRUE(made) << made.error().message;
    one.core = *std::move(made);
    pump(one);
  }

  void start(const std::string& name, std::vector<std::string> seeds = {}) { start(defaults(name, std::move(seeds))); }

  /// As many processes as names; each has the first as its seed.
  void start_all(const std::vector<std::string>& names) {
    for (const auto& name : names) {
      start(name, {names.front()});
    }
  }

  /// kill -9. Its host still answers: connections to it break, unless `quietly`, and new ones are refused.
  void crash(const std::string& name, bool quietly = false) {
    process& one = processes_.at(name);
    if (!one.core) {
      return;
    }
    stop(one);
    if (!quietly) {
      const std::string address = one.how.address;
      for (auto& [other_name, other] : processes_) {
        if (other.core && other.core->find_at(address) && !is_cut(name, other_name)) {
          later(some_delay(), other, [this, address](process& to) { to.core->handle_connection_lost(address, now_); });
        }
      }
    }
  }

  /// Likewise, but its sockets are closed one after the other: the one that listens still takes a connection from each
  /// of the others, which breaks when it is closed as well.
  void crash_slowly(const std::string& name) {
    for (const auto& [other, one] : processes_) {
      last_connections_.insert({other, processes_.at(name).how.address});
    }
    crash(name);
  }

  /// SIGSTOP and SIGCONT. What comes meanwhile waits.
  void pause(const std::string& name) { processes_.at(name).paused = true; }
  void resume(const std::string& name) {
    process& one = processes_.at(name);
    if (!one.paused) {
      return;
    }
    one.paused = false;
    for (auto& missed : std::exchange(one.missed, {})) {
      missed();
    }
    wake(one);
  }

  /// Nothing gets through between the two, in either direction, and nobody is told.
  void cut(const std::string& left, const std::string& right) {
    cuts_.insert({left, right});
    cuts_.insert({right, left});
  }
  /// Only what `from` sends to `to` is lost.
  void cut_one_way(const std::string& from, const std::string& to) { cuts_.insert({from, to}); }
  void isolate(const std::string& name) {
    for (const auto& [other, one] : processes_) {
      if (other != name) {
        cut(name, other);
      }
    }
  }
  void split(const std::vector<std::string>& side) {
    for (const auto& [name, one] : processes_) {
      for (const auto& other : side) {
        if (std::ranges::find(side, name) == side.end()) {
          cut(name, other);
        }
      }
    }
  }
  void mend() { cuts_.clear(); }
  [[nodiscard]] bool is_cut(const std::string& from, const std::string& to) const { return cuts_.contains({from, to}); }

  void leave(const std::string& name) {
    process& one = processes_.at(name);
    one.core->handle_leave(now_);
    pump(one);
  }

  void run(duration time) {
    const instant end = now_ + time;
    while (!queue_.empty() && queue_.top().when <= end) {
      step();
    }
    now_ = end;
  }

  /// False if it does not come true in time.
  bool run_until(const std::function<bool()>& done, duration at_most) {
    const instant end = now_ + at_most;
    while (!done()) {
      if (queue_.empty() || queue_.top().when > end) {
        now_ = end;
        return done();
      }
      step();
    }
    return true;
  }

  /// Bytes that somebody at `address` may have sent.
  void inject(const std::string& to, const bytes& content, const std::string& authenticated_name = {}) {
    process& one = processes_.at(to);
    one.core->handle_message(content, authenticated_name, now_);
    pump(one);
  }

  void pump(process& one) {
    while (one.core) {
      ready effects = one.core->poll_ready(now_);
      if (effects.empty()) {
        break;
      }
      take(one, effects);
    }
    wake(one);
  }

  [[nodiscard]] std::vector<std::string> running() const {
    std::vector<std::string> out;
    for (const auto& [name, one] : processes_) {
      if (one.core) {
        out.push_back(name);
      }
    }
    return out;
  }

  /// What `name` believes: its members with their incarnations, an unreachable one with a '?'.
  [[nodiscard]] std::string view(const std::string& name) {
    std::string out;
    for (const auto& one : processes_.at(name).core->members()->members) {
      out += fmt::format("{}#{}{} ", one.who->name, one.who->incarnation,
                         one.state == member_state::unreachable ? "?" : "");
    }
    return out;
  }

  /// The view that all of these must have when all of them run and reach each other.
  [[nodiscard]] std::string truth(const std::vector<std::string>& names) {
    std::map<std::string, incarnation> sorted;
    for (const auto& name : names) {
      sorted[name] = processes_.at(name).last_incarnation;
    }
    std::string out;
    for (const auto& [name, of] : sorted) {
      out += fmt::format("{}#{} ", name, of);
    }
    return out;
  }

  [[nodiscard]] bool agree(const std::vector<std::string>& names) {
    const std::string expected = truth(names);
    return std::ranges::all_of(names, [&](const auto& name) {
      return processes_.at(name).core != nullptr && !processes_.at(name).paused && view(name) == expected;
    });
  }
  [[nodiscard]] bool agree() { return agree(running()); }

  [[nodiscard]] std::optional<member_state> state(const std::string& seen_by, const std::string& name) {
    const process& one = processes_.at(name);
    return processes_.at(seen_by).core->state_of(name, one.last_incarnation);
  }

  [[nodiscard]] std::size_t count(const std::string& seen_by, event_kind kind, const std::string& name) {
    return static_cast<std::size_t>(std::ranges::count_if(
        processes_.at(seen_by).events, [&](const event& one) { return one.kind == kind && one.who->name == name; }));
  }

 private:
  struct happening {
    instant when;
    std::uint64_t order{0};
    std::function<void()> what;

    friend bool operator>(const happening& left, const happening& right) {
      return std::pair{left.when, left.order} > std::pair{right.when, right.order};
    }
  };

  duration some_delay() {
    const auto span = static_cast<std::uint64_t>((weather.delay_max - weather.delay_min).count());
    return weather.delay_min + duration{static_cast<duration::rep>(random_.below(span + 1))};
  }

  void schedule(instant when, std::function<void()> what) { queue_.push({when, ++order_, std::move(what)}); }

  /// Does something to this life of a process, when it is not paused.
  void later(duration delay, process& to, std::function<void(process&)> what) {
    schedule(now_ + delay, [this, &to, life = to.life, what = std::move(what)] { reach(to, life, what); });
  }

  void reach(process& to, std::uint64_t life, const std::function<void(process&)>& what) {
    if (!to.core || to.life != life) {
      return;
    }
    if (to.paused) {
      to.missed.push_back([this, &to, life, what] { reach(to, life, what); });
      return;
    }
    what(to);
    pump(to);
  }

  void stop(process& one) {
    one.core.reset();
    ++one.life;
    one.wakes_at = instant_never;
    if (const auto here = by_address_.find(one.how.address); here != by_address_.end() && here->second == one.name) {
      by_address_.erase(here);
    }
  }

  void wake(process& one) {
    if (!one.core || one.paused) {
      return;
    }
    const instant due = std::max(one.core->next_deadline(), now_);
    if (due >= one.wakes_at && one.wakes_at > now_) {
      return;  // an earlier wake-up is on its way, and asks again
    }
    one.wakes_at = due;
    if (due != instant_never) {
      schedule(due, [this, &one, life = one.life] {
        if (one.core && one.life == life && !one.paused) {
          one.wakes_at = instant_never;
          one.core->handle_tick(now_);
          pump(one);
        }
      });
    }
  }

  void step() {
    const happening next = queue_.top();
    queue_.pop();
    now_ = std::max(now_, next.when);
    next.what();
  }

  void take(process& one, ready& effects) {
    for (auto& message : effects.messages) {
      on_send(one, message);
      const std::size_t bound = message.kind == traffic::bulk ? one.how.chunk_bytes_max : one.how.message_bytes_max;
      EXPECT_LE(message.content.size(), bound);
      carry(one, message);
    }
    for (auto& happened : effects.events) {
      if (checks) {
        check(one, happened);
        one.events.push_back(happened);
      }
    }
    one.joined = one.joined || effects.joined;
    for (auto& refusal : effects.refusals) {
      one.refusals.push_back(refusal);
    }
    if (effects.members_changed && checks) {
      check_members(one);
    }
    if (effects.ended()) {
      finish(one, effects);
    }
  }

  void finish(process& one, const ready& effects) {
    options how = one.how;
    how.incarnation = incarnation{0};
    stop(one);
    one.left = effects.left;
    if (effects.must_leave) {
      one.must_leave = effects.must_leave;
    }
    if (effects.replaced) {
      one.replaced = effects.replaced;
    }
    if (effects.rejoin) {
      ++one.rejoins;
      if (comes_back) {
        how.seeds = effects.rejoin->seeds;
        how.invited_by = effects.rejoin->invited_by;
        start(how, effects.rejoin->above);
      }
    }
    if (effects.must_leave && comes_back) {
      start(how);
    }
  }

  void carry(process& from, const outgoing& message) {
    const std::string to_address = message.destination();
    const auto here = by_address_.find(to_address);
    if (here == by_address_.end()) {
      // Nobody listens there. A host that was never there is silent; one whose process is gone refuses.
      const auto owner =
          std::ranges::find_if(processes_, [&](const auto& one) { return one.second.how.address == to_address; });
      if (owner != processes_.end() && !is_cut(from.name, owner->first) && !is_cut(owner->first, from.name)) {
        if (last_connections_.contains({from.name, to_address})) {
          later(some_delay(), from, [this, to_address](process& to) {
            if (last_connections_.erase({to.name, to_address}) != 0) {
              to.core->handle_connection_lost(to_address, now_);  // with all that was sent over it
            }
          });
          return;
        }
        later(some_delay(), from,
              [this, to_address](process& to) { to.core->handle_connection_refused(to_address, now_); });
      }
      return;
    }
    process& to = processes_.at(here->second);
    const int copies = random_.below(100) < weather.doubled_percent ? 2 : 1;
    for (int i = 0; i < copies; ++i) {
      if (is_cut(from.name, to.name) || random_.below(100) < weather.lost_percent) {
        continue;
      }
      later(some_delay(), to, [this, content = message.content, sender = from.name](process& receiver) {
        receiver.core->handle_message(content, sender, now_);
      });
    }
  }

  void check(process& one, const event& happened) {
    const auto key = std::pair{happened.who->name, happened.who->incarnation};
    const auto before = one.story.find(key);
    // What was removed longer ago than anybody remembers may be met again, after a split as long.
    const bool begins = before == one.story.end() ||
                        (is_last(before->second.last) && now_ - before->second.when >= one.how.removed_horizon);
    const auto follows = [&](std::initializer_list<event_kind> those) {
      return !begins && std::ranges::find(those, before->second.last) != those.end();
    };
    bool right = false;
    switch (happened.kind) {
      case event_kind::up: right = begins; break;
      case event_kind::unreachable: right = follows({event_kind::up, event_kind::reachable}); break;
      case event_kind::reachable: right = follows({event_kind::unreachable}); break;
      case event_kind::left:
      case event_kind::removed:
        right = follows({event_kind::up, event_kind::reachable, event_kind::unreachable});
        break;
    }
    EXPECT_TRUE(right) << one.name << " sees " << happened.who->name << " " << to_string(happened.kind)
                       << (begins ? "" : fmt::format(" after {}", to_string(before->second.last)));
    one.story[key] = {happened.kind, now_};
  }

  static bool is_last(event_kind kind) { return kind == event_kind::left || kind == event_kind::removed; }

  /// The list is what the events told, and nobody shares a name or an address.
  void check_members(process& one) {
    std::set<std::string> addresses;
    std::map<std::pair<std::string, incarnation>, bool> listed;
    const auto list = one.core->members();
    for (const auto& member : list->members) {
      EXPECT_TRUE(addresses.insert(member.who->address).second) << one.name << ": " << member.who->address;
      if (!(*member.who == *one.core->self())) {
        listed[{member.who->name, member.who->incarnation}] = member.state == member_state::up;
      }
    }
    std::map<std::pair<std::string, incarnation>, bool> told;
    for (const auto& [key, known] : one.story) {
      if (!is_last(known.last)) {
        told[key] = known.last != event_kind::unreachable;
      }
    }
    EXPECT_EQ(listed, told) << one.name;
  }

  prng random_;
  instant now_{seconds{1000}};
  std::map<std::string, process> processes_;
  std::map<std::string, std::string> by_address_;
  std::set<std::pair<std::string, std::string>> cuts_;
  std::set<std::pair<std::string, std::string>> last_connections_;  ///< by whom, to the address of who dies
  std::priority_queue<happening, std::vector<happening>, std::greater<>> queue_;
  std::uint64_t order_{0};
};

/// "n00", "n01", …
inline std::vector<std::string> names(std::size_t count) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back(fmt::format("n{:02}", i));
  }
  return out;
}

}  // namespace muster::membership::testing
