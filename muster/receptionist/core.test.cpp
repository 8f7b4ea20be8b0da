#include "muster/receptionist/core.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "muster/base/prng.hpp"

namespace muster::receptionist {
namespace {

gossip::entry entry_of(std::string_view path, std::uint64_t incarnation = 1, std::string_view type = "t") {
  return {gossip::shared_text{path}, incarnation, gossip::shared_text{type}};
}

/// Paths of the rows, with a question mark behind those that cannot be reached.
std::vector<std::string> shown(const roster_ptr& rows) {
  std::vector<std::string> out;
  if (!rows) return out;
  rows->for_each([&](const row& one) {
    out.push_back(std::string{one.origin->id.node.view()} + std::string{one.path.view()} +
                  (rows->is_reachable(one) ? "" : "?"));
  });
  return out;
}

using paths = std::vector<std::string>;

class receptionist_core : public ::testing::Test {
 protected:
  void make(core::bounds how) { core_ = std::make_unique<core>(how, shown_, gossip::node_id{"own"}, nullptr); }
  void remote(std::string_view key, std::string_view node, std::string_view path, bool vanished = false) {
    core_->handle({{{gossip::shared_text{key}, gossip::make_origin(node, 1), entry_of(path), vanished}}, {}, {}});
  }
  void reach(std::string_view node, reachability::state now) {
    core_->handle({{}, {{gossip::make_origin(node, 1), now}}, {}});
  }
  /// One line for each notice: who is told what.
  std::vector<std::pair<std::vector<std::uint64_t>, paths>> poll() {
    std::vector<std::pair<std::vector<std::uint64_t>, paths>> out;
    for (const auto& one : core_->poll_notices()) {
      std::vector<std::uint64_t> who;
      for (const auto& to : one.to) who.push_back(to.who.value());
      out.emplace_back(who, shown(one.rows));
    }
    return out;
  }
  using told = std::vector<std::pair<std::vector<std::uint64_t>, paths>>;

  std::shared_ptr<published> shown_{std::make_shared<published>()};
  std::unique_ptr<core> core_{std::make_unique<core>(core::bounds{}, shown_, gossip::node_id{"own"}, nullptr)};
  const any_key api_{"api"};
};

TEST_F(receptionist_core, shows_a_registration_at_once_and_publishes_it_with_the_turn) {
  EXPECT_TRUE(core_->add_own(api_, entry_of("/user/a")));
  EXPECT_EQ(shown(core_->current(api_)), paths{"own/user/a"});
  EXPECT_EQ(shown_->find(api_), nullptr);
  EXPECT_TRUE(poll().empty()) << "nobody wants to know";
  EXPECT_EQ(shown(shown_->find(api_)), paths{"own/user/a"});
}

TEST_F(receptionist_core, gives_a_subscriber_what_is_there_and_then_each_change) {
  (void)core_->add_own(api_, entry_of("/a"));
  const auto first = core_->subscribe(api_, subscriber_id{1});
  EXPECT_EQ(first.what, core::outcome::subscribed);
  EXPECT_EQ(shown(first.rows), paths{"own/a"});
  EXPECT_TRUE(poll().empty()) << "it has been given that already";
  remote("api", "n2", "/b");
  EXPECT_EQ(poll(), (told{{{1}, {"n2/b", "own/a"}}}));
  EXPECT_TRUE(poll().empty());
}

TEST_F(receptionist_core, makes_one_notice_of_all_changes_of_a_turn) {
  (void)core_->subscribe(api_, subscriber_id{1});
  for (int i = 0; i < 10; ++i) (void)core_->add_own(api_, entry_of("/" + std::to_string(i)));
  remote("api", "n2", "/x");
  EXPECT_EQ(poll().size(), 1U);
}

TEST_F(receptionist_core, tells_nobody_of_what_came_and_went_within_a_turn) {
  (void)core_->subscribe(api_, subscriber_id{1});
  (void)core_->add_own(api_, entry_of("/a"));
  EXPECT_TRUE(core_->remove_own(api_, entry_of("/a")));
  EXPECT_TRUE(poll().empty());
  (void)core_->add_own(api_, entry_of("/a"));
  (void)poll();
  EXPECT_TRUE(core_->remove_own(api_, entry_of("/a")));
  (void)core_->add_own(api_, entry_of("/a"));
  EXPECT_TRUE(poll().empty());
}

TEST_F(receptionist_core, tells_whoever_subscribed_in_the_middle_of_a_turn_how_it_ended) {
  (void)core_->subscribe(api_, subscriber_id{1});
  (void)core_->add_own(api_, entry_of("/a"));
  EXPECT_EQ(shown(core_->subscribe(api_, subscriber_id{2}).rows), paths{"own/a"});
  (void)core_->remove_own(api_, entry_of("/a"));
  EXPECT_EQ(poll(), (told{{{2}, {}}})) << "the other one has seen nothing of it";
}

TEST_F(receptionist_core, makes_nothing_of_what_it_hears_twice_or_of_a_removal_of_what_never_came) {
  (void)core_->subscribe(api_, subscriber_id{1});
  remote("api", "n2", "/never", true);
  EXPECT_TRUE(poll().empty());
  remote("api", "n2", "/a");
  (void)poll();
  remote("api", "n2", "/a");
  EXPECT_FALSE(core_->add_own(api_, entry_of("/b")) && core_->add_own(api_, entry_of("/b")));
  EXPECT_EQ(poll(), (told{{{1}, {"n2/a", "own/b"}}}));
}

TEST_F(receptionist_core, passes_over_what_others_tell_of_its_own_node) {
  core_->handle({{{api_.text(), gossip::make_origin("own", 7), entry_of("/a"), false}}, {}, {}});
  EXPECT_EQ(core_->current(api_), nullptr);
}

TEST_F(receptionist_core, keeps_rows_of_an_unreachable_node_but_shows_that_it_is) {
  remote("api", "n2", "/a");
  remote("api", "n3", "/b");
  remote("other", "n3", "/c");
  (void)core_->subscribe(api_, subscriber_id{1});
  (void)core_->subscribe(any_key{"other"}, subscriber_id{2});
  (void)poll();
  reach("n2", reachability::state::unreachable);
  EXPECT_EQ(shown(core_->current(api_)), (paths{"n2/a?", "n3/b"}));
  EXPECT_EQ(poll(), (told{{{1}, {"n2/a?", "n3/b"}}})) << "who has nothing of that node hears nothing";
  reach("n2", reachability::state::unreachable);
  EXPECT_TRUE(poll().empty());
  reach("n2", reachability::state::reachable);
  EXPECT_EQ(poll(), (told{{{1}, {"n2/a", "n3/b"}}}));
}

TEST_F(receptionist_core, tells_nobody_of_a_node_that_flaps_within_a_turn) {
  remote("api", "n2", "/a");
  (void)core_->subscribe(api_, subscriber_id{1});
  (void)poll();
  reach("n2", reachability::state::unreachable);
  EXPECT_EQ(shown(core_->current(api_)), paths{"n2/a?"});
  reach("n2", reachability::state::reachable);
  EXPECT_TRUE(poll().empty());
}

TEST_F(receptionist_core, shows_what_comes_of_an_unreachable_node_as_unreachable) {
  reach("n2", reachability::state::unreachable);
  (void)poll();
  remote("api", "n2", "/a");
  (void)poll();
  EXPECT_EQ(shown(shown_->find(api_)), paths{"n2/a?"});
}

TEST_F(receptionist_core, shows_that_a_node_of_30000_keys_is_unreachable_in_one_turn_that_looks_at_none_of_them) {
  constexpr int keys = 30'000;
  std::vector<any_key> all;
  for (int i = 0; i < keys; ++i) {
    all.emplace_back(std::to_string(i));
    remote(all.back().id(), "n2", "/a");
  }
  (void)core_->subscribe(all[7], subscriber_id{1});
  (void)poll();
  const auto before = shown_->find(all[3]);
  reach("n2", reachability::state::unreachable);
  EXPECT_EQ(poll(), (told{{{1}, {"n2/a?"}}}));
  std::size_t put_already = 0;
  for (const auto& one : all) {
    const auto rows = shown_->find(one);
    ASSERT_EQ(shown(rows), paths{"n2/a?"});
    put_already += rows == shown_->find(one) ? 1U : 0U;
  }
  EXPECT_LT(put_already, 10'000U) << "the others are corrected for each reader";
  std::size_t turns = 0;
  for (; core_->has_changes(); ++turns) EXPECT_TRUE(poll().empty());
  EXPECT_GT(turns, 4U) << "no turn is long";
  for (const auto& one : all) ASSERT_EQ(shown_->find(one), shown_->find(one)) << "put anew";
  EXPECT_EQ(shown(before), paths{"n2/a"}) << "what was given away does not change";
}

TEST_F(receptionist_core, forgets_half_of_a_renewal_when_the_node_is_back_before_its_end) {
  for (int i = 0; i < 20'000; ++i) remote(std::to_string(i), "n2", "/a");
  (void)poll();
  reach("n2", reachability::state::unreachable);
  (void)poll();
  for (int i = 0; i < 20'000; ++i) remote("later " + std::to_string(i), "n2", "/a");
  (void)poll();
  reach("n2", reachability::state::reachable);
  while (core_->has_changes()) EXPECT_TRUE(poll().empty());
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_EQ(shown(shown_->find(any_key{std::to_string(i)})), paths{"n2/a"});
    ASSERT_EQ(shown(shown_->find(any_key{"later " + std::to_string(i)})), paths{"n2/a"});
  }
}

TEST_F(receptionist_core, makes_one_smaller_listing_of_a_node_that_is_removed) {
  remote("api", "n2", "/a");
  remote("api", "n2", "/b");
  (void)core_->add_own(api_, entry_of("/c"));
  (void)core_->subscribe(api_, subscriber_id{1});
  (void)poll();
  reach("n2", reachability::state::unreachable);
  (void)poll();
  core_->handle({{{api_.text(), gossip::make_origin("n2", 1), entry_of("/a"), true},
                  {api_.text(), gossip::make_origin("n2", 1), entry_of("/b"), true}},
                 {{gossip::make_origin("n2", 1), reachability::state::gone}},
                 {}});
  EXPECT_EQ(poll(), (told{{{1}, {"own/c"}}}));
}

/// A node with registrations under many keys, two under each, of which subscriber 1 follows the first three.
class removal_of_a_large_node : public receptionist_core {
 protected:
  static constexpr std::size_t keys = 6'000;

  removal_of_a_large_node() {
    core_->handle(changes("n2", 1, false));
    for (std::size_t i = 0; i < 3; ++i) (void)core_->subscribe(key(i), subscriber_id{1});
    remote("k0", "n3", "/stays");
    (void)core_->poll_notices();
  }
  static any_key key(std::size_t number) { return any_key{"k" + std::to_string(number)}; }
  static directory_news changes(std::string_view node, std::uint64_t life, bool vanished) {
    directory_news out;
    for (std::size_t i = 0; i < keys * 2; ++i) {
      out.changes.push_back({key(i / 2).text(), gossip::make_origin(node, life), entry_of("/a", i + 1), vanished});
    }
    return out;
  }
  static directory_news removal() {
    directory_news out = changes("n2", 1, true);
    out.reach.push_back({gossip::make_origin("n2", 1), reachability::state::gone});
    return out;
  }
  static told sorted(told what) {
    std::ranges::sort(what);
    return what;
  }
  /// Keys that readers find something under.
  [[nodiscard]] std::size_t found() const {
    std::size_t out = 0;
    for (std::size_t i = 0; i < keys; ++i) out += shown_->find(key(i)) ? 1U : 0U;
    return out;
  }
  std::size_t turns_until_done() {
    std::size_t turns = 0;
    for (; core_->has_changes(); ++turns) EXPECT_TRUE(poll().empty()) << "it was told already";
    return turns;
  }
};

TEST_F(removal_of_a_large_node, is_seen_by_all_in_the_turn_that_hears_of_it_and_tidied_up_in_later_ones) {
  core_->handle(removal());
  EXPECT_EQ(sorted(poll()), (told{{{1}, {}}, {{1}, {}}, {{1}, {"n3/stays"}}}));
  EXPECT_EQ(found(), 1U);
  EXPECT_GT(shown_->key_count(), keys / 3) << "to take all of them out at once would take long";
  EXPECT_GT(turns_until_done(), 1U);
  EXPECT_EQ(shown_->key_count(), 1U);
  EXPECT_EQ(core_->row_count(), 1U);
  EXPECT_EQ(shown(core_->current(key(0))), paths{"n3/stays"});
}

TEST_F(removal_of_a_large_node, does_not_disturb_its_next_life) {
  core_->handle(removal());
  (void)core_->poll_notices();
  core_->handle(changes("n2", 2, false));
  EXPECT_EQ(poll().size(), 3U);
  EXPECT_EQ(found(), keys);
  (void)turns_until_done();
  EXPECT_EQ(core_->row_count(), keys * 2 + 1);
  for (std::size_t i = 0; i < keys; ++i) {
    shown_->find(key(i))->for_each([](const row& one) {
      EXPECT_TRUE(one.origin->id != gossip::make_origin("n2", 1)) << "of the life that was removed";
    });
  }
}

TEST_F(removal_of_a_large_node, does_not_disturb_the_same_life_met_again) {
  core_->handle(removal());
  (void)core_->poll_notices();
  remote("k1", "n2", "/again");
  EXPECT_EQ(poll(), (told{{{1}, {"n2/again"}}}));
  remote("k1", "n2", "/again", true);
  EXPECT_EQ(poll(), (told{{{1}, {}}}));
  remote("k2", "n2", "/again");
  EXPECT_EQ(poll(), (told{{{1}, {"n2/again"}}}));
  reach("n2", reachability::state::unreachable);
  EXPECT_EQ(poll(), (told{{{1}, {"n2/again?"}}}));
  (void)turns_until_done();
  EXPECT_EQ(found(), 2U);
  EXPECT_EQ(core_->row_count(), 2U);
}

TEST_F(removal_of_a_large_node, tells_nobody_who_subscribed_meanwhile_of_what_has_gone) {
  core_->handle(removal());
  EXPECT_EQ(core_->subscribe(key(7), subscriber_id{2}).rows, nullptr);
  EXPECT_EQ(poll().size(), 3U);
  EXPECT_EQ(core_->subscribe(key(8), subscriber_id{2}).rows, nullptr);
  (void)turns_until_done();
}

TEST_F(removal_of_a_large_node, that_is_met_again_within_the_turn_with_some_of_them_leaves_these) {
  directory_news news = removal();
  std::erase_if(news.changes, [](const gossip::change& one) { return one.key == key(1).text(); });
  news.changes.push_back({key(2).text(), gossip::make_origin("n2", 1), entry_of("/new"), false});
  core_->handle(std::move(news));
  EXPECT_EQ(sorted(poll()), (told{{{1}, {"n2/new"}}, {{1}, {"n3/stays"}}}));
  EXPECT_EQ(found(), 3U);
  EXPECT_EQ(core_->row_count(), 4U);
}

TEST_F(receptionist_core, handles_news_in_pieces_as_at_once) {
  core::news_in_work work{{}};
  for (int i = 0; i < 10; ++i) {
    work.news.changes.push_back({api_.text(), gossip::make_origin("n2", 1), entry_of("/" + std::to_string(i)), false});
  }
  work.news.reach.push_back({gossip::make_origin("n2", 1), reachability::state::unreachable});
  EXPECT_FALSE(core_->handle_some(work, 4));
  EXPECT_EQ(core_->current(api_)->size(), 4U);
  EXPECT_FALSE(core_->handle_some(work, 4));
  EXPECT_TRUE(core_->current(api_)->is_reachable(core_->current(api_)->front())) << "that comes after the changes";
  EXPECT_TRUE(core_->handle_some(work, 4));
  EXPECT_EQ(core_->current(api_)->size(), 10U);
  EXPECT_FALSE(core_->current(api_)->is_reachable(core_->current(api_)->front()));
}

TEST_F(receptionist_core, gives_no_second_place_to_a_subscriber_but_the_listing_again) {
  make({1, 1});
  EXPECT_EQ(core_->subscribe(api_, subscriber_id{1}).what, core::outcome::subscribed);
  (void)core_->add_own(api_, entry_of("/a"));
  const auto again = core_->subscribe(api_, subscriber_id{1});
  EXPECT_EQ(again.what, core::outcome::again);
  EXPECT_EQ(shown(again.rows), paths{"own/a"});
  EXPECT_EQ(core_->subscription_count(), 1U);
  EXPECT_TRUE(poll().empty());
}

TEST_F(receptionist_core, looks_at_the_bound_per_key_before_the_total) {
  make({2, 2});
  (void)core_->subscribe(api_, subscriber_id{1});
  (void)core_->subscribe(api_, subscriber_id{2});
  EXPECT_EQ(core_->subscribe(api_, subscriber_id{3}).what, core::outcome::over_per_key);
  EXPECT_EQ(core_->subscribe(any_key{"other"}, subscriber_id{3}).what, core::outcome::over_total);
}

TEST_F(receptionist_core, frees_the_places_of_who_unsubscribes_or_stops) {
  make({1, 2});
  (void)core_->subscribe(api_, subscriber_id{1});
  (void)core_->subscribe(any_key{"other"}, subscriber_id{1});
  EXPECT_FALSE(core_->unsubscribe(api_, subscriber_id{2}));
  EXPECT_TRUE(core_->unsubscribe(api_, subscriber_id{1}));
  EXPECT_EQ(core_->subscribe(api_, subscriber_id{2}).what, core::outcome::subscribed);
  core_->forget(subscriber_id{1});
  EXPECT_EQ(core_->subscribe(any_key{"third"}, subscriber_id{2}).what, core::outcome::subscribed);
  core_->forget(subscriber_id{2});
  EXPECT_EQ(core_->subscription_count(), 0U);
  EXPECT_EQ(core_->subscribed_key_count(), 0U);
  EXPECT_EQ(core_->subscriber_count(), 0U);
}

TEST_F(receptionist_core, keeps_nothing_of_10000_rejected_subscriptions_to_fresh_keys) {
  make({10, 1});
  (void)core_->subscribe(api_, subscriber_id{1});
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const auto answer = core_->subscribe(any_key{"fresh-" + std::to_string(i)}, subscriber_id{2 + i});
    ASSERT_EQ(answer.what, core::outcome::over_total);
    ASSERT_EQ(answer.rows, nullptr);
  }
  EXPECT_EQ(core_->subscribed_key_count(), 1U);
  EXPECT_EQ(core_->subscriber_count(), 1U);
  EXPECT_FALSE(core_->has_changes());
}

TEST_F(receptionist_core, finds_what_an_actor_has_registered_under_whatever_type) {
  (void)core_->add_own(api_, entry_of("/a", 1, "x"));
  (void)poll();
  (void)core_->add_own(api_, entry_of("/a", 1, "y"));
  (void)core_->add_own(api_, entry_of("/a", 2, "x"));
  (void)core_->add_own(api_, entry_of("/b", 1, "x"));
  EXPECT_EQ(core_->own_entries(api_, gossip::shared_text{"/a"}, 1).size(), 2U);
  (void)core_->remove_own(api_, entry_of("/a", 1, "x"));
  EXPECT_EQ(core_->own_entries(api_, gossip::shared_text{"/a"}, 1),
            (std::vector<gossip::entry>{entry_of("/a", 1, "y")}));
}

TEST_F(receptionist_core, lets_go_of_nodes_that_have_nothing_registered) {
  for (int i = 0; i < 1000; ++i) {
    const std::string node = "n" + std::to_string(i);
    remote("api", node, "/a");
    (void)poll();
    remote("api", node, "/a", true);
    (void)poll();
  }
  EXPECT_LE(core_->origin_count(), 130U);
  EXPECT_LE(shown_->kept(), 4U) << "what readers no longer see is given back as it goes";
}

/// Whatever happens in whatever turns: what is published is what a plain model holds, and each subscriber's last
/// listing is that too, told only when it differs.
RC_GTEST_PROP(receptionist_core_property, agrees_with_a_plain_model, (std::uint64_t seed)) {
  prng random{seed};
  const auto shown_rows = std::make_shared<published>();
  core tested{{3, 8}, shown_rows, gossip::node_id{"own"}, nullptr};
  std::map<std::string, std::set<std::string>> model;
  std::set<std::string> unreachable;
  std::map<std::pair<std::string, std::uint64_t>, paths> told;
  const auto expected = [&](const std::string& key) {
    std::vector<std::string> out;
    for (const auto& one : model[key]) {
      out.push_back(one + (unreachable.contains(one.substr(0, one.find('/'))) ? "?" : ""));
    }
    return out;
  };
  const std::vector<std::string> nodes{"n1", "n2", "own"};
  const bool wide = random.chance(1, 4);  // many rows: several chunks
  for (int step = 0; step < 400; ++step) {
    const std::string key = "k" + std::to_string(random.below(3));
    const std::string node = nodes[random.below(3)];
    // Some paths have the same length, so that their order is that of numbers and of texts.
    const std::string path = "/" + std::to_string(1000 + random.below(wide ? 900 : 6));
    const subscriber_id who{random.below(5)};
    switch (random.below(8)) {
      case 0:
      case 1:
      case 2: {
        const int burst = wide ? 60 : 1;
        for (int i = 0; i < burst; ++i) {
          const std::string each = wide ? "/" + std::to_string(1000 + random.below(900)) : path;
          const bool vanishes = random.chance(1, 3);
          if (node == "own") {
            const bool changed = vanishes ? tested.remove_own(any_key{key}, entry_of(each))
                                          : tested.add_own(any_key{key}, entry_of(each));
            RC_ASSERT(changed == (model[key].contains(node + each) == vanishes));
          } else {
            tested.handle(
                {{{gossip::shared_text{key}, gossip::make_origin(node, 1), entry_of(each), vanishes}}, {}, {}});
          }
          vanishes ? (void)model[key].erase(node + each) : (void)model[key].insert(node + each);
        }
        break;
      }
      case 3: {
        if (node == "own") break;
        const bool down = random.chance(1, 2);
        down ? (void)unreachable.insert(node) : (void)unreachable.erase(node);
        tested.handle(
            {{},
             {{gossip::make_origin(node, 1), down ? reachability::state::unreachable : reachability::state::reachable}},
             {}});
        break;
      }
      case 4: {
        const auto outcome = tested.subscribe(any_key{key}, who);
        if (outcome.what == core::outcome::subscribed || outcome.what == core::outcome::again) {
          told[{key, who.value()}] = shown(outcome.rows);
          RC_ASSERT(shown(outcome.rows) == expected(key));
        }
        break;
      }
      case 5: RC_ASSERT(tested.unsubscribe(any_key{key}, who) == (told.erase({key, who.value()}) == 1)); break;
      case 6: RC_ASSERT(shown(tested.current(any_key{key})) == expected(key)); break;
      default: {
        for (const auto& notice : tested.poll_notices()) {
          for (const auto& to : notice.to) {
            auto& last = told.at({std::string{notice.key.id()}, to.who.value()});
            RC_ASSERT(last == shown(to.told));
            RC_ASSERT(last != shown(notice.rows));
            last = shown(notice.rows);
          }
        }
        for (const auto& [subscription, last] : told) RC_ASSERT(last == expected(subscription.first));
        for (const auto& [each, rows] : model) RC_ASSERT(shown(shown_rows->find(any_key{each})) == expected(each));
      }
    }
    RC_ASSERT(tested.subscription_count() == told.size());
    RC_ASSERT(told.size() <= 8U);
  }
}

}  // namespace
}  // namespace muster::receptionist
