#pragma once

#include <gtest/gtest.h>

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

#include "muster/actor/remote_ref.hpp"
#include "muster/actor/test_system.hpp"
#include "muster/cluster/frame.hpp"
#include "muster/cluster/identity.hpp"
#include "muster/cluster/node.hpp"
#include "muster/cluster/node_core.hpp"
#include "muster/cluster/test_transport.hpp"
#include "muster/gossip/message_codec.hpp"

namespace muster::cluster::testing {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

/// A message between the actors of the tests.
struct word {
  static constexpr std::string_view message_name = "test.word";
  std::string text;
  actor_address reply_to{};
};

struct word_codec {
  static std::string_view name(const word&) { return word::message_name; }
  static void write(const word& what, byte_writer& into) {
    into.string(what.text);
    write_address(into, what.reply_to);
  }
  static std::optional<word> read(const actor_system&, byte_reader& from) {
    word out;
    out.text = from.string();
    out.reply_to = read_address(from);
    return out;
  }
};

/// What an observer was told, added up, and checked as it comes.
class mirror final : public registration_observer {
 public:
  using seen = std::tuple<std::string, actor_node, std::string, std::uint64_t>;  // key, origin, path, actor

  void handle_news(const registration_news& what) override {
    ++news;
    for (const auto& one : what.changes) {
      seen item{std::string{one.key.view()}, to_node(one.origin), std::string{one.what.path.view()},
                one.what.incarnation};
      const bool fits = one.vanished ? all.erase(item) == 1 : all.insert(item).second;
      EXPECT_TRUE(fits) << fmt::format("{} at {} {} twice", one.key, one.origin, one.vanished ? "vanishes" : "appears");
    }
    for (const auto& one : what.nodes) {
      if (one.now == registration_news::reach::unreachable) {
        unreachable.insert(one.node);
      } else {
        unreachable.erase(one.node);
      }
      if (one.now == registration_news::reach::gone) {
        EXPECT_TRUE(std::ranges::none_of(all, [&](const seen& item) { return std::get<1>(item) == one.node; }))
            << "what " << one.node.name << " registered goes with it";
      }
    }
    if (what.renamed) renamed.push_back(*what.renamed);
  }

  /// The keys of what is registered by nodes that can be reached.
  [[nodiscard]] std::multiset<std::string> reachable_keys() const {
    std::multiset<std::string> out;
    for (const auto& [key, origin, path, actor] : all) {
      if (!unreachable.contains(origin)) out.insert(key);
    }
    return out;
  }

  std::set<seen> all;
  std::set<actor_node> unreachable;
  std::vector<actor_node> renamed;
  std::size_t news{0};
};

/// Nodes of a cluster, each with an actor system of its own, all under one virtual time and on one network. What every
/// observer and every subscriber must find true is checked as it happens.
class test_cluster {
 public:
  struct process {
    std::string name;
    muster::testing::kept_log log;
    std::unique_ptr<actor_system> system;
    std::shared_ptr<node> handle;
    std::shared_ptr<mirror> sees{std::make_shared<mirror>()};
    std::vector<member_event> events;
    std::map<actor_node, member_event_kind> story;
    phase last_phase{phase::joining};
    std::string why_ended;

    [[nodiscard]] std::size_t count(member_event_kind kind, const std::string& of) const {
      return static_cast<std::size_t>(std::ranges::count_if(
          events, [&](const member_event& one) { return one.kind == kind && one.node.name == of; }));
    }
  };

  explicit test_cluster(std::uint64_t seed = 1)
      : random_{seed}, executor{std::make_shared<muster::testing::manual_executor>(seed)}, network{executor, seed} {
    const auto words = std::make_shared<inbound_codecs>();
    words->add<word, word_codec>();
    codecs = words;
    how.cluster = "shop";
    how.membership.removal_timeout = seconds{10};
    now_ = executor->now();
    run(seconds{1});
  }
  ~test_cluster() {
    while (!nodes_.empty()) kill(nodes_.begin()->first);
  }

  [[nodiscard]] static std::string address_of(const std::string& name) { return "at-" + name; }

  /// A process that joins by these seeds; in place of the one under this name, if that was killed.
  process& start(const std::string& name, const std::vector<std::string>& seeds = {}) {
    auto& slot = nodes_[name];
    slot = std::make_unique<process>();
    process& one = *slot;
    one.name = name;
    one.system = std::make_unique<actor_system>(
        name, actor_system_options{.runs_on = executor, .log = &one.log, .shutdown_timeout = seconds{10}});
    options mine = how;
    mine.name = name;
    for (const auto& seed : seeds) mine.seeds.push_back(address_of(seed));
    one.handle = join(*one.system, mine,
                      {.over = network.make_transport(address_of(name), authenticated ? name : std::string{}),
                       .codecs = codecs,
                       .wall_clock_ms = wall_clock_ms(),
                       .seed = random_()});
    one.handle->post([sees = one.sees](registrations& all) { all.observe(sees); });
    const auto listener = one.system->spawn<member_news>("listener", [&one](const member_news& news) {
      one.last_phase = news.now->phase;
      one.why_ended = news.now->why_ended;
      for (const auto& event : news.events) {
        check(one, event);
        one.events.push_back(event);
      }
    });
    one.handle->subscribe(listener);
    return one;
  }

  /// So many processes, A, B, ..., with the first as seed; they have met when this returns.
  void start_all(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) start(name_of(i), {name_of(0)});
    EXPECT_TRUE(run_until([&] { return all_met(); }, seconds{20}));
  }
  [[nodiscard]] static std::string name_of(std::size_t i) { return std::string(1, static_cast<char>('A' + i)); }

  [[nodiscard]] process& at(const std::string& name) { return *nodes_.at(name); }
  [[nodiscard]] actor_system& system(const std::string& name) { return *nodes_.at(name)->system; }
  [[nodiscard]] mirror& sees(const std::string& name) { return *nodes_.at(name)->sees; }
  [[nodiscard]] bool is_running(const std::string& name) const { return nodes_.contains(name); }
  [[nodiscard]] std::vector<std::string> running() const {
    std::vector<std::string> out;
    for (const auto& [name, one] : nodes_) out.push_back(name);
    return out;
  }

  /// kill -9.
  void kill(const std::string& name, bool quietly = false) {
    network.kill(address_of(name), quietly);
    const auto found = nodes_.find(name);
    const std::unique_ptr<process> dying = std::move(found->second);
    nodes_.erase(found);
    dying->handle = nullptr;
    dying->system = nullptr;
  }
  void leave(const std::string& name) { at(name).handle->leave(); }
  /// The two sides hear nothing of each other.
  void split(const std::vector<std::string>& side) {
    for (const auto& [name, one] : nodes_) {
      for (const auto& other : side) {
        if (std::ranges::find(side, name) == side.end()) network.cut(address_of(name), address_of(other));
      }
    }
  }

  void add(const std::string& on, const std::string& key, std::uint64_t actor = 1) {
    at(on).handle->post([entry = entry_for(key, actor), key](registrations& all) { EXPECT_TRUE(all.add(key, entry)); });
  }
  void remove(const std::string& on, const std::string& key, std::uint64_t actor = 1) {
    at(on).handle->post([entry = entry_for(key, actor), key](registrations& all) { all.remove(key, entry); });
  }

  void run(duration time) {
    now_ += time;
    (void)executor->run_until([] { return false; }, now_);
  }
  bool run_until(const std::function<bool()>& done, duration bound) {
    const bool came_true = executor->run_until(done, now_ + bound);
    now_ = std::max(now_, executor->now());
    return came_true;
  }

  /// What a node's core knows, looked at on its turn.
  template <typename Look>
  auto look(const std::string& name, Look&& see) {
    std::optional<decltype(see(std::declval<const node_core&>()))> out;
    at(name).handle->inspect([&](const node_core& core) { out = see(core); });
    EXPECT_TRUE(run_until([&] { return out.has_value(); }, seconds{1}));
    return *std::move(out);
  }

  /// Everybody has everybody else, in the present life, as a reachable member, and nobody more.
  [[nodiscard]] bool all_met() const {
    std::set<actor_node> alive;
    for (const auto& [name, one] : nodes_) alive.insert(one->handle->self());
    return std::ranges::all_of(nodes_, [&](const auto& one) {
      const auto members = one.second->handle->members();
      return members->members.size() == alive.size() && std::ranges::all_of(members->members, [&](const member& m) {
               return m.is_reachable && alive.contains(m.node);
             });
    });
  }
  /// Everybody sees the same registrations, and these are those of nodes that run.
  [[nodiscard]] bool all_equal() const {
    std::set<actor_node> alive;
    for (const auto& [name, one] : nodes_) alive.insert(one->handle->self());
    const auto& first = nodes_.begin()->second->sees->all;
    return std::ranges::all_of(nodes_, [&](const auto& one) { return one.second->sees->all == first; }) &&
           std::ranges::all_of(first, [&](const auto& one) { return alive.contains(std::get<1>(one)); });
  }
  [[nodiscard]] bool everywhere(const std::string& key, std::size_t count) const {
    return std::ranges::all_of(nodes_,
                               [&](const auto& one) { return one.second->sees->reachable_keys().count(key) == count; });
  }

  /// `by` tells `whom` that its present incarnation is one that it has forgotten.
  void refuse(const std::string& whom, const std::string& by) {
    const actor_node speaker = at(by).handle->self();
    network.inject(address_of(whom),
                   encode_frame({.about = channel::gossip,
                                 .cluster = cluster_key(how.cluster),
                                 .name = speaker.name,
                                 .incarnation = speaker.incarnation.value()},
                                gossip::encode(gossip::forgotten{to_origin(at(whom).handle->self())})),
                   by);
  }

  [[nodiscard]] actor_ref<word> far(const std::string& from, const any_ref& to) {
    return *remote_ref<word, word_codec>(system(from), to.address());
  }

  [[nodiscard]] prng& random() noexcept { return random_; }
  [[nodiscard]] std::uint64_t wall_clock_ms() const {
    const auto since = executor->now().time_since_epoch() + clock_ahead;
    return 1'000'000U + static_cast<std::uint64_t>(std::chrono::duration_cast<milliseconds>(since).count());
  }

 private:
  static gossip::entry entry_for(const std::string& key, std::uint64_t actor) {
    return {gossip::shared_text{"/user/" + key}, actor, gossip::shared_text{"test"}};
  }

  /// For each incarnation: up, then unreachable and reachable by turns, then left or removed.
  static void check(process& one, const member_event& event) {
    using kind = member_event_kind;
    const auto before = one.story.find(event.node);
    const bool is_known = before != one.story.end() && before->second != kind::left && before->second != kind::removed;
    const bool was_reachable = is_known && before->second != kind::unreachable;
    const bool fits = event.kind == kind::up            ? !is_known
                      : event.kind == kind::unreachable ? was_reachable
                      : event.kind == kind::reachable   ? is_known && !was_reachable
                                                        : is_known;
    EXPECT_TRUE(fits) << fmt::format("{} is told that {}#{} is {}", one.name, event.node.name, event.node.incarnation,
                                     to_string(event.kind));
    one.story[event.node] = event.kind;
  }

  prng random_;
  instant now_;

 public:
  options how;
  bool authenticated{true};  ///< the transport vouches for names
  duration clock_ahead{};    ///< of the wall clock that processes are started with
  std::shared_ptr<const inbound_codecs> codecs;
  const std::shared_ptr<muster::testing::manual_executor> executor;
  memory_network network;

 private:
  std::map<std::string, std::unique_ptr<process>> nodes_;
};

}  // namespace muster::cluster::testing
