#include "muster/cluster/test_cluster.hpp"
#include "tests/support/sanitized.hpp"

namespace muster::cluster::testing {
namespace {

using muster::testing::probe;

/// What one watcher was promised, and got.
struct promise {
  std::string watcher;  // the process that it lives in
  actor_node watcher_life;
  actor_address target;
  std::size_t kept{0};
};

/// Nodes come, crash, leave, are cut off; actors register, watch each other and stop. Everything that a mirror or a
/// subscriber is told is checked as it comes (test_cluster).
class chaos {
 public:
  explicit chaos(std::uint64_t seed) : c_{seed} {
    c_.how.membership.removal_timeout = seconds{5};
    c_.how.unknown_node_timeout = minutes{5};  // nobody is taken for gone who is merely not met yet
    for (std::size_t i = 0; i < nodes; ++i) start(test_cluster::name_of(i));
  }

  void rage(std::size_t steps) {
    for (std::size_t i = 0; i < steps; ++i) {
      do_something();
      c_.run(milliseconds{static_cast<std::int64_t>(random(200))});
    }
  }

  /// The faults are over; all that should run does.
  void calm_down() {
    c_.network.weather = {};
    c_.network.mend_all();
    c_.run(c_.how.membership.leave_timeout + seconds{1});  // who is leaving has left
    for (std::size_t i = 0; i < nodes; ++i) {
      const auto name = test_cluster::name_of(i);
      if (c_.is_running(name) && c_.at(name).last_phase == phase::ended) c_.kill(name);
      if (!c_.is_running(name)) start(name);
    }
  }

  void expect_equal(std::uint64_t seed) {
    EXPECT_TRUE(c_.run_until([&] { return c_.all_met() && c_.all_equal(); }, minutes{3})) << "seed " << seed;
    // What is there is what the nodes that run have registered in these lives.
    std::multiset<std::string> truth;
    for (const auto& [name, keys] : registered_) {
      if (c_.is_running(name)) truth.insert(keys.begin(), keys.end());
    }
    for (const auto& name : c_.running()) {
      EXPECT_EQ(c_.sees(name).reachable_keys(), truth) << name << ", seed " << seed;
    }
    // An origin whose registrations came and went shows in nothing but its version: a comparison brings it.
    c_.run(seconds{20});
    const auto root = c_.look("A", [](const node_core& n) { return n.registrations().root_hash(); });
    for (const auto& name : c_.running()) {
      EXPECT_EQ(c_.look(name, [](const node_core& n) { return n.registrations().root_hash(); }), root);
    }
  }

  /// Every watcher that lives, of a target that does not, has heard so once; the others nothing.
  void expect_watches_kept(std::uint64_t seed) {
    c_.run(c_.how.unknown_node_timeout + seconds{5});
    for (const auto& one : promises_) {
      if (!c_.is_running(one->watcher) || lives_.at(one->watcher) != one->watcher_life) continue;
      const auto& home = one->target.node.name;
      const bool alive = c_.is_running(home) && c_.at(home).handle->self() == one->target.node &&
                         !c_.system(home).resolve(one->target)->is_stopped();
      EXPECT_EQ(one->kept, alive ? 0U : 1U)
          << one->watcher << " watches " << to_string(one->target) << ", seed " << seed;
    }
  }

  [[nodiscard]] test_cluster& cluster() noexcept { return c_; }

 private:
  static constexpr std::size_t nodes = 5;

  std::uint64_t random(std::uint64_t below) { return c_.random().below(below); }
  std::string anybody() { return test_cluster::name_of(random(nodes)); }

  void start(const std::string& name) {
    registered_[name].clear();
    c_.start(name, {"A", "B", "C"});
    lives_[name] = c_.at(name).handle->self();
  }

  void do_something() {
    const auto name = anybody();
    const bool runs = c_.is_running(name) && c_.at(name).last_phase != phase::ended;
    switch (random(12)) {
      case 0: {
        if (c_.is_running(name)) c_.kill(name, random(2) == 0);
        return;
      }
      case 1:
      case 2: {
        if (!runs) {
          if (c_.is_running(name)) c_.kill(name);
          start(name);
        }
        return;
      }
      case 3: {
        if (const auto other = anybody(); other != name) {
          c_.network.cut(test_cluster::address_of(name), test_cluster::address_of(other));
        }
        return;
      }
      case 4: c_.network.mend_all(); return;
      case 5: {
        c_.network.weather = {.lost_percent = random(20),
                              .doubled_percent = random(20),
                              .delay_max = milliseconds{static_cast<std::int64_t>(1 + random(30))},
                              .in_order = random(2) == 0};
        return;
      }
      case 6: {
        if (runs && random(4) == 0) c_.leave(name);
        return;
      }
      case 7:
      case 8: {
        if (!runs) return;
        const auto key = fmt::format("{} {}", name, ++keys_);
        registered_[name].insert(key);
        c_.add(name, key);
        return;
      }
      case 9: {
        if (!runs || registered_[name].empty()) return;
        c_.remove(name, *registered_[name].begin());
        registered_[name].erase(registered_[name].begin());
        return;
      }
      case 10: {
        const auto other = anybody();
        if (runs && other != name && c_.is_running(other)) watch(name, other);
        return;
      }
      default: {
        if (runs && !targets_[name].empty()) {
          c_.system(name).stop(c_.system(name).find(targets_[name].back()));
          targets_[name].pop_back();
        }
        return;
      }
    }
  }

  void watch(const std::string& watcher, const std::string& home) {
    const probe<word> target{c_.system(home)};
    targets_[home].push_back(target.ref().path());
    const auto made = std::make_shared<promise>(promise{watcher, lives_[watcher], target.ref().address()});
    promises_.push_back(made);
    const auto there = c_.far(watcher, target.ref());
    c_.system(watcher)
        .spawn<std::variant<int, terminated>>(spawn_options{},
                                              [made, there](actor_context<std::variant<int, terminated>>& self,
                                                            const std::variant<int, terminated>& what) {
                                                if (std::holds_alternative<int>(what)) self.watch(there);
                                                if (std::holds_alternative<terminated>(what)) ++made->kept;
                                              })
        .tell(1);
  }

  test_cluster c_;
  std::map<std::string, std::set<std::string>> registered_;
  std::map<std::string, actor_node> lives_;
  std::map<std::string, std::vector<std::string>> targets_;
  std::vector<std::shared_ptr<promise>> promises_;
  std::size_t keys_{0};
};

TEST(chaos, ends_with_equal_registrations_and_every_watch_kept) {
  constexpr std::uint64_t seeds = tests::sanitized ? 8 : 30;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    chaos all{seed};
    all.rage(150);
    all.calm_down();
    all.expect_equal(seed);
    all.expect_watches_kept(seed);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(chaos, is_the_same_again_with_the_same_seed) {
  const auto run = [](std::uint64_t seed) {
    chaos all{seed};
    all.rage(60);
    return std::pair{all.cluster().network.frames, all.cluster().network.sent_bytes};
  };
  EXPECT_EQ(run(7), run(7));
  EXPECT_NE(run(7), run(8));
}

}  // namespace
}  // namespace muster::cluster::testing
