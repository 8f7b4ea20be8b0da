#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "muster/base/instant.hpp"
#include "muster/base/prng.hpp"
#include "muster/replication/durable_meta.hpp"
#include "muster/replication/framing.hpp"
#include "muster/replication/message_codec.hpp"
#include "muster/replication/replica.hpp"
#include "muster/replication/test_machine.hpp"

namespace muster::replication::testing {

/// Some replicas under virtual time on a network that can be told to misbehave. Messages really are encoded, framed,
/// and decoded. The same seed and the same calls give the same run.
class cluster {
 public:
  struct node {
    std::string name;
    memory_store disk;
    // One life:
    std::optional<peer_id> process;
    std::unique_ptr<prng> random;
    std::unique_ptr<word_machine> machine;
    std::unique_ptr<replica> core;
    bool paused{false};
    std::vector<std::function<void()>> missed;  // what came while it was paused
    std::optional<commit> storing;
    instant stored_at{};
    roster replicas;
    // Over all lives:
    std::vector<event> events;
    std::map<std::uint64_t, result<serial>> answers;
    std::vector<save_tail> tails;
  };

  struct faults {
    std::uint64_t lost_percent{0};
    std::uint64_t doubled_percent{0};
    duration delay_max{std::chrono::milliseconds{1}};  ///< more than a fixed delay: messages overtake each other
    duration store_max{0};                             ///< a step to the store takes so long at most; 0: none
  };

  faults weather;

  explicit cluster(std::uint64_t seed = 1) : random_{seed} {}

  [[nodiscard]] instant now() const noexcept { return now_; }
  [[nodiscard]] node& at(const std::string& name) { return nodes_.at(name); }
  [[nodiscard]] std::map<std::string, node>& nodes() noexcept { return nodes_; }

  [[nodiscard]] static options defaults(std::string name, role as) {
    options out;
    out.name = std::move(name);
    out.role = as;
    out.endpoints = text("at-" + out.name);
    return out;
  }

  /// Starts a process on the node's disk (made when new). False when the core cannot even be made.
  bool start(options how) {
    node& one = nodes_[how.name];
    one.name = how.name;
    crash(one.name);
    one.machine = std::make_unique<word_machine>();
    loaded from;
    struct visitor final : load_visitor {
      loaded& into;
      word_machine& machine;
      visitor(loaded& i, word_machine& m) : into{i}, machine{m} {}
      result<void> meta(byte_view content) override {
        into.meta = bytes{content.begin(), content.end()};
        return {};
      }
      result<void> row(std::uint8_t, std::uint64_t key, byte_view value) override {
        return machine.load_row(key, value);
      }
      result<void> log(serial number, byte_view change) override {
        into.log.push_back({number, shared_bytes{change}});
        return {};
      }
    } reading{from, *one.machine};
    if (!one.disk.load(reading)) {
      return false;
    }
    one.random = std::make_unique<prng>(random_());
    auto made = replica::make(std::move(how), std::move(from), *one.machine, *one.random, now_);
    if (!made) {
      return false;
    }
    one.core = *std::move(made);
    one.process = peer_id{++last_process_};
    by_process_[*one.process] = one.name;
    pump(one);
    return true;
  }

  /// kill -9: what was being stored may or may not have reached the disk.
  void crash(const std::string& name, bool connections_break = true) {
    node& one = nodes_.at(name);
    if (!one.core) {
      return;
    }
    if (one.storing && random_.chance(1, 2)) {
      (void)one.disk.commit(*std::move(one.storing));
    }
    one.storing.reset();
    one.core.reset();
    const peer_id gone = *std::exchange(one.process, std::nullopt);
    by_process_.erase(gone);
    one.paused = false;
    one.missed.clear();
    if (connections_break) {
      for (auto& [other, peer] : nodes_) {
        tell(peer, [this, gone, &peer = peer] { peer.core->handle_peer_gone(gone, now_); });
      }
    }
  }

  void stop(const std::string& name) {
    node& one = nodes_.at(name);
    one.core->handle_stop(now_);
    pump(one);
    crash(name);
  }

  /// SIGSTOP and SIGCONT.
  void pause(const std::string& name) { nodes_.at(name).paused = true; }
  void resume(const std::string& name) {
    node& one = nodes_.at(name);
    one.paused = false;
    for (auto& input : std::exchange(one.missed, {})) {
      input();
      pump(one);
    }
  }

  /// Messages between the two are lost, both ways.
  void cut(const std::string& a, const std::string& b) { cuts_.insert(std::minmax(a, b)); }
  void mend(const std::string& a, const std::string& b) { cuts_.erase(std::minmax(a, b)); }
  void mend_all() { cuts_.clear(); }

  std::uint64_t propose(const std::string& name, const std::string& change) {
    const std::uint64_t number = ++last_ticket_;
    node& one = nodes_.at(name);
    tell(one, [this, &one, number, change] { one.core->handle_proposal(ticket{number}, text(change), now_); });
    return number;
  }
  /// Several proposals in one turn of the strand.
  std::vector<std::uint64_t> propose_together(const std::string& name, const std::vector<std::string>& changes) {
    std::vector<std::uint64_t> numbers;
    node& one = nodes_.at(name);
    for (const auto& change : changes) {
      numbers.push_back(++last_ticket_);
      one.core->handle_proposal(ticket{numbers.back()}, text(change), now_);
    }
    pump(one);
    return numbers;
  }
  std::uint64_t barrier(const std::string& name) {
    const std::uint64_t number = ++last_ticket_;
    node& one = nodes_.at(name);
    tell(one, [this, &one, number] { one.core->handle_barrier(ticket{number}, now_); });
    return number;
  }
  [[nodiscard]] const result<serial>* answer(const std::string& name, std::uint64_t number) {
    const auto& all = nodes_.at(name).answers;
    const auto found = all.find(number);
    return found == all.end() ? nullptr : &found->second;
  }

  /// Hands a message to a replica as if it came from `from`.
  void inject(const std::string& to, peer_id from, const message& what) {
    node& one = nodes_.at(to);
    tell(one, [this, &one, from, what] { one.core->handle_message(from, what, now_); });
  }
  /// What was sent to peers that are no nodes.
  std::vector<outgoing> sent_elsewhere;

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

  [[nodiscard]] bool is(const std::string& name, phase wanted) {
    return nodes_.at(name).core && nodes_.at(name).core->current_phase() == wanted;
  }
  [[nodiscard]] bool told(const std::string& name, event_kind kind) {
    return std::ranges::any_of(nodes_.at(name).events, [&](const event& one) { return one.kind == kind; });
  }
  [[nodiscard]] std::string last_told(const std::string& name, event_kind kind) {
    std::string out;
    for (const auto& one : nodes_.at(name).events) {
      out = one.kind == kind ? one.sentence : out;
    }
    return out;
  }

  /// Called for each message that a replica sends to another.
  std::function<void(const std::string& from, const std::string& to, const message&)> on_send;
  /// Called after each turn of a replica.
  std::function<void(node&)> after_turn;
  std::function<void(node&, const completion&)> on_answer;

 private:
  struct flight {
    instant due;
    std::uint64_t order;
    peer_id from;
    peer_id to;
    bytes frame;
  };

  void tell(node& one, std::function<void()> input) {
    if (!one.core) {
      return;
    }
    if (one.paused) {
      one.missed.push_back(std::move(input));
      return;
    }
    input();
    pump(one);
  }

  void pump(node& one) {
    if (one.paused || !one.core) {
      return;
    }
    for (ready effects = one.core->poll_ready(now_); !effects.empty(); effects = one.core->poll_ready(now_)) {
      for (auto& message : effects.messages) {
        send(one, message);
      }
      for (auto& done : effects.completions) {
        if (on_answer) {
          on_answer(one, done);
        }
        one.answers.insert_or_assign(done.of.value(), std::move(done.outcome));
      }
      for (auto& event : effects.events) {
        one.events.push_back(std::move(event));
      }
      if (effects.replicas) {
        one.replicas = *effects.replicas;
      }
      if (effects.ask) {
        ask_all(one, *effects.ask);
      }
      if (effects.tail) {
        one.tails.push_back(*effects.tail);
        one.core->handle_tail_saved("/tmp/" + effects.tail->suggested_name, now_);
      }
      if (effects.persist) {
        if (weather.store_max == duration{0}) {
          one.core->handle_committed(one.disk.commit(*std::move(effects.persist)), now_);
        } else {
          one.storing = std::move(effects.persist);
          one.stored_at = now_ + duration{static_cast<duration::rep>(
                                     random_.below(static_cast<std::uint64_t>(weather.store_max.count())))};
        }
      }
      if (after_turn) {
        after_turn(one);
      }
    }
  }

  void ask_all(node& one, const discover& ask) {
    bool all_reachable = true;
    for (auto& [name, other] : nodes_) {
      if (other.process && name != one.name) {
        send(one, {*other.process, handshake_version, ask.question});
        all_reachable = all_reachable && !other.paused;
      }
    }
    if (weather.lost_percent == 0 && cuts_.empty() && all_reachable) {
      // A driver knows when everyone has answered. All answers are back before two delays have passed.
      later_.emplace_back(now_ + 2 * weather.delay_max + std::chrono::microseconds{1},
                          [this, &one, round = ask.question.round] {
                            tell(one, [this, &one, round] { one.core->handle_discovery_complete(round, now_); });
                          });
    }
  }

  void send(node& from, const outgoing& what) {
    const auto to = by_process_.find(what.to);
    if (to == by_process_.end()) {
      sent_elsewhere.push_back(what);
      return;
    }
    if (on_send) {
      on_send(from.name, to->second, what.what);
    }
    if (cuts_.contains(std::minmax(from.name, to->second))) {
      return;
    }
    for (bytes& frame : to_frames(encode(what.what, what.version), ++last_message_, 4096)) {
      const std::uint64_t copies = random_.chance(weather.lost_percent, 100)      ? 0
                                   : random_.chance(weather.doubled_percent, 100) ? 2
                                                                                  : 1;
      for (std::uint64_t i = 0; i < copies; ++i) {
        const auto delay = duration{
            static_cast<duration::rep>(1 + random_.below(static_cast<std::uint64_t>(weather.delay_max.count())))};
        in_flight_.push_back({now_ + delay, ++last_message_, *from.process, what.to, frame});
      }
    }
  }

  [[nodiscard]] instant next_due() {
    instant out = instant_never;
    for (const auto& one : in_flight_) {
      out = std::min(out, one.due);
    }
    for (const auto& [due, call] : later_) {
      out = std::min(out, due);
    }
    for (auto& [name, one] : nodes_) {
      if (one.core && !one.paused) {
        out = std::min({out, one.core->next_deadline(), one.storing ? one.stored_at : instant_never});
      }
    }
    return out;
  }

  /// Everything that is due now, in a fixed order.
  void turn() {
    std::vector<flight> due;
    std::ranges::copy_if(in_flight_, std::back_inserter(due), [&](const flight& f) { return f.due <= now_; });
    std::erase_if(in_flight_, [&](const flight& f) { return f.due <= now_; });
    std::ranges::sort(due, {}, [](const flight& f) { return std::pair{f.due, f.order}; });
    for (auto& one : due) {
      arrive(one);
    }
    auto calls = std::exchange(later_, {});
    for (auto& [when, call] : calls) {
      if (when <= now_) {
        call();
      } else {
        later_.emplace_back(when, std::move(call));
      }
    }
    for (auto& [name, one] : nodes_) {
      if (!one.core || one.paused) {
        continue;
      }
      if (one.storing && one.stored_at <= now_) {
        commit step = *std::exchange(one.storing, std::nullopt);
        one.core->handle_committed(one.disk.commit(std::move(step)), now_);
        pump(one);
      }
      if (one.core && one.core->next_deadline() <= now_) {
        one.core->handle_tick(now_);
        pump(one);
      }
    }
  }

  void arrive(const flight& what) {
    const auto to = by_process_.find(what.to);
    if (to == by_process_.end()) {
      return;
    }
    node& one = nodes_.at(to->second);
    auto whole = assemblies_[{what.from, what.to}].add(what.frame);
    if (!whole || !*whole) {
      return;
    }
    auto decoded = decode(**whole);
    if (!decoded) {
      return;
    }
    tell(one, [this, &one, from = what.from, message = *std::move(decoded)] {
      one.core->handle_message(from, message, now_);
    });
  }

  prng random_;
  instant now_{std::chrono::seconds{1}};
  std::map<std::string, node> nodes_;
  std::map<peer_id, std::string> by_process_;
  std::map<std::pair<peer_id, peer_id>, frame_assembly> assemblies_;
  std::set<std::pair<std::string, std::string>> cuts_;
  std::vector<flight> in_flight_;
  std::vector<std::pair<instant, std::function<void()>>> later_;
  std::uint64_t last_process_{0};
  std::uint64_t last_message_{0};
  std::uint64_t last_ticket_{0};
};

}  // namespace muster::replication::testing
