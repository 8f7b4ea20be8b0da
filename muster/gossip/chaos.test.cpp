// Random changes, faults, crashes, restarts and removals; a checker after every turn; then the faults stop, and all
// nodes must show the same, which is the truth.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "muster/gossip/test_network.hpp"
#include "tests/support/sanitized.hpp"

namespace muster::gossip::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class storm {
 public:
  explicit storm(std::uint64_t seed) : random_{seed}, g_{seed + 1} {
    g_.how.message_bytes_max = 8192;
    g_.how.log_operations_max = random_.chance(1, 2) ? 8 : 1000;
    g_.how.push_peers_max = random_.chance(1, 2) ? 64 : 2;  // directly, or by infection
    g_.how.push_fan_out = 2;
    g_.how.relay_fan_out = 2;
    g_.how.transfer_window_chunks = 1 + random_.below(4);
    belief_ = random_.below(3);
    g_.after_turn = [this](network::node& one) { check(one); };
    const std::size_t nodes = 3 + random_.below(8);
    for (std::size_t i = 0; i < nodes; ++i) {
      names_.push_back(network::name_of(i));
      start(names_.back());
    }
    g_.join_all();
  }

  void rage(int steps) {
    g_.weather = {.lost_percent = random_.below(40),
                  .doubled_percent = random_.below(30),
                  .delay_max = milliseconds{1 + static_cast<int>(random_.below(300))},
                  .in_order = random_.chance(1, 2)};
    for (int i = 0; i < steps && failure_.empty(); ++i) {
      step();
      obey();
      if (random_.chance(1, 3)) {
        g_.run(milliseconds{random_.below(1500)});
      }
    }
  }

  /// The faults stop. Empty if all became equal to the truth, else what is wrong.
  std::string calm() {
    g_.weather = {};
    g_.mend_all();
    for (const std::string& name : names_) {
      g_.resume(name);
      obey();
    }
    for (const std::string& one : names_) {
      for (const std::string& other : names_) {
        if (one != other) {
          g_.introduce(one, other);
        }
      }
    }
    const bool settled = g_.run_until(
        [&] {
          obey();
          return g_.all_equal() && g_.view(names_.front()) == truth();
        },
        seconds{90});
    if (failure_.empty() && !settled) {
      return "the nodes did not become equal to the truth";
    }
    // What has settled stays, and is silent but for the comparisons.
    g_.run(seconds{5});
    return failure_.empty() && g_.view(names_.front()) != truth() ? "what had settled changed" : failure_;
  }

 private:
  /// Of one belief or the other, or of mixed ones.
  void start(const std::string& name) {
    const bool is_strict = belief_ == 2 ? random_.chance(1, 2) : belief_ == 1;
    g_.how.taken_from = is_strict ? news_source::origin_only : news_source::any_member;
    g_.start(name, ++lives_);
  }

  void step() {
    const std::string& name = names_[random_.below(names_.size())];
    const std::string& other = names_[random_.below(names_.size())];
    switch (random_.below(20)) {
      case 0: g_.pause(name); break;
      case 1: g_.resume(name); break;
      case 2:
        if (name != other) {
          g_.cut(name, other);
        }
        break;
      case 3: g_.mend_all(); break;
      case 4: restart(name); break;
      case 5: remove_somewhere(name); break;
      case 6:
        g_.gossip(other).handle_member_unreachable(g_.at(name).id);
        g_.pump(g_.at(other));
        break;
      case 7:
        if (name != other) {
          g_.introduce(other, name);
        }
        break;
      case 8: many(name); break;
      default: change(name); break;
    }
  }

  void change(const std::string& name) {
    const std::string key = fmt::format("k{}", random_.below(6));
    const std::uint64_t life = 1 + random_.below(3);
    if (random_.chance(3, 5)) {
      registered_[g_.at(name).id].insert({key, life});
      if (truth_[name].insert({key, life}).second) {
        g_.add(name, key, life);
      }
    } else {
      truth_[name].erase({key, life});
      g_.remove(name, key, life);
    }
  }

  /// So many in one turn that they fill several messages, and the whole several chunks.
  void many(const std::string& name) {
    const std::uint64_t life = 100 + random_.below(1000);
    for (int i = 0; i < 300; ++i) {
      const std::string key = fmt::format("many-{}", i);
      registered_[g_.at(name).id].insert({key, life});
      truth_[name].insert({key, life});
      (void)*g_.gossip(name).add(key, network::entry_for(key, life));
    }
    g_.pump(g_.at(name));
  }

  void restart(const std::string& name) {
    g_.crash(name);
    start(name);
    truth_[name].clear();
    seen_versions_.erase(name);
    refused_.erase(name);
    for (const std::string& other : names_) {
      if (other != name && random_.chance(1, 2)) {
        g_.introduce(other, name);
      }
      if (other != name && random_.chance(2, 3)) {
        g_.introduce(name, other);
      }
    }
  }

  /// Some believe that it is gone while it lives.
  void remove_somewhere(const std::string& name) {
    const origin_id who = g_.at(name).id;
    for (const std::string& other : names_) {
      if (other != name && random_.chance(1, 2)) {
        refused_[other].insert(who);
        g_.gossip(other).forget(who, g_.now());
        g_.pump(g_.at(other));
      }
    }
  }

  /// The layer above: who is told to takes a new incarnation, and it is announced.
  void obey() {
    for (const std::string& name : names_) {
      network::node& one = g_.at(name);
      if (!one.forgotten_self || one.paused) {
        continue;
      }
      lives_ = std::max(lives_, one.forgotten_self->above.value()) + 1;
      one.forgotten_self.reset();
      const bool is_taken = one.gossip->reincarnate(incarnation{lives_}).has_value();
      RC_ASSERT(is_taken);
      registered_[make_origin(name, lives_)] = truth_[name];
      one.id = make_origin(name, lives_);
      for (const std::string& other : names_) {
        if (other != name) {
          g_.introduce(other, name);
        }
      }
      g_.pump(one);
    }
  }

  void check(network::node& one) {
    const std::string me{one.id.node.view()};
    const auto fails = [&](std::string what) { failure_ = failure_.empty() ? what + " on " + me : failure_; };
    if (g_.inconsistent || g_.undecodable) {
      fails(g_.inconsistent ? "a change that cannot be" : "a message that cannot be read");
    }
    std::size_t visible = 0;
    one.gossip->for_each_key([&](const shared_text& key, std::size_t count) {
      visible += count;
      one.gossip->for_each_entry(key.view(), [&](const origin_id& origin, const entry& what) {
        if (!registered_[origin].contains({std::string{key.view()}, what.incarnation})) {
          fails(fmt::format("{} of {}, which it never registered,", key, origin));
        }
        if (refused_[me].contains(origin)) {
          fails(fmt::format("{} of the forgotten {}", key, origin));
        }
        if (!one.shown.contains({std::string{key.view()}, origin, what})) {
          fails(fmt::format("{} of {}, which no change told of,", key, origin));
        }
      });
    });
    if (visible != one.shown.size() || visible != one.gossip->registration_count()) {
      fails("changes that do not add up to what is visible");
    }
    one.gossip->for_each_origin([&](const origin_status& status) {
      auto& last = seen_versions_[me][status.origin];
      if (status.at < last) {
        fails(fmt::format("a version of {} that fell", status.origin));
      }
      last = status.at;
      if (!status.complete) {
        fails(fmt::format("{} at {}, incomplete,", status.origin, status.at));
      }
    });
  }

  [[nodiscard]] std::multiset<seen> truth() {
    std::multiset<seen> out;
    for (const std::string& name : names_) {
      for (const auto& [key, life] : truth_[name]) {
        out.emplace(key, fmt::format("{}", g_.at(name).id), life);
      }
    }
    return out;
  }

  prng random_;
  network g_;
  std::vector<std::string> names_;
  std::uint64_t lives_{0};
  std::uint64_t belief_{0};
  std::map<std::string, std::set<std::pair<std::string, std::uint64_t>>> truth_;
  std::map<origin_id, std::set<std::pair<std::string, std::uint64_t>>> registered_;  ///< ever
  std::map<std::string, std::set<origin_id>> refused_;
  std::map<std::string, std::map<origin_id, version>> seen_versions_;
  std::string failure_;
};

RC_GTEST_PROP(gossip_chaos, ends_in_the_truth_and_never_shows_what_cannot_be, ()) {
  const auto seed = *rc::gen::resize(1000, rc::gen::arbitrary<std::uint64_t>());
  storm one{seed};
  one.rage(*rc::gen::inRange(10, tests::sanitized ? 40 : 120));
  const std::string wrong = one.calm();
  RC_LOG() << "seed " << seed << ": " << wrong;
  RC_ASSERT(wrong.empty());
}

}  // namespace
}  // namespace muster::gossip::testing
