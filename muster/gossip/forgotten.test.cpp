// Lives of nodes: what goes with a member, what never comes back, and how one that is forgotten learns it.

#include <gtest/gtest.h>

#include "muster/gossip/stable_hash.hpp"
#include "muster/gossip/test_network.hpp"

namespace muster::gossip::testing {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class lives : public ::testing::Test {
 protected:
  [[nodiscard]] update news_of(const origin_id& who, std::string_view key) {
    const registration what{shared_text{key}, some_entry("/user/x")};
    return {0, {{who, false, version{0}, {{what, false}}, {version{1}, 1, hash_of(key, what.what)}, 0}}};
  }
  network g_;
};

TEST_F(lives, the_registrations_of_a_removed_member_go_and_the_others_stay) {
  g_.start_all(3);
  g_.add("A", "stays");
  g_.add("C", "goes");
  g_.settle();
  const origin_id gone = g_.at("C").id;
  g_.crash("C");
  g_.forget_everywhere(gone);
  EXPECT_FALSE(g_.shows("A", "goes"));
  EXPECT_FALSE(g_.shows("B", "goes"));
  EXPECT_TRUE(g_.shows("B", "stays"));
  EXPECT_EQ(g_.told("A", event_kind::origin_forgotten), 1U);
  EXPECT_FALSE(g_.gossip("A").status_of(gone.node));
  EXPECT_TRUE(g_.all_equal());
}

TEST_F(lives, a_late_message_about_a_forgotten_incarnation_changes_nothing) {
  g_.start_all(3);
  const origin_id gone = g_.at("C").id;
  g_.gossip("A").forget(gone, g_.now());
  g_.inject("A", g_.at("B").id, news_of(gone, "late"));
  g_.inject("A", g_.at("B").id, chunk{gone, {version{1}, 1, 0}, 0, 1, {{shared_text{"late"}, some_entry("/x")}}});
  g_.inject("A", gone, news_of(gone, "late"));
  EXPECT_FALSE(g_.shows("A", "late"));
  EXPECT_EQ(g_.gossip("A").counters().origins_refused, 2U);
}

TEST_F(lives, who_has_not_heard_of_the_removal_cannot_bring_the_entries_back_and_does_not_try_for_ever) {
  g_.start_all(3);
  g_.add("C", "goes");
  g_.settle();
  const origin_id gone = g_.at("C").id;
  g_.crash("C");
  g_.gossip("A").forget(gone, g_.now());
  std::size_t about_gone = 0;
  g_.on_send = [&](const origin_id&, const origin_id&, const message& what) {
    if (const auto* const one = std::get_if<update>(&what)) {
      about_gone += static_cast<std::size_t>(std::ranges::count(one->parts, gone, &origin_update::origin));
    }
  };
  g_.run(seconds{30});
  EXPECT_FALSE(g_.shows("A", "goes"));
  EXPECT_TRUE(g_.shows("B", "goes")) << "its layer above has not said so";
  EXPECT_EQ(about_gone, 0U);
  g_.gossip("B").forget(gone, g_.now());
  g_.run(seconds{1});
  EXPECT_TRUE(g_.all_equal());
}

TEST_F(lives, a_forgotten_origin_that_still_lives_is_told_and_comes_back_with_all_it_has) {
  g_.start_all(3);
  g_.add("C", "one");
  g_.add("C", "two");
  g_.settle();
  const origin_id old = g_.at("C").id;
  g_.gossip("A").forget(old, g_.now());
  g_.gossip("B").forget(old, g_.now());
  ASSERT_TRUE(g_.run_until([&] { return g_.at("C").forgotten_self.has_value(); }, seconds{5}));
  EXPECT_EQ(g_.at("C").forgotten_self->reason, forgotten_reason::forgotten);
  EXPECT_EQ(g_.at("C").forgotten_self->above, incarnation{1});
  EXPECT_FALSE(g_.gossip("C").reincarnate(incarnation{1}));

  ASSERT_TRUE(g_.gossip("C").reincarnate(incarnation{2}));
  g_.at("C").id = make_origin("C", 2);
  for (const char* const name : {"A", "B"}) {
    g_.introduce(name, "C");
  }
  g_.pump(g_.at("C"));
  g_.settle();
  for (const char* const name : {"A", "B", "C"}) {
    EXPECT_EQ(g_.gossip(name).entry_count("one"), 1U) << name;
    g_.gossip(name).for_each_entry(
        "two", [&](const origin_id& origin, const entry&) { EXPECT_EQ(origin, make_origin("C", 2)) << name; });
  }
  EXPECT_TRUE(g_.all_equal());
  EXPECT_FALSE(g_.inconsistent);
}

TEST_F(lives, being_forgotten_is_told_once) {
  g_.start_all(3);
  for (int i = 0; i < 5; ++i) {
    g_.inject("C", g_.at("A").id, forgotten{g_.at("C").id});
    g_.inject("C", g_.at("B").id, forgotten{g_.at("C").id});
  }
  EXPECT_EQ(g_.told("C", event_kind::forgotten_self), 1U);
  g_.inject("C", g_.at("B").id, forgotten{make_origin("C", 9)});
  EXPECT_EQ(g_.told("C", event_kind::forgotten_self), 2U) << "the next incarnation must be greater still";
  EXPECT_FALSE(g_.gossip("C").reincarnate(incarnation{9}));
  EXPECT_TRUE(g_.gossip("C").reincarnate(incarnation{10}));
}

TEST_F(lives, a_member_of_a_forgotten_incarnation_is_refused_and_told) {
  g_.start_all(2);
  const origin_id gone = g_.at("B").id;
  g_.gossip("A").forget(gone, g_.now());
  g_.introduce("A", "B");
  g_.settle();
  EXPECT_TRUE(g_.at("B").forgotten_self);
  EXPECT_EQ(g_.told("A", event_kind::forgotten_came_back), 1U);
  g_.add("B", "refused");
  g_.run(seconds{3});
  EXPECT_FALSE(g_.shows("A", "refused"));
}

TEST_F(lives, one_whose_clock_was_set_back_learns_at_once_which_incarnation_it_has_to_exceed) {
  g_.start_all(2);
  g_.gossip("A").forget(make_origin("B", 1000), g_.now());
  g_.introduce("A", "B");
  g_.settle();
  ASSERT_TRUE(g_.at("B").forgotten_self);
  EXPECT_EQ(g_.at("B").forgotten_self->above, incarnation{1000}) << "else it would come back again and again";
}

TEST_F(lives, two_nodes_that_forgot_each_other_both_learn_it_though_messages_are_lost) {
  g_.start_all(2);
  const origin_id a = g_.at("A").id;
  const origin_id b = g_.at("B").id;
  g_.gossip("A").forget(b, g_.now());
  g_.gossip("B").forget(a, g_.now());
  g_.cut("A", "B");
  g_.introduce("A", "B");
  g_.introduce("B", "A");
  g_.run(seconds{3});
  EXPECT_FALSE(g_.at("A").forgotten_self || g_.at("B").forgotten_self);
  g_.mend_all();
  EXPECT_TRUE(g_.run_until([&] { return g_.at("A").forgotten_self && g_.at("B").forgotten_self; }, seconds{3}));
  const auto sent = g_.at("A").messages_sent;
  g_.run(seconds{10});
  EXPECT_LE(g_.at("A").messages_sent - sent, 12U) << "a refusal is not answered by a refusal";
}

TEST_F(lives, a_node_that_comes_back_does_not_make_those_that_it_had_forgotten_come_back_as_well) {
  g_.start_all(3);
  g_.add("B", "of-b");
  g_.add("C", "of-c");
  const origin_id a = g_.at("A").id;
  for (const auto* const other : {"B", "C"}) {
    g_.gossip("A").forget(g_.at(other).id, g_.now());
    g_.gossip(other).forget(a, g_.now());
  }
  ASSERT_TRUE(g_.gossip("A").reincarnate(incarnation{2}));
  g_.at("A").id = make_origin("A", 2);
  for (const auto* const other : {"B", "C"}) {
    g_.introduce("A", other);
    g_.introduce(other, "A");
  }
  EXPECT_TRUE(g_.run_until([&] { return g_.shows("A", "of-b") && g_.shows("A", "of-c"); }, seconds{10}));
  EXPECT_FALSE(g_.at("B").forgotten_self || g_.at("C").forgotten_self);
}

TEST_F(lives, one_that_was_let_go_is_gone_until_it_is_met_again) {
  g_.start_all(2);
  g_.add("B", "of-b");
  g_.run(seconds{1});
  g_.gossip("A").let_go(g_.at("B").id);
  g_.pump(g_.at("A"));
  EXPECT_FALSE(g_.shows("A", "of-b"));
  g_.introduce("A", "B");
  EXPECT_TRUE(g_.run_until([&] { return g_.shows("A", "of-b"); }, seconds{10}));
  EXPECT_FALSE(g_.at("B").forgotten_self);
}

TEST_F(lives, a_refused_member_that_goes_is_told_no_more) {
  g_.start_all(2);
  const origin_id gone = g_.at("B").id;
  g_.gossip("A").forget(gone, g_.now());
  g_.introduce("A", "B");
  g_.gossip("A").handle_member_unreachable(gone);
  g_.crash("B");
  const auto sent = g_.at("A").messages_sent;
  g_.run(seconds{10});
  EXPECT_EQ(g_.at("A").messages_sent, sent);
}

TEST_F(lives, a_member_that_was_refused_is_taken_when_the_horizon_has_passed) {
  g_.how.forgotten_horizon = minutes{1};
  g_.start_all(2);
  const origin_id gone = g_.at("B").id;
  g_.add("B", "again");
  g_.run(seconds{1});
  g_.gossip("A").forget(gone, g_.now());
  g_.introduce("A", "B");
  EXPECT_FALSE(g_.shows("A", "again"));
  EXPECT_TRUE(g_.run_until([&] { return g_.shows("A", "again"); }, minutes{2}));
}

TEST_F(lives, after_the_horizon_a_forgotten_incarnation_may_be_a_member_again) {
  g_.how.forgotten_horizon = hours{1};
  g_.start_all(2);
  const origin_id gone = g_.at("B").id;
  g_.gossip("A").forget(gone, g_.now());
  g_.pause("B");
  g_.run(minutes{61});
  g_.introduce("A", "B");
  g_.resume("B");
  g_.add("B", "again");
  g_.run(seconds{3});
  EXPECT_TRUE(g_.shows("A", "again"));
}

TEST_F(lives, a_later_incarnation_takes_the_place_of_the_earlier_at_once) {
  g_.start_all(3);
  g_.add("C", "of-the-first");
  g_.settle();
  g_.start("C", 2);
  g_.introduce("A", "C");
  EXPECT_FALSE(g_.shows("A", "of-the-first"));
  EXPECT_EQ(g_.told("A", event_kind::origin_superseded), 1U);
  g_.add("C", "of-the-second");
  g_.introduce("C", "A");
  // B still believes in the first; it neither spoils A nor is spoilt.
  g_.run(seconds{5});
  EXPECT_FALSE(g_.shows("A", "of-the-first"));
  EXPECT_TRUE(g_.shows("A", "of-the-second"));
  EXPECT_TRUE(g_.shows("B", "of-the-first"));
  g_.introduce("B", "C");
  EXPECT_FALSE(g_.shows("B", "of-the-first"));
  EXPECT_TRUE(g_.run_until([&] { return g_.shows("B", "of-the-second"); }, seconds{5}));
}

TEST_F(lives, an_earlier_incarnation_changes_nothing_once_a_later_one_is_known) {
  g_.start_all(2);
  g_.start("C", 5);
  g_.introduce("A", "C");
  g_.gossip("A").handle_member_up(make_origin("C", 4), g_.now());
  g_.gossip("A").forget(make_origin("C", 4), g_.now());
  g_.inject("A", g_.at("B").id, news_of(make_origin("C", 4), "stale"));
  g_.inject("A", g_.at("B").id, news_of(make_origin("C", 5), "right"));
  EXPECT_FALSE(g_.shows("A", "stale"));
  EXPECT_TRUE(g_.shows("A", "right"));
}

TEST_F(lives, news_of_nobody_known_are_refused) {
  g_.start_all(2);
  g_.inject("A", g_.at("B").id, news_of(make_origin("stranger", 1), "x"));
  EXPECT_FALSE(g_.shows("A", "x"));
  g_.inject("A", make_origin("stranger", 1), news_of(make_origin("stranger", 1), "x"));
  EXPECT_FALSE(g_.shows("A", "x"));
  g_.inject("A", g_.at("B").id, news_of(make_origin("B", 2), "x"));
  EXPECT_FALSE(g_.shows("A", "x")) << "a later life that the layer above has not named";
  EXPECT_EQ(g_.gossip("A").registration_count(), 0U);
}

TEST_F(lives, who_meets_a_later_life_of_its_own_name_needs_a_later_one_still) {
  g_.start_all(2);
  g_.inject("A", g_.at("B").id, news_of(make_origin("A", 7), "other"));
  ASSERT_TRUE(g_.at("A").forgotten_self);
  EXPECT_EQ(g_.at("A").forgotten_self->reason, forgotten_reason::superseded);
  EXPECT_EQ(g_.at("A").forgotten_self->above, incarnation{7});
  EXPECT_FALSE(g_.shows("A", "other"));
}

TEST_F(lives, operations_of_its_own_that_a_node_never_made_are_an_impostors) {
  g_.start_all(2);
  g_.inject("A", g_.at("B").id, news_of(g_.at("A").id, "forged"));
  ASSERT_TRUE(g_.at("A").forgotten_self);
  EXPECT_EQ(g_.at("A").forgotten_self->reason, forgotten_reason::impostor);
  EXPECT_FALSE(g_.shows("A", "forged"));
}

TEST_F(lives, all_nodes_restart_at_once_and_nothing_of_before_is_left) {
  g_.start_all(5);
  for (auto& [name, one] : g_.nodes()) {
    g_.add(name, "before");
  }
  g_.run(seconds{2});
  for (int i = 0; i < 5; ++i) {
    g_.start(network::name_of(static_cast<std::size_t>(i)), 2);
  }
  g_.join_all();
  for (auto& [name, one] : g_.nodes()) {
    g_.add(name, "after");
  }
  EXPECT_TRUE(g_.run_until([&] { return g_.all_equal(); }, seconds{5}));
  EXPECT_EQ(g_.gossip("A").entry_count("before"), 0U);
  EXPECT_EQ(g_.gossip("E").entry_count("after"), 5U);
}

TEST_F(lives, a_jump_of_the_clock_loses_nothing) {
  g_.start_all(3);
  g_.add("A", "stays");
  g_.pause("C");
  g_.run(hours{30});
  g_.resume("C");
  g_.add("B", "new");
  g_.run(seconds{5});
  EXPECT_TRUE(g_.all_equal());
  EXPECT_EQ(g_.gossip("C").registration_count(), 2U);
}

TEST_F(lives, a_node_that_is_called_to_life_anew_keeps_its_order_and_loses_nothing_of_a_large_state) {
  g_.how.log_operations_max = 100;
  g_.start_all(2);
  for (int i = 0; i < 5000; ++i) {
    ASSERT_TRUE(g_.gossip("A").add(fmt::format("key-{}", i), some_entry("/user/a")));
  }
  g_.pump(g_.at("A"));
  g_.settle();
  ASSERT_TRUE(g_.gossip("A").reincarnate(incarnation{3}));
  g_.at("A").id = make_origin("A", 3);
  g_.introduce("B", "A");
  EXPECT_EQ(g_.gossip("B").registration_count(), 0U);
  g_.pump(g_.at("A"));
  g_.settle();
  EXPECT_EQ(g_.gossip("B").registration_count(), 5000U);
  EXPECT_TRUE(g_.all_equal());
  int next = 0;
  g_.gossip("B").for_each_registration(node_id{"A"}, [&](const shared_text& key, const entry&) {
    EXPECT_EQ(key.view(), fmt::format("key-{}", next++));
  });
}

}  // namespace
}  // namespace muster::gossip::testing
