#include "muster/cluster/node.hpp"

#include "muster/cluster/test_cluster.hpp"
#include "muster/gossip/message_codec.hpp"
#include "muster/membership/message_codec.hpp"

namespace muster::cluster::testing {
namespace {

using kind = member_event_kind;

TEST(node, alone_serves_its_own_registrations_at_once) {
  test_cluster c;
  c.start("A");
  c.add("A", "api");
  EXPECT_TRUE(c.run_until([&] { return c.everywhere("api", 1); }, milliseconds{1}));
  EXPECT_TRUE(c.run_until([&] { return c.at("A").last_phase == phase::joined; }, seconds{1}));
}

class cluster_of : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(nodes, cluster_of, ::testing::Values(3, 5, 10));

TEST_P(cluster_of, shows_a_registration_everywhere_within_one_hop) {
  test_cluster c;
  c.start_all(GetParam());
  c.run(seconds{2});
  c.add("B", "api");
  EXPECT_TRUE(c.run_until([&] { return c.everywhere("api", 1); }, c.network.weather.delay_max + milliseconds{1}));
  c.remove("B", "api");
  EXPECT_TRUE(c.run_until([&] { return c.everywhere("api", 0); }, c.network.weather.delay_max + milliseconds{1}));
}

TEST_P(cluster_of, becomes_one_cluster_though_all_start_at_once_with_the_same_seeds) {
  test_cluster c;
  std::vector<std::string> all;
  for (std::size_t i = 0; i < GetParam(); ++i) all.push_back(test_cluster::name_of(i));
  for (const auto& name : all) c.start(name, all);
  for (const auto& name : all) c.add(name, "key of " + name);
  EXPECT_TRUE(c.run_until([&] { return c.all_met() && c.all_equal(); }, seconds{20}));
  EXPECT_EQ(c.sees("A").all.size(), GetParam());
}

TEST(node, registration_from_before_joining_survives) {
  test_cluster c;
  c.start("A");
  c.add("A", "early");
  c.start("B", {"A"});
  c.add("B", "early");
  EXPECT_TRUE(c.run_until([&] { return c.everywhere("early", 2); }, seconds{5}));
}

TEST(node, killed_is_unreachable_at_once_and_gone_when_it_is_removed) {
  test_cluster c;
  c.start_all(3);
  c.add("C", "api");
  ASSERT_TRUE(c.run_until([&] { return c.everywhere("api", 1); }, seconds{1}));
  c.kill("C");
  EXPECT_TRUE(c.run_until([&] { return c.everywhere("api", 0); }, milliseconds{100}))
      << "connections to it break and new ones are refused";
  EXPECT_EQ(c.sees("A").all.size(), 1U) << "it is not removed yet";
  EXPECT_TRUE(c.run_until([&] { return c.sees("A").all.empty() && c.sees("B").all.empty(); },
                          c.how.membership.removal_timeout + seconds{5}));
  c.run(milliseconds{1});
  EXPECT_EQ(c.at("A").count(kind::removed, "C"), 1U);
}

TEST(node, silent_is_found_by_probes) {
  test_cluster c;
  c.start_all(3);
  c.add("C", "api");
  ASSERT_TRUE(c.run_until([&] { return c.everywhere("api", 1); }, seconds{1}));
  c.split({"C"});
  EXPECT_TRUE(c.run_until([&] { return c.sees("A").reachable_keys().empty(); }, seconds{3}));
}

TEST(node, restarted_at_the_same_address_is_a_new_member_at_once_and_leaves_nothing_stale) {
  test_cluster c;
  c.start_all(3);
  c.add("C", "old");
  ASSERT_TRUE(c.run_until([&] { return c.everywhere("old", 1); }, seconds{1}));
  const auto before = c.at("C").handle->self();
  c.kill("C", true);
  c.start("C", {"A"});
  c.add("C", "new");
  EXPECT_GT(c.at("C").handle->self().incarnation, before.incarnation);
  EXPECT_TRUE(c.run_until([&] { return c.all_met() && c.everywhere("new", 1); }, seconds{1}));
  EXPECT_TRUE(c.run_until([&] { return c.all_equal(); }, seconds{1}));
  for (const std::string name : {"A", "B", "C"}) {
    EXPECT_EQ(c.sees(name).all.size(), 1U) << name << " has nothing of the life before";
  }
}

TEST(node, short_partition_heals_and_nothing_is_lost) {
  test_cluster c;
  c.start_all(5);
  c.add("A", "before");
  ASSERT_TRUE(c.run_until([&] { return c.everywhere("before", 1); }, seconds{1}));
  c.split({"A", "B"});
  c.run(seconds{5});
  c.add("A", "left");
  c.add("E", "right");
  c.remove("A", "before");
  c.run(seconds{1});
  EXPECT_EQ(c.sees("B").reachable_keys().count("left"), 1U) << "both sides serve on";
  EXPECT_EQ(c.sees("D").reachable_keys().count("right"), 1U);
  c.network.mend_all();
  EXPECT_TRUE(c.run_until([&] { return c.all_met() && c.all_equal(); }, seconds{30}));
  EXPECT_TRUE(c.everywhere("left", 1) && c.everywhere("right", 1) && c.everywhere("before", 0));
  EXPECT_EQ(c.look("A", [](const node_core& n) { return n.counted().come_backs; }), 0U);
}

TEST(node, long_partition_heals_with_equal_registrations) {
  test_cluster c;
  c.start_all(5);
  for (const auto& name : c.running()) c.add(name, "of " + name);
  ASSERT_TRUE(c.run_until([&] { return c.sees("A").all.size() == 5; }, seconds{1}));
  c.split({"A", "B"});
  c.run(c.how.membership.removal_timeout + seconds{10});
  EXPECT_EQ(c.sees("A").all.size(), 2U) << "the other side was removed";
  EXPECT_EQ(c.sees("C").all.size(), 3U);
  c.network.mend_all();
  EXPECT_TRUE(c.run_until([&] { return c.all_met() && c.all_equal() && c.sees("A").all.size() == 5; }, minutes{1}));
  EXPECT_EQ(c.sees("C").all.size(), 5U);
}

TEST(node, of_a_minority_that_comes_back_does_not_make_the_majority_come_back_as_well) {
  test_cluster c;
  c.start_all(5);
  ASSERT_TRUE(c.run_until([&] { return c.all_met(); }, seconds{5}));
  c.split({"E"});
  c.run(c.how.membership.removal_timeout + seconds{10});
  c.network.mend_all();
  ASSERT_TRUE(c.run_until([&] { return c.all_met() && c.all_equal(); }, minutes{1}));
  c.run(seconds{30});
  EXPECT_TRUE(c.all_met());
  for (const auto* const name : {"A", "B", "C", "D"}) {
    EXPECT_EQ(c.look(name, [](const node_core& n) { return n.counted().come_backs; }), 0U) << name;
  }
  EXPECT_EQ(c.look("E", [](const node_core& n) { return n.counted().come_backs; }), 1U);
}

TEST(node, cut_off_again_right_after_it_came_back_does_not_make_the_others_come_back) {
  test_cluster c;
  c.start_all(4);
  for (const auto& name : c.running()) c.add(name, "of " + name);
  ASSERT_TRUE(c.run_until([&] { return c.all_met() && c.all_equal(); }, seconds{5}));
  const auto come_backs = [&](const std::string& name) {
    return c.look(name, [](const node_core& n) { return n.counted().come_backs; });
  };
  c.split({"D"});
  c.run(c.how.membership.removal_timeout + seconds{10});
  c.network.mend_all();
  ASSERT_TRUE(c.run_until([&] { return come_backs("D") == 1; }, minutes{1}));
  c.split({"D"});
  c.run(c.how.reunion_timeout + c.how.membership.removal_timeout + seconds{10});
  EXPECT_EQ(c.sees("D").all.size(), 1U) << "those that it has not met again are gone";
  c.network.mend_all();
  EXPECT_TRUE(c.run_until([&] { return c.all_met() && c.all_equal() && c.sees("D").all.size() == 4; }, minutes{1}));
  for (const auto* const name : {"A", "B", "C"}) EXPECT_EQ(come_backs(name), 0U) << name;
}

TEST(node, removed_while_alive_learns_it_and_comes_back_with_its_registrations) {
  test_cluster c;
  c.start_all(3);
  c.add("C", "api");
  ASSERT_TRUE(c.run_until([&] { return c.everywhere("api", 1); }, seconds{1}));
  const auto before = c.at("C").handle->self();
  c.split({"C"});
  c.run(c.how.membership.removal_timeout + seconds{10});
  c.network.mend_all();
  EXPECT_TRUE(c.run_until([&] { return c.all_met() && c.everywhere("api", 1) && c.all_equal(); }, minutes{1}));
  EXPECT_GT(c.at("C").handle->self().incarnation, before.incarnation);
  EXPECT_EQ(c.system("C").node(), c.at("C").handle->self()) << "actors speak under the new incarnation, too";
  EXPECT_EQ(c.sees("C").renamed.back(), c.at("C").handle->self());
  EXPECT_EQ(c.sees("A").all.size(), 1U);
}

TEST(node, cut_off_for_longer_than_removals_are_remembered_is_a_member_again) {
  test_cluster c;
  c.how.membership.removed_horizon = seconds{20};
  c.start_all(3);
  c.add("C", "api");
  ASSERT_TRUE(c.run_until([&] { return c.everywhere("api", 1); }, seconds{1}));
  c.split({"C"});
  c.run(c.how.membership.removal_timeout + minutes{2});
  c.network.mend_all();
  EXPECT_TRUE(c.run_until([&] { return c.all_met() && c.everywhere("api", 1) && c.all_equal(); }, minutes{2}));
}

TEST(node, that_forgot_another_one_which_forgot_it_meets_it_again_though_messages_are_lost) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    test_cluster c{seed};
    // So few removals are remembered that both take each other back as members, while gossip refuses both.
    c.how.membership.removed_max = 1;
    c.start_all(4);
    c.add("A", "of A");
    c.add("B", "of B");
    ASSERT_TRUE(c.run_until([&] { return c.everywhere("of A", 1) && c.everywhere("of B", 1); }, seconds{1}));
    c.split({"A", "C"});
    c.run(c.how.membership.removal_timeout + seconds{5});
    c.kill("C");
    c.kill("D");
    c.run(c.how.membership.removal_timeout + seconds{5});
    EXPECT_EQ(c.sees("A").all.size(), 1U);
    c.network.weather.lost_percent = 40;
    c.network.mend_all();
    c.run(seconds{20});
    c.network.weather.lost_percent = 0;
    EXPECT_TRUE(c.run_until([&] { return c.all_met() && c.all_equal() && c.sees("A").all.size() == 2; }, minutes{1}))
        << "seed " << seed;
  }
}

TEST(node, told_by_a_member_that_its_incarnation_is_refused_comes_back) {
  test_cluster c;
  c.start_all(3);
  c.add("C", "api");
  ASSERT_TRUE(c.run_until([&] { return c.everywhere("api", 1); }, seconds{1}));
  const auto before = c.at("C").handle->self();
  c.refuse("C", "A");
  EXPECT_TRUE(
      c.run_until([&] { return c.at("C").handle->self() != before && c.all_met() && c.all_equal(); }, seconds{5}));
  EXPECT_TRUE(c.everywhere("api", 1));
}

TEST(node, that_came_back_does_not_take_another_for_its_earlier_life_when_somebody_still_does) {
  test_cluster c;
  c.start_all(3);
  // B hears nothing of C's next life, and A is refused by B just when it has.
  c.network.cut("at-B", "at-A");
  c.network.cut("at-B", "at-C");
  c.kill("C", true);
  const auto next = c.start("C", {"A"}).handle->self();
  const auto& seen = c.at("A").story;
  ASSERT_TRUE(c.run_until([&] { return seen.contains(next); }, milliseconds{300}));
  c.network.mend("at-B", "at-A");
  const auto before = c.at("A").handle->self();
  c.refuse("A", "B");
  ASSERT_TRUE(c.run_until([&] { return c.at("A").handle->self() != before; }, seconds{1}));
  ASSERT_TRUE(c.run_until([&] { return c.at("A").last_phase == phase::joined; }, seconds{1}));
  c.run(milliseconds{200});
  c.network.mend_all();
  EXPECT_TRUE(c.run_until([&] { return c.all_met() && c.all_equal(); }, seconds{30}));
  EXPECT_TRUE(std::ranges::none_of(c.at("A").events, [&](const member_event& one) {
    return one.node == next && one.kind == member_event_kind::removed;
  })) << "its earlier life was told of by B, who knew no better";
}

/// A knows C by a life of which nobody else has ever heard, whose clock was ahead. C lives on, by the right clock and
/// known to B alone, when A has to come back and joins by B. Gives the life that B knows and the one that A knew.
std::pair<actor_node, actor_node> come_back_with_a_life_that_nobody_else_knows(test_cluster& c) {
  c.start_all(2);
  c.network.cut("at-A", "at-B");
  c.network.cut("at-B", "at-C");
  c.clock_ahead = std::chrono::hours{1};
  const actor_node unmet = c.start("C", {"A"}).handle->self();
  EXPECT_TRUE(c.run_until([&] { return c.at("A").story.contains(unmet); }, seconds{1}));
  c.clock_ahead = {};
  c.kill("C", true);
  c.network.mend("at-B", "at-C");
  c.network.cut("at-A", "at-C");
  const actor_node alive = c.start("C", {"B"}).handle->self();
  c.add("C", "api");
  EXPECT_LT(alive.incarnation, unmet.incarnation);
  EXPECT_TRUE(c.run_until([&] { return c.at("B").story.contains(alive); }, seconds{1}));
  c.refuse("A", "B");
  EXPECT_TRUE(c.run_until([&] { return c.at("A").last_phase == phase::joining; }, seconds{1}));
  c.network.mend("at-A", "at-B");
  EXPECT_TRUE(c.run_until([&] { return c.at("A").last_phase == phase::joined; }, seconds{2}));
  return {alive, unmet};
}

TEST(node, that_came_back_takes_the_life_that_others_know_when_a_later_one_was_not_met_again) {
  test_cluster c;
  const auto [alive, unmet] = come_back_with_a_life_that_nobody_else_knows(c);
  c.network.mend_all();
  c.run(seconds{1});
  const auto& story = c.at("A").story;
  EXPECT_FALSE(story.contains(alive)) << "B might not have heard of the later one yet";
  ASSERT_TRUE(c.run_until([&] { return story.contains(alive); }, c.how.membership.removal_timeout + seconds{4}));
  EXPECT_EQ(story.at(unmet), kind::removed);
  EXPECT_EQ(story.at(alive), kind::up);
  EXPECT_TRUE(c.run_until([&] { return c.all_met() && c.all_equal() && c.everywhere("api", 1); }, seconds{5}));
}

TEST(node, that_came_back_takes_the_life_that_others_know_as_unreachable_when_it_is) {
  test_cluster c;
  const auto [alive, unmet] = come_back_with_a_life_that_nobody_else_knows(c);
  c.run(c.how.membership.removal_timeout - seconds{4});
  c.split({"C"});
  const auto& story = c.at("A").story;
  ASSERT_TRUE(c.run_until([&] { return story.contains(alive); }, c.how.membership.removal_timeout + seconds{4}));
  EXPECT_EQ(story.at(unmet), kind::removed);
  EXPECT_EQ(story.at(alive), kind::unreachable);
  c.network.mend_all();
  EXPECT_TRUE(c.run_until([&] { return c.all_met() && c.all_equal() && c.everywhere("api", 1); }, minutes{1}));
}

// What was told under the old incarnation went out under the new one with the numbers of the old, and later messages of
// those numbers were taken for doubles.
TEST(node, told_something_to_send_in_the_turn_in_which_it_comes_back_loses_nothing_that_is_told_later) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    test_cluster c{seed};
    c.start_all(2);
    const muster::testing::probe<word> receiver{c.system("B")};
    const auto there = c.far("A", receiver.ref());
    for (int i = 0; i < 5; ++i) there.tell({"early"});
    ASSERT_TRUE(c.run_until([&] { return receiver.messages().size() == 5; }, seconds{1}));
    // It may arrive after the other side has met the new incarnation.
    c.network.weather = {.delay_max = milliseconds{20}, .in_order = false};
    const auto before = c.at("A").handle->self();
    there.tell({"meanwhile"});
    c.refuse("A", "B");
    ASSERT_TRUE(c.run_until([&] { return c.at("A").handle->self() != before && c.all_met(); }, seconds{5}));
    for (int i = 0; i < 20; ++i) there.tell({std::to_string(i)});
    c.run(seconds{5});
    std::vector<std::string> later;
    for (const word& one : receiver.messages()) {
      if (one.text != "early" && one.text != "meanwhile") later.push_back(one.text);
    }
    ASSERT_EQ(later.size(), 20U) << "seed " << seed;
    for (std::size_t i = 0; i < later.size(); ++i) EXPECT_EQ(later[i], std::to_string(i)) << "seed " << seed;
  }
}

TEST(node, tells_a_subscriber_who_is_there_and_then_each_change_until_it_is_taken_out) {
  test_cluster c;
  c.start_all(2);
  muster::testing::probe<member_news> subscriber{c.system("A")};
  const node& here = *c.at("A").handle;
  here.subscribe(subscriber.ref());
  here.subscribe(subscriber.ref());
  c.run(milliseconds{1});
  auto told = subscriber.take();
  ASSERT_EQ(told.size(), 1U) << "to subscribe twice is to subscribe once";
  EXPECT_TRUE(told[0].events.empty());
  EXPECT_EQ(told[0].now->members.size(), 2U);
  c.start("C", {"A"});
  ASSERT_TRUE(c.run_until([&] { return c.all_met(); }, seconds{5}));
  c.run(milliseconds{1});
  told = subscriber.take();
  ASSERT_EQ(told.size(), 1U);
  ASSERT_EQ(told[0].events.size(), 1U);
  EXPECT_EQ(told[0].events[0].kind, kind::up);
  EXPECT_EQ(told[0].events[0].node, c.at("C").handle->self());
  EXPECT_EQ(told[0].now->members.size(), 3U);
  here.unsubscribe(subscriber.ref());
  c.leave("C");
  ASSERT_TRUE(c.run_until([&] { return here.members()->members.size() == 2; }, seconds{5}));
  EXPECT_TRUE(subscriber.take().empty());
}

TEST(node, that_leaves_is_gone_everywhere_without_a_timeout) {
  test_cluster c;
  c.start_all(4);
  c.add("D", "api");
  ASSERT_TRUE(c.run_until([&] { return c.everywhere("api", 1); }, seconds{1}));
  bool left = false;
  c.at("D").handle->leave([&] { left = true; });
  EXPECT_TRUE(c.run_until([&] { return left; }, c.how.membership.leave_timeout + milliseconds{100}));
  EXPECT_TRUE(c.run_until([&] { return c.at("D").last_phase == phase::ended; }, milliseconds{1}));
  EXPECT_TRUE(c.at("D").why_ended.empty());
  EXPECT_TRUE(c.run_until([&] { return c.sees("A").all.empty() && c.sees("B").all.empty() && c.sees("C").all.empty(); },
                          seconds{1}));
  EXPECT_EQ(c.at("A").count(kind::left, "D"), 1U);
  bool again = false;
  c.at("D").handle->leave([&] { again = true; });
  EXPECT_TRUE(c.run_until([&] { return again; }, milliseconds{10})) << "who has left has left";
  EXPECT_EQ(c.at("D").handle->members()->members.size(), 1U);
}

TEST(node, whose_system_ends_says_so_to_its_peers) {
  test_cluster c;
  c.start_all(3);
  auto& one = c.at("C");
  one.system->begin_shutdown();
  EXPECT_TRUE(c.run_until([&] { return c.at("A").count(kind::left, "C") == 1; }, seconds{1}));
  EXPECT_TRUE(one.system->has_stopped());
  bool asked = false;
  one.handle->leave([&] { asked = true; });
  EXPECT_TRUE(asked) << "nobody waits for a node that is no more";
}

TEST(node, of_the_minority_stops_serving_where_that_is_asked_for) {
  test_cluster c;
  c.how.membership.keep_majority = true;
  c.how.membership.majority_delay = seconds{2};
  c.start_all(5);
  c.split({"D", "E"});
  EXPECT_TRUE(c.run_until([&] { return c.at("D").last_phase == phase::ended && c.at("E").last_phase == phase::ended; },
                          seconds{20}));
  EXPECT_NE(c.at("D").why_ended.find("majority"), std::string::npos) << c.at("D").why_ended;
  EXPECT_EQ(c.at("A").last_phase, phase::joined);
}

TEST(node, of_an_even_split_stays_on_the_side_with_the_lowest_address) {
  test_cluster c;
  c.how.membership.keep_majority = true;
  c.how.membership.majority_delay = seconds{2};
  c.start_all(4);
  c.split({"A", "D"});
  EXPECT_TRUE(c.run_until([&] { return c.at("B").last_phase == phase::ended && c.at("C").last_phase == phase::ended; },
                          seconds{20}));
  EXPECT_EQ(c.at("A").last_phase, phase::joined);
  EXPECT_EQ(c.at("D").last_phase, phase::joined);
}

TEST(node, that_leaves_waits_until_its_peers_know_though_messages_are_lost) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    test_cluster c{seed};
    c.start_all(3);
    c.network.weather.lost_percent = 30;
    bool left = false;
    std::size_t knew = 0;
    c.at("C").handle->leave([&] {
      left = true;
      knew = c.at("A").count(kind::left, "C") + c.at("B").count(kind::left, "C");
    });
    EXPECT_TRUE(c.run_until([&] { return left; }, c.how.membership.leave_timeout + milliseconds{100}));
    EXPECT_GE(knew, 1U) << "seed " << seed << ": one who knows tells the others";
    c.kill("C");
    EXPECT_TRUE(c.run_until([&] { return c.at("A").count(kind::left, "C") + c.at("B").count(kind::left, "C") == 2; },
                            seconds{5}));
  }
}

TEST(node, answers_a_probe_while_64_mib_of_messages_wait) {
  test_cluster c;
  c.how.arrived_bytes_max = std::size_t{80} * 1024 * 1024;
  c.start_all(2);
  bytes probe;
  c.network.on_send = [&](const std::string& from, const std::string&, channel, const bytes& frame) {
    const auto read = decode_frame(frame);
    if (from != "at-B" || !read || read->header.about != channel::membership) return;
    const auto message = membership::decode(read->payload);
    if (message && std::holds_alternative<membership::ping>(message->what)) probe = frame;
  };
  ASSERT_TRUE(c.run_until([&] { return !probe.empty(); }, seconds{5}));
  c.run(milliseconds{50});
  const auto b = c.at("B").handle->self();
  const auto flood = [&](channel about, std::uint64_t number) {
    bytes payload = about == channel::gossip ? gossip::encode(gossip::root{number}) : bytes{};
    if (about == channel::actors) {
      payload = encode({.to = c.at("A").handle->self().incarnation.value(),
                        .sequence = number,
                        .what = tell{{"/user/nobody", 1}, "test.word", bytes(std::size_t{32} * 1024)}});
    }
    c.network.inject(
        "at-A",
        encode_frame(
            {.about = about, .cluster = cluster_key("shop"), .name = b.name, .incarnation = b.incarnation.value()},
            payload),
        "B");
  };
  constexpr std::uint64_t frames = 2048;
  for (std::uint64_t i = 1; i <= frames; ++i) {
    flood(channel::actors, i);
    flood(channel::gossip, i);
  }
  c.network.inject("at-A", probe, "B");
  std::size_t answers = 0;
  c.network.on_send = [&](const std::string& from, const std::string& to, channel on, const bytes&) {
    answers += from == "at-A" && to == "at-B" && on == channel::membership ? 1U : 0U;
  };
  std::size_t turns = 0;
  while (answers == 0 && turns < 100 && c.executor->step()) ++turns;
  EXPECT_LE(turns, 2U) << "of more than " << 2 * frames / 64 << " that the flood takes";
  EXPECT_EQ(answers, 1U);
  c.run(seconds{1});
  const auto counted = c.look("A", [](const node_core& n) { return n.counted(); });
  EXPECT_GE(counted.frames_received, 2 * frames) << "nothing of the flood is lost";
  EXPECT_TRUE(c.all_met());
}

TEST(node, observer_that_comes_late_is_told_all_at_once) {
  test_cluster c;
  c.start_all(2);
  c.add("A", "one");
  c.add("B", "two");
  ASSERT_TRUE(c.run_until([&] { return c.sees("A").all.size() == 2; }, seconds{1}));
  const auto late = std::make_shared<mirror>();
  c.at("A").handle->post([&](registrations& all) { all.observe(late); });
  c.run(milliseconds{1});
  EXPECT_EQ(late->all, c.sees("A").all);
  EXPECT_EQ(late->news, 1U);
  c.at("A").handle->post([&](registrations& all) { all.stop_observing(*late); });
  c.add("A", "three");
  c.run(milliseconds{1});
  EXPECT_EQ(late->news, 1U);
}

TEST(node, changes_of_one_turn_make_one_news) {
  test_cluster c;
  c.start_all(2);
  c.run(seconds{1});
  const auto before = c.sees("B").news;
  c.at("A").handle->post([](registrations& all) {
    for (std::uint64_t i = 0; i < 100; ++i) {
      EXPECT_TRUE(all.add("many", {gossip::shared_text{"/user/x"}, i + 1, gossip::shared_text{"test"}}));
    }
  });
  EXPECT_TRUE(c.run_until([&] { return c.sees("B").all.size() == 100; }, milliseconds{10}));
  EXPECT_EQ(c.sees("B").news, before + 1);
}

TEST(node, names_who_sends_what_cannot_be_read_once_and_goes_on) {
  test_cluster c;
  c.start_all(2);
  for (int i = 0; i < 10; ++i) {
    c.network.inject("at-A", bytes{1, 2, 3}, "B");
    c.network.inject("at-A", bytes(std::size_t{8} * 1024 * 1024), "B");
    c.network.inject("at-A", bytes{}, "B");
    c.run(milliseconds{1});
  }
  const auto counted = c.look("A", [](const node_core& n) { return n.counted(); });
  EXPECT_EQ(counted.malformed, 20U);
  EXPECT_EQ(counted.oversized, 10U);
  EXPECT_EQ(c.at("A").log.values("offence_in_cluster", "offence"),
            (std::vector<std::string>{"malformed_frame", "oversized_frame"}));
  EXPECT_TRUE(c.all_met());
}

TEST(node, does_not_let_one_speak_for_another) {
  test_cluster c;
  c.start_all(3);
  const auto key = cluster_key("shop");
  const auto b = c.at("B").handle->self();
  const frame_header as_b{
      .about = channel::gossip, .cluster = key, .name = b.name, .incarnation = b.incarnation.value()};
  c.network.inject("at-A", encode_frame(as_b, bytes{1, 1}), "C");
  c.run(milliseconds{10});
  EXPECT_EQ(c.look("A", [](const node_core& n) { return n.counted().impersonated; }), 1U);
  EXPECT_EQ(c.at("A").log.values("offence_in_cluster", "offender"), std::vector<std::string>{"C"});
}

TEST(node, takes_gossip_and_messages_of_members_only) {
  test_cluster c;
  c.start_all(2);
  const frame_header stranger{.about = channel::actors, .cluster = cluster_key("shop"), .name = "X", .incarnation = 7};
  c.network.inject("at-A", encode_frame(stranger, bytes{1}));
  auto earlier = c.at("B").handle->self();
  const frame_header ghost{.about = channel::gossip,
                           .cluster = cluster_key("shop"),
                           .name = "B",
                           .incarnation = earlier.incarnation.value() - 1};
  c.network.inject("at-A", encode_frame(ghost, bytes{1}));
  c.run(milliseconds{10});
  EXPECT_EQ(c.look("A", [](const node_core& n) { return n.counted().from_strangers; }), 2U);
}

TEST(node, of_another_cluster_is_refused_with_a_word_on_it) {
  test_cluster c;
  c.start("A");
  c.how.cluster = "market";
  c.start("Z", {"A"});
  c.run(seconds{5});
  EXPECT_EQ(c.at("A").handle->members()->members.size(), 1U);
  EXPECT_EQ(c.at("Z").handle->members()->members.size(), 1U);
  const auto offences = c.at("Z").log.values("offence_in_cluster", "offence");
  EXPECT_NE(std::ranges::find(offences, "refused_to_let_join"), offences.end());
  EXPECT_EQ(c.at("A").log.values("offence_in_cluster", "offence"), std::vector<std::string>{"frame_of_other_cluster"});
}

TEST(node, idles_at_the_same_cost_however_much_is_registered) {
  const auto idle_bytes = [](std::size_t registered) {
    test_cluster c;
    c.start_all(3);
    for (std::size_t i = 0; i < registered; ++i) c.add("A", fmt::format("key {}", i));
    EXPECT_TRUE(c.run_until([&] { return c.sees("C").all.size() == registered; }, seconds{10}));
    c.run(seconds{30});
    const auto before = c.network.sent_bytes;
    c.run(seconds{30});
    return (c.network.sent_bytes - before) / 30 / 3;
  };
  const auto few = idle_bytes(10);
  const auto many = idle_bytes(1000);
  EXPECT_NEAR(static_cast<double>(few), static_cast<double>(many), static_cast<double>(few) / 10);
  EXPECT_LT(many, 500U) << "bytes a node and second";
}

TEST(join, refuses_options_that_make_no_sense_in_one_sentence) {
  test_cluster c;
  muster::testing::test_system t;
  const auto join_with = [&](auto change) {
    options how;
    change(how);
    return try_join(t.system, how, {.over = c.network.make_transport("at-X")});
  };
  EXPECT_EQ(join_with([](options& o) { o.name = "no/slash"; }).error().code, errc::invalid_argument);
  const auto zero = join_with([](options& o) { o.watch_retry = duration{0}; });
  EXPECT_EQ(zero.error().message, "the cluster option watch_retry is 0 ms; allowed is anything above 0");
  EXPECT_FALSE(join_with([](options& o) { o.gossip.forgotten_horizon = duration{0}; }));
  EXPECT_FALSE(join_with([](options& o) { o.membership.probe_interval = duration{0}; }));
  EXPECT_FALSE(try_join(t.system, {}, {})) << "without a transport";
  EXPECT_TRUE(join_with([](options&) {})) << "what failed before has left nothing behind";
  EXPECT_FALSE(join_with([](options&) {})) << "a system is a node once";
}

}  // namespace
}  // namespace muster::cluster::testing
