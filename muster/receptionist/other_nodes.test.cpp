#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "muster/receptionist/test_receptionist.hpp"

namespace muster::receptionist::testing {
namespace {

struct other_message {
  static constexpr std::string_view message_name = "test.other";
};
struct unnamed_message {};

class other_nodes : public ::testing::Test {
 protected:
  test_system t_;
  std::shared_ptr<told_directory> cluster_{std::make_shared<told_directory>()};
  handle receptionist_{start(t_.system, cluster_)};
  probe<api_news> subscriber_{t_.system, {.name = "subscriber"}};
  probe<api_message> api_{t_.system, {.name = "api"}};

  void SetUp() override { t_.run(); }
  listing<api_message> current() { return receptionist_.lookup(api_key); }
};

TEST_F(other_nodes, get_what_is_registered_here_before_it_is_acknowledged) {
  const auto answers =
      t_.system.spawn<registered>("answers", [this](const registered&) { cluster_->log.emplace_back("acknowledged"); });
  receptionist_.tell(register_{api_key, api_.ref(), answers});
  receptionist_.tell(register_{service_key<api_message>{"other"}, api_.ref()});
  t_.run();
  EXPECT_EQ(cluster_->log, (paths{"add api-service /user/api", "add other /user/api", "commit", "acknowledged"}));
  cluster_->log.clear();
  receptionist_.tell(register_{api_key, api_.ref()});
  receptionist_.tell(deregister{api_key, api_.ref()});
  t_.run();
  EXPECT_EQ(cluster_->log, (paths{"remove api-service /user/api", "commit"}));
}

TEST_F(other_nodes, are_listed_with_refs_of_their_actors) {
  receptionist_.tell(register_{api_key, api_.ref()});
  receptionist_.tell(subscribe{api_key, subscriber_.ref()});
  cluster_->tell("api-service", "n2", "/user/x");
  t_.run();
  EXPECT_EQ(shown(current().refs), (paths{"n2/user/x", "/user/api"}));
  const auto far = current().refs[0];
  EXPECT_EQ(far.address(), (actor_address{{"n2", node_incarnation{1}}, "/user/x", actor_incarnation{5}}));
  EXPECT_EQ(shown(std::get<listing<api_message>>(subscriber_.take().back()).refs), (paths{"n2/user/x", "/user/api"}));
}

TEST_F(other_nodes, that_cannot_be_reached_leave_refs_and_stay_in_all_refs) {
  receptionist_.tell(register_{api_key, api_.ref()});
  receptionist_.tell(subscribe{api_key, subscriber_.ref()});
  cluster_->tell("api-service", "n2", "/user/x");
  t_.run();
  (void)subscriber_.take();
  cluster_->tell("n2", reachability::state::unreachable);
  t_.run();
  ASSERT_EQ(subscriber_.messages().size(), 1U);
  const auto news = std::get<listing<api_message>>(subscriber_.take()[0]);
  EXPECT_EQ(shown(news.refs), paths{"/user/api"});
  EXPECT_EQ(shown(news.all_refs), (paths{"n2/user/x", "/user/api"}));
  cluster_->tell("n2", reachability::state::unreachable);
  t_.run();
  EXPECT_TRUE(subscriber_.messages().empty());
  cluster_->tell("n2", reachability::state::reachable);
  t_.run();
  EXPECT_EQ(current().refs.size(), 2U);
  EXPECT_EQ(subscriber_.messages().size(), 1U);
}

TEST_F(other_nodes, that_flap_make_no_storm) {
  receptionist_.tell(subscribe{api_key, subscriber_.ref()});
  cluster_->tell("api-service", "n2", "/user/x");
  t_.run();
  (void)subscriber_.take();
  for (int i = 0; i < 100; ++i) {
    cluster_->tell("n2", reachability::state::unreachable);
    cluster_->tell("n2", reachability::state::reachable);
  }
  t_.run();
  EXPECT_TRUE(subscriber_.messages().empty());
}

TEST_F(other_nodes, that_are_removed_leave_a_smaller_listing) {
  receptionist_.tell(register_{api_key, api_.ref()});
  receptionist_.tell(subscribe{api_key, subscriber_.ref()});
  cluster_->tell("api-service", "n2", "/user/x");
  t_.run();
  (void)subscriber_.take();
  cluster_->tell("api-service", "n2", "/user/x", true);
  cluster_->tell("n2", reachability::state::gone);
  t_.run();
  ASSERT_EQ(subscriber_.messages().size(), 1U);
  EXPECT_EQ(shown(std::get<listing<api_message>>(subscriber_.messages()[0]).all_refs), paths{"/user/api"});
}

TEST_F(other_nodes, that_bring_or_take_much_at_once_make_nobody_wait_for_all_of_it) {
  constexpr int many = 10'000;
  const auto all = [](bool vanished) {
    directory_news out;
    for (int i = 0; i < many; ++i) {
      out.changes.push_back({gossip::shared_text{fmt::format("k{}", i)},
                             gossip::make_origin("n2", 1),
                             {gossip::shared_text{"/user/x"}, 5, gossip::shared_text{"test.api"}},
                             vanished});
    }
    return out;
  };
  const service_key<api_message> last_key{fmt::format("k{}", many - 1)};
  probe<listing<api_message>> asker{t_.system};
  cluster_->tell(all(false));
  receptionist_.tell(find{last_key, asker.ref()});
  t_.run();
  EXPECT_EQ(receptionist_.lookup(last_key).all_refs.size(), 1U);
  // Not all of them go: each by itself.
  cluster_->tell("k-stays", "n2", "/user/x");
  cluster_->tell(all(true));
  receptionist_.tell(find{last_key, asker.ref()});
  t_.run();
  EXPECT_TRUE(receptionist_.lookup(last_key).all_refs.empty());
  ASSERT_EQ(asker.messages().size(), 2U);
  EXPECT_EQ(asker.messages()[0].all_refs.size(), 0U) << "it was answered before all had come";
  EXPECT_EQ(asker.messages()[1].all_refs.size(), 1U) << "and before all had gone";
}

TEST_F(other_nodes, that_give_a_key_another_type_are_left_out_counted_and_logged_once) {
  probe<listing<api_message>> asker{t_.system};
  cluster_->tell("api-service", "n2", "/user/x", false, "test.other");
  cluster_->tell("api-service", "n2", "/user/y", false, "test.other");
  cluster_->tell("api-service", "n3", "/user/z");
  for (int i = 0; i < 3; ++i) receptionist_.tell(find{api_key, asker.ref()});
  t_.run();
  ASSERT_EQ(asker.messages().size(), 3U);
  EXPECT_EQ(shown(asker.messages()[0].all_refs), paths{"n3/user/z"});
  cluster_->tell("api-service", "n3", "/user/w");
  t_.run();
  EXPECT_EQ(current().refs.size(), 2U);
  EXPECT_EQ(t_.log.values("service_type_differs", "registered"), paths{"test.other"});
  EXPECT_EQ(t_.log.values("service_type_differs", "asked_for"), paths{"test.api"});
  EXPECT_EQ(t_.log.values("service_type_differs", "first_left_out"), paths{"n2/user/x#5"});
  EXPECT_EQ(receptionist_.counters().mismatched_types, 1U);
  EXPECT_EQ(shown(receptionist_.lookup(service_key<other_message>{"api-service"}).refs),
            (paths{"n2/user/x", "n2/user/y"}));
}

TEST_F(other_nodes, whose_only_registration_has_another_type_are_counted_though_nobody_looks) {
  receptionist_.tell(subscribe{api_key, subscriber_.ref()});
  cluster_->tell("api-service", "n2", "/user/x", false, "test.other");
  t_.run();
  EXPECT_EQ(receptionist_.counters().mismatched_types, 1U);
  EXPECT_EQ(t_.log.values("service_type_differs", "first_left_out"), paths{"n2/user/x#5"});
}

TEST_F(other_nodes, that_give_a_key_another_type_make_no_listing_for_who_would_see_no_change) {
  probe<any_listing> all_types{t_.system};
  receptionist_.tell(subscribe{api_key, subscriber_.ref()});
  receptionist_.tell(subscribe{any_key{"api-service"}, all_types.ref()});
  const auto heard = [&] {
    t_.run();
    return std::pair{subscriber_.take().size(), all_types.take().size()};
  };
  using both = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(heard(), both(1, 1));
  const service_key<other_message> other_key{"api-service"};
  const auto odd = t_.system.spawn<other_message>("odd", [](const other_message&) {});
  receptionist_.tell(register_{other_key, odd});
  EXPECT_EQ(heard(), both(0, 1)) << "the first of all";
  EXPECT_EQ(receptionist_.counters().mismatched_types, 1U) << "counted though nobody is told";
  EXPECT_EQ(t_.log.values("service_type_differs", "first_left_out").size(), 1U);
  EXPECT_EQ(receptionist_.counters().listings_told, 3U);
  receptionist_.tell(register_{api_key, api_.ref()});
  EXPECT_EQ(heard(), both(1, 1));
  cluster_->tell("api-service", "n2", "/user/x", false, "test.other");
  EXPECT_EQ(heard(), both(0, 1)) << "among others";
  cluster_->tell("n2", reachability::state::unreachable);
  EXPECT_EQ(heard(), both(0, 1)) << "reachability of others";
  cluster_->tell("api-service", "n3", "/user/y");
  EXPECT_EQ(heard(), both(1, 1));
  cluster_->tell("n3", reachability::state::unreachable);
  EXPECT_EQ(heard(), both(1, 1)) << "reachability of its own";
  receptionist_.tell(deregister{api_key, odd});
  receptionist_.tell(deregister{api_key, api_.ref()});
  EXPECT_EQ(heard(), both(1, 1));
  cluster_->tell("api-service", "n3", "/user/y", true);
  EXPECT_EQ(heard(), both(1, 1)) << "the last of its own";
  cluster_->tell("api-service", "n2", "/user/x", true, "test.other");
  EXPECT_EQ(heard(), both(0, 1)) << "the last of all";
  EXPECT_EQ(receptionist_.counters().mismatched_types, 1U);
}

TEST_F(other_nodes, that_give_a_large_key_another_type_make_its_listings_no_dearer_for_who_does_not_look) {
  receptionist_.tell(subscribe{api_key, subscriber_.ref()});
  directory_news many;
  for (int i = 0; i < 20'000; ++i) {
    many.changes.push_back({gossip::shared_text{"api-service"},
                            gossip::make_origin("n2", 1),
                            {gossip::shared_text{fmt::format("/user/{}", i)}, 5, gossip::shared_text{"test.api"}},
                            false});
  }
  cluster_->tell(std::move(many));
  t_.run();
  const auto changes_cost = [&] {
    const std::clock_t begin = std::clock();  // of this process alone
    for (int i = 0; i < 100; ++i) {
      cluster_->tell("api-service", "n3", "/user/x", i % 2 == 1);
      t_.run();
    }
    EXPECT_EQ(subscriber_.take().size(), 100U);
    return std::clock() - begin;
  };
  (void)subscriber_.take();
  const auto of_one_type = changes_cost();
  cluster_->tell("api-service", "n1", "/user/odd", false, "test.other");
  t_.run();
  (void)subscriber_.take();
  EXPECT_EQ(t_.log.values("service_type_differs", "first_left_out"), paths{"n1/user/odd#5"});
  const auto of_two_types = changes_cost();
  EXPECT_LT(of_two_types, 20 * of_one_type + CLOCKS_PER_SEC / 100) << "all refs were made for each listing";
  EXPECT_EQ(current().refs.size(), 20'000U);
}

TEST_F(other_nodes, whose_type_has_no_name_are_left_out_since_nobody_knows_what_they_take) {
  cluster_->tell("unnamed", "n2", "/user/x", false, "");
  const auto local = t_.system.spawn<unnamed_message>("u", [](const unnamed_message&) {});
  const service_key<unnamed_message> key{"unnamed"};
  receptionist_.tell(register_{key, local});
  t_.run();
  EXPECT_EQ(shown(receptionist_.lookup(key).refs), paths{"/user/u"}) << "within one process a type needs no name";
  EXPECT_EQ(t_.log.values("service_stays_on_this_node", "key"), paths{"unnamed"});
}

TEST_F(other_nodes, over_whose_bound_a_registration_would_go_never_hear_of_it) {
  probe<outcome> answers{t_.system};
  cluster_->refuses = true;
  receptionist_.tell(register_{api_key, api_.ref(), answers.ref()});
  t_.run();
  ASSERT_EQ(answers.messages().size(), 1U);
  const auto& refused = std::get<register_refused>(answers.messages()[0]);
  EXPECT_EQ(refused.reason, refusal::over_bound);
  EXPECT_EQ(refused.sentence, "as many registrations as may be");
  EXPECT_TRUE(current().refs.empty());
  EXPECT_TRUE(cluster_->log.empty());
}

TEST_F(other_nodes, whose_bound_is_only_found_to_be_exceeded_later_take_a_registration_back) {
  receptionist_.tell(register_{api_key, api_.ref()});
  receptionist_.tell(subscribe{api_key, subscriber_.ref()});
  t_.run();
  (void)subscriber_.take();
  const gossip::entry entry{gossip::shared_text{"/user/api"}, api_.ref().address().incarnation.value(),
                            gossip::shared_text{api_message::message_name}};
  cluster_->tell({{}, {}, {{{api_key.text(), entry}, "all nodes together have as many as may be"}}});
  t_.run();
  EXPECT_EQ(subscriber_.messages().size(), 1U);
  EXPECT_TRUE(current().refs.empty());
  EXPECT_EQ(t_.log.values("registration_withdrawn", "cause"), paths{"all nodes together have as many as may be"});
  EXPECT_EQ(receptionist_.counters().refused, 1U);
}

TEST_F(other_nodes, whose_directory_fails_cost_neither_the_receptionist_nor_a_registration) {
  probe<outcome> answers{t_.system};
  cluster_->fails = true;
  receptionist_.tell(register_{api_key, api_.ref(), answers.ref()});
  t_.run();
  EXPECT_EQ(answers.messages().size(), 1U);
  EXPECT_EQ(current().refs.size(), 1U);
  EXPECT_EQ(receptionist_.counters().failures, 1U);
  EXPECT_EQ(t_.log.values("receptionist_failed", "cause"), paths{"as told"});
  EXPECT_FALSE(receptionist_.ref().is_stopped());
}

TEST_F(other_nodes, cannot_be_told_what_has_no_codec) {
  cluster_->tell("api-service", "n2", "/user/x");
  t_.run();
  current().refs[0].tell(api_message{1});
  EXPECT_EQ(t_.system.dead_letters().count(dead_letter_reason::unreachable), 1U);
}

TEST_F(other_nodes, are_heard_no_more_after_the_receptionist_has_stopped) {
  EXPECT_TRUE(cluster_->is_attached());
  t_.system.stop(receptionist_.ref());
  t_.run();
  EXPECT_FALSE(cluster_->is_attached());
}

/// Any messages in any order, under any order of turns: the receptionist lives, a subscriber ends with what the lookup
/// says, and what was registered and not taken back is there.
RC_GTEST_PROP(receptionist_under_any_orders, loses_nothing, (std::uint64_t seed)) {
  test_system t{"test", seed};
  prng random{seed};
  const auto cluster = std::make_shared<told_directory>();
  const auto receptionist = start(t.system, cluster, options{}.max_subscribers_per_key(2).max_subscribers_total(3));
  t.run();
  std::vector<std::unique_ptr<probe<api_message>>> actors;
  std::vector<bool> expected;
  std::vector<std::unique_ptr<probe<api_news>>> subscribers;
  for (int i = 0; i < 4; ++i) {
    actors.push_back(std::make_unique<probe<api_message>>(t.system, spawn_options{.name = "a" + std::to_string(i)}));
    expected.push_back(false);
    subscribers.push_back(std::make_unique<probe<api_news>>(t.system));
  }
  bool far = false;
  for (int step = 0; step < 200; ++step) {
    const auto i = static_cast<std::size_t>(random.below(4));
    switch (random.below(8)) {
      case 0:
        receptionist.tell(register_{api_key, actors[i]->ref()});
        expected[i] = true;
        break;
      case 1:
        receptionist.tell(deregister{api_key, actors[i]->ref()});
        expected[i] = false;
        break;
      case 2: receptionist.tell(subscribe{api_key, subscribers[i]->ref()}); break;
      case 3: receptionist.tell(unsubscribe{api_key, subscribers[i]->ref()}); break;
      case 4: receptionist.tell(find{api_key, subscribers[i]->ref()}); break;
      case 5:
        far = random.chance(1, 2);
        cluster->tell("api-service", "n2", "/user/x", !far);
        break;
      case 6: receptionist.tell(register_{api_key, actor_ref<api_message>{}}); break;
      default:
        for (auto turns = random.below(4); turns > 0; --turns) (void)t.executor->step();
    }
  }
  t.run();
  paths truth;
  if (far) truth.emplace_back("n2/user/x");
  for (std::size_t i = 0; i < 4; ++i) {
    if (expected[i]) truth.push_back("/user/a" + std::to_string(i));
  }
  RC_ASSERT(shown(receptionist.lookup(api_key).refs) == truth);
  RC_ASSERT(receptionist.counters().failures == 0U);
  // Whoever has a place now hears the truth at the next change, and had it before.
  for (const auto& one : subscribers) (void)one->take();
  cluster->tell("api-service", "n3", "/user/y");
  t.run();
  std::size_t subscribed = 0;
  for (const auto& one : subscribers) {
    RC_ASSERT(one->messages().size() <= 1U);
    subscribed += one->messages().size();
    for (const auto& news : one->messages()) {
      RC_ASSERT(std::get<listing<api_message>>(news).refs == receptionist.lookup(api_key).refs);
    }
  }
  RC_ASSERT(subscribed <= 2U);
}

}  // namespace
}  // namespace muster::receptionist::testing
