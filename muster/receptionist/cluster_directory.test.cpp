#include "muster/receptionist/cluster_directory.hpp"

#include <set>

#include "muster/receptionist/group_router.hpp"
#include "muster/receptionist/test_receptionists.hpp"

namespace muster::receptionist::testing {
namespace {

class receptionists_of : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(nodes, receptionists_of, ::testing::Values(2, 3));

TEST_P(receptionists_of, show_a_registration_to_a_remote_subscriber_within_one_hop) {
  receptionists r;
  r.start_all(GetParam());
  (void)r.told("B");
  r.add("A", "one");
  EXPECT_TRUE(r.c.run_until([&] { return r.everywhere(1); }, r.hop()));
  r.c.run(milliseconds{1});
  const auto news = r.told("B");
  ASSERT_EQ(news.size(), 1U);
  EXPECT_EQ(shown(news[0].refs), paths{"A/user/one"});
  EXPECT_EQ(news[0].refs[0].address().node, r.c.at("A").handle->self());
}

TEST_P(receptionists_of, answer_find_with_what_others_have_registered) {
  receptionists r;
  r.start_all(GetParam());
  r.add("A", "one");
  r.add("B", "two");
  ASSERT_TRUE(r.c.run_until([&] { return r.everywhere(2); }, r.hop()));
  probe<listing<word>> asker{r.c.system("B")};
  r.at("B").tell(find{word_key, asker.ref()});
  r.c.run(milliseconds{1});
  ASSERT_EQ(asker.messages().size(), 1U);
  EXPECT_EQ(shown(asker.messages()[0].refs), (paths{"A/user/one", "/user/two"}));
}

TEST_P(receptionists_of, take_a_deregistered_actor_out_of_every_listing) {
  receptionists r;
  r.start_all(GetParam());
  const auto one = r.add("A", "one").ref();
  ASSERT_TRUE(r.c.run_until([&] { return r.everywhere(1); }, r.hop()));
  probe<deregistered> answers{r.c.system("A")};
  r.at("A").tell(deregister{word_key, one, answers.ref()});
  EXPECT_TRUE(r.c.run_until([&] { return r.everywhere(0); }, r.hop()));
  EXPECT_EQ(answers.messages().size(), 1U);
  EXPECT_FALSE(one.is_stopped());
}

TEST_P(receptionists_of, list_an_actor_registered_while_alive_until_it_stops) {
  receptionists r;
  r.start_all(GetParam());
  const auto one = r.actor("A", "one").ref();
  r.at("A").tell(register_{word_key, one}.while_alive());
  ASSERT_TRUE(r.c.run_until([&] { return r.everywhere(1); }, r.hop()));
  r.c.system("A").stop(one);
  EXPECT_TRUE(r.c.run_until([&] { return r.everywhere(0); }, r.hop()));
}

TEST_P(receptionists_of, make_one_listing_of_what_is_registered_in_one_turn) {
  receptionists r;
  r.start_all(GetParam());
  (void)r.told("B");
  for (const std::string name : {"one", "two", "three"}) r.add("A", name);
  EXPECT_TRUE(r.c.run_until([&] { return r.everywhere(3); }, r.hop()));
  r.c.run(seconds{3});
  EXPECT_EQ(r.told("B").size(), 1U) << "and comparisons bring nothing new";
}

// --- refs of a listing ---

TEST(refs_of_a_remote_listing, can_be_told_and_watched) {
  receptionists r;
  r.start_all(2);
  probe<word>& one = r.add("A", "one");
  ASSERT_TRUE(r.c.run_until([&] { return r.everywhere(1); }, r.hop()));
  const auto far = r.at("B").lookup(word_key).refs[0];
  std::vector<std::string> heard;
  const auto watching = r.c.system("B").spawn<word>("watcher", [&](actor_context<word>& self, const word& what) {
    heard.push_back(what.text);
    if (what.text == "go") self.watch(far, word{"ended"});
  });
  watching.tell(word{"go"});
  far.tell(word{"hello"});
  ASSERT_TRUE(r.c.run_until([&] { return !one.messages().empty(); }, r.hop()));
  EXPECT_EQ(one.messages()[0].text, "hello");
  r.c.run(seconds{1});
  r.c.system("A").stop(one.ref());
  EXPECT_TRUE(r.c.run_until([&] { return heard == paths{"go", "ended"}; }, seconds{1}));
  r.c.run(seconds{3});
  EXPECT_EQ(heard, (paths{"go", "ended"})) << "once";
  EXPECT_EQ(r.refs("B"), paths{"A/user/one"}) << "whoever is not watched stays registered";
}

TEST(refs_of_a_remote_listing, equal_those_that_come_with_a_message) {
  receptionists r;
  r.start_all(2);
  probe<word>& one = r.add("A", "one");
  ASSERT_TRUE(r.c.run_until([&] { return r.everywhere(1); }, r.hop()));
  const auto came = muster::message::remote_ref_of<word>(r.c.system("B").core(), one.ref().address());
  EXPECT_EQ(any_ref{r.at("B").lookup(word_key).refs[0]}, any_ref{came});
}

// --- nodes that go and come ---

TEST(a_node_that_is_removed, leaves_a_smaller_listing) {
  receptionists r;
  r.start_all(3);
  r.add("A", "stays");
  r.add("C", "goes");
  ASSERT_TRUE(r.c.run_until([&] { return r.everywhere(2); }, r.hop()));
  r.kill("C");
  EXPECT_TRUE(r.become("B", {"A/user/stays"}, milliseconds{100})) << "it is unreachable at once";
  EXPECT_EQ(r.all_refs("B").size(), 2U);
  r.c.run(milliseconds{1});
  (void)r.told("B");
  EXPECT_TRUE(r.c.run_until([&] { return r.all_refs("B").size() == 1 && r.all_refs("A").size() == 1; },
                            r.c.how.membership.removal_timeout + seconds{5}));
  r.c.run(milliseconds{1});
  const auto news = r.told("B");
  ASSERT_EQ(news.size(), 1U);
  EXPECT_EQ(shown(news[0].all_refs), paths{"A/user/stays"});
}

TEST(a_node_that_leaves, takes_its_registrations_with_it_at_once) {
  receptionists r;
  r.start_all(3);
  r.add("C", "goes");
  ASSERT_TRUE(r.c.run_until([&] { return r.everywhere(1); }, r.hop()));
  r.c.leave("C");
  EXPECT_TRUE(r.c.run_until([&] { return r.all_refs("A").empty() && r.all_refs("B").empty(); }, seconds{1}));
  EXPECT_EQ(r.refs("C"), paths{"/user/goes"}) << "it serves itself on";
}

TEST(a_node_that_cannot_be_reached, leaves_refs_stays_in_all_refs_and_comes_back) {
  receptionists r;
  r.start_all(3);
  r.add("C", "far");
  ASSERT_TRUE(r.c.run_until([&] { return r.everywhere(1); }, r.hop()));
  (void)r.told("A");
  r.c.split({"C"});
  ASSERT_TRUE(r.become("A", {}, seconds{3}));
  EXPECT_EQ(r.all_refs("A"), paths{"C/user/far"});
  r.c.network.mend_all();
  EXPECT_TRUE(r.become("A", {"C/user/far"}, seconds{8}));
  r.c.run(seconds{3});
  const auto news = r.told("A");
  ASSERT_EQ(news.size(), 2U) << "one for each real change";
  EXPECT_TRUE(news[0].refs.empty());
  EXPECT_EQ(news[0].all_refs.size(), 1U);
  EXPECT_EQ(shown(news[1].refs), paths{"C/user/far"});
}

TEST(a_link_that_flaps, makes_no_storm_of_listings) {
  receptionists r;
  r.start_all(3);
  r.add("C", "far");
  ASSERT_TRUE(r.c.run_until([&] { return r.everywhere(1); }, r.hop()));
  (void)r.told("A");
  for (int i = 0; i < 50; ++i) {
    r.c.network.break_connection("at-A", "at-C");
    r.c.network.cut("at-A", "at-C");
    r.c.run(milliseconds{50});
    r.c.network.mend_all();
    r.c.run(milliseconds{50});
  }
  r.c.run(seconds{5});
  EXPECT_TRUE(r.told("A").empty());
  EXPECT_EQ(r.refs("A"), paths{"C/user/far"});
}

TEST(a_registration_before_joining, survives) {
  receptionists r;
  r.start("A");
  r.add("A", "one");
  r.start("B", {"A"});
  r.add("B", "two");
  EXPECT_TRUE(r.c.run_until([&] { return r.everywhere(2); }, seconds{5}));
}

TEST(a_registration_at_the_instant_of_joining, notifies_subscribers) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    receptionists r{seed};
    r.start("A");
    r.c.run(seconds{1});
    r.start("B", {"A"});
    r.c.run(duration{static_cast<duration::rep>(r.c.random().below(5'000'000))});
    r.add("A", "here");
    r.add("B", "there");
    EXPECT_TRUE(r.c.run_until([&] { return r.everywhere(2); }, seconds{2})) << "seed " << seed;
    r.c.run(milliseconds{1});
    EXPECT_EQ(r.told("A").back().refs.size(), 2U);
    EXPECT_EQ(r.told("B").back().refs.size(), 2U);
  }
}

TEST(an_actor_stopped_and_respawned_under_its_name, is_registered_anew) {
  receptionists r;
  r.start_all(2);
  const auto before = r.actor("A", "one").ref();
  r.at("A").tell(register_{word_key, before}.while_alive());
  ASSERT_TRUE(r.c.run_until([&] { return r.everywhere(1); }, r.hop()));
  r.c.system("A").stop(before);
  ASSERT_TRUE(r.c.run_until([&] { return before.is_stopped(); }, seconds{1}));
  const auto after = r.actor("A", "one").ref();
  r.at("A").tell(register_{word_key, after}.while_alive());
  r.c.run(seconds{1});
  const auto now = r.at("B").lookup(word_key).refs;
  ASSERT_EQ(now.size(), 1U);
  EXPECT_EQ(now[0].address(), after.address());
  EXPECT_NE(now[0].address(), before.address());
}

TEST(a_node_restarted_at_the_same_address, leaves_nothing_stale) {
  receptionists r;
  r.start_all(3);
  r.add("C", "old");
  ASSERT_TRUE(r.c.run_until([&] { return r.everywhere(1); }, r.hop()));
  r.kill("C", true);
  r.start("C", {"A"});
  r.add("C", "new");
  EXPECT_TRUE(r.c.run_until([&] { return r.all_refs("A") == paths{"C/user/new"}; }, seconds{1}));
  EXPECT_TRUE(r.c.run_until([&] { return r.all_refs("B") == paths{"C/user/new"}; }, seconds{1}));
  EXPECT_EQ(r.at("A").lookup(word_key).refs[0].address().node, r.c.at("C").handle->self());
}

TEST(a_registration_after_a_deregistration, is_not_blocked) {
  receptionists r;
  r.start_all(2);
  const auto one = r.add("A", "one").ref();
  ASSERT_TRUE(r.c.run_until([&] { return r.everywhere(1); }, r.hop()));
  for (int i = 0; i < 10; ++i) {
    r.at("A").tell(deregister{word_key, one});
    if (i % 2 == 0) r.c.run(milliseconds{i});
    r.at("A").tell(register_{word_key, one});
    EXPECT_TRUE(r.c.run_until([&] { return r.everywhere(1); }, r.hop()));
  }
  r.at("A").tell(deregister{word_key, one});
  EXPECT_TRUE(r.c.run_until([&] { return r.everywhere(0); }, r.hop()));
}

TEST(a_node_that_comes_back_under_a_new_incarnation, changes_nothing_for_its_own_subscribers) {
  receptionists r;
  r.start_all(3);
  r.add("C", "one");
  ASSERT_TRUE(r.c.run_until([&] { return r.everywhere(1); }, r.hop()));
  const auto before = r.c.at("C").handle->self();
  r.c.split({"C"});
  r.c.run(r.c.how.membership.removal_timeout + seconds{8});
  ASSERT_TRUE(r.all_refs("A").empty());
  (void)r.told("C");
  r.c.network.mend_all();
  ASSERT_TRUE(r.c.run_until([&] { return r.everywhere(1) && r.c.all_met(); }, minutes{1}));
  r.c.run(seconds{2});
  const auto after = r.c.at("C").handle->self();
  EXPECT_GT(after.incarnation, before.incarnation);
  EXPECT_EQ(r.at("A").lookup(word_key).refs[0].address().node, after);
  EXPECT_TRUE(r.told("C").empty());
  EXPECT_EQ(r.at("C").lookup(word_key).refs[0].address().node, after) << "a ref of this node shows its present name";
}

// --- histories ---

/// Registers and deregisters on all nodes, on a network that loses, doubles and reorders, with nodes that stop for a
/// while: no subscriber sees an entry come back after it went, and in the end all see the truth.
TEST(a_subscriber, never_sees_an_entry_come_back_that_was_removed) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    receptionists r{seed};
    r.start_all(3);
    r.c.network.weather = {.lost_percent = 10, .doubled_percent = 10, .delay_max = milliseconds{30}, .in_order = false};
    std::map<std::string, std::set<std::string>> present;
    std::map<std::string, std::set<std::string>> gone;
    const auto look = [&] {
      for (const std::string at : {"A", "B", "C"}) {
        for (const auto& news : r.told(at)) {
          std::set<std::string> now;
          for (const auto& one : news.all_refs) now.insert(fmt::format("{}", one.address()));
          for (const auto& one : present[at]) {
            if (!now.contains(one)) gone[at].insert(one);
          }
          for (const auto& one : now) {
            EXPECT_FALSE(gone[at].contains(one)) << one << " came back at " << at << ", seed " << seed;
          }
          present[at] = std::move(now);
        }
      }
    };
    std::vector<std::pair<std::string, actor_ref<word>>> listed;
    for (int step = 0; step < 150; ++step) {
      const std::string on = test_cluster::name_of(static_cast<std::size_t>(r.c.random().below(3)));
      if (listed.empty() || r.c.random().chance(3, 5)) {
        listed.emplace_back(on, r.add(on, "actor" + std::to_string(step)).ref());
      } else {
        const auto which = listed.begin() + static_cast<std::ptrdiff_t>(r.c.random().below(listed.size()));
        r.at(which->first).tell(deregister{word_key, which->second});
        listed.erase(which);
      }
      r.c.run(duration{static_cast<duration::rep>(r.c.random().below(60'000'000))});
      look();
    }
    r.c.network.weather = {};
    std::set<std::string> truth;
    for (const auto& [on, one] : listed) truth.insert(fmt::format("{}", one.address()));
    EXPECT_TRUE(r.c.run_until(
        [&] {
          look();
          return present["A"] == truth && present["B"] == truth && present["C"] == truth;
        },
        seconds{30}))
        << "seed " << seed;
  }
}

// --- starting ---

TEST(starting_a_receptionist, twice_with_the_same_node_gives_the_same_one) {
  receptionists r;
  r.start("A");
  const auto again = start(r.c.system("A"), r.c.at("A").handle, options{}.max_subscribers_per_key(7));
  EXPECT_EQ(again, r.at("A"));
  EXPECT_EQ(again.settings().max_subscribers_per_key, 1000U) << "its options stay as they are";
  const auto local = try_start(r.c.system("A"), nullptr);
  ASSERT_TRUE(local);
  EXPECT_EQ(*local, again);
}

TEST(starting_a_receptionist, for_a_node_alone_and_then_with_a_cluster_is_an_error_that_says_so) {
  test_cluster c;
  c.start("A");
  (void)start(c.system("A"), std::shared_ptr<cluster::node>{});
  const auto second = try_start(c.system("A"), c.at("A").handle);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, errc::conflict);
  EXPECT_EQ(second.error().message,
            "the receptionist of 'A' was started for this node alone and cannot join a cluster now: start it with the "
            "cluster first");
}

TEST(starting_a_receptionist, with_the_node_of_another_system_is_an_error) {
  receptionists r;
  r.start_all(2);
  EXPECT_EQ(try_start(r.c.system("A"), r.c.at("B").handle).error().code, errc::conflict);
}

// --- stopping ---

TEST(a_receptionist_that_is_stopped, withdraws_its_registrations_at_once_while_its_node_goes_on) {
  receptionists r;
  r.start_all(2);
  r.add("A", "one");
  r.add("A", "two");
  r.add("B", "other");
  ASSERT_TRUE(r.c.run_until([&] { return r.everywhere(3); }, r.hop()));
  (void)r.told("B");
  r.c.system("A").stop(r.at("A").ref());
  EXPECT_TRUE(r.become("B", {"/user/other"}, r.hop()));
  r.c.run(seconds{3});
  const auto news = r.told("B");
  ASSERT_EQ(news.size(), 1U);
  EXPECT_EQ(shown(news[0].all_refs), paths{"/user/other"});
  EXPECT_TRUE(r.c.all_met());
}

TEST(a_receptionist_that_is_stopped, leaves_room_for_another_one_on_its_node) {
  receptionists r;
  r.start_all(2);
  const auto kept = r.add("A", "kept").ref();
  r.add("A", "old");
  ASSERT_TRUE(r.c.run_until([&] { return r.everywhere(2); }, r.hop()));
  const auto first = r.at("A");
  r.c.system("A").stop(first.ref());
  ASSERT_TRUE(r.c.run_until([&] { return first.ref().is_stopped(); }, seconds{1}));
  r.open("A");
  EXPECT_NE(r.at("A"), first);
  r.at("A").tell(register_{word_key, kept});
  EXPECT_TRUE(r.become("B", {"A/user/kept"}, seconds{1}));
  r.c.run(seconds{3});
  EXPECT_EQ(r.refs("B"), paths{"A/user/kept"});
  EXPECT_EQ(r.refs("A"), paths{"/user/kept"});
}

TEST(a_receptionist_that_is_stopped, withdraws_many_in_several_turns_and_what_its_successor_registers_stays) {
  constexpr std::size_t many = 5'000;
  receptionists r;
  r.start_all(2);
  const auto one = r.actor("A", "one").ref();
  for (std::size_t i = 0; i < many; ++i) r.at("A").tell(register_{service_key<word>{fmt::format("k{}", i)}, one});
  const auto known_at = [&](const std::string& name) {
    return r.c.look(name, [](const cluster::node_core& n) { return n.registrations().registration_count(); });
  };
  ASSERT_TRUE(r.c.run_until([&] { return known_at("B") == many; }, seconds{5}));
  const auto first = r.at("A");
  r.c.system("A").stop(first.ref());
  ASSERT_TRUE(r.c.run_until([&] { return first.ref().is_stopped(); }, seconds{1}));
  r.open("A");
  r.at("A").tell(register_{service_key<word>{"k17"}, one});
  EXPECT_TRUE(r.c.run_until([&] { return known_at("A") == 1 && known_at("B") == 1; }, seconds{5}));
  r.c.run(seconds{3});
  EXPECT_EQ(r.at("B").lookup(service_key<word>{"k17"}).refs.size(), 1U);
}

TEST(a_system_that_shuts_down_without_leaving_first, takes_its_registrations_with_it_at_once) {
  receptionists r;
  r.start_all(2);
  r.add("A", "one");
  ASSERT_TRUE(r.c.run_until([&] { return r.everywhere(1); }, r.hop()));
  r.c.system("A").begin_shutdown();
  EXPECT_TRUE(r.c.run_until([&] { return r.all_refs("B").empty(); }, seconds{1}));
}

// --- the gossip interval ---

TEST(the_gossip_interval, of_the_receptionist_is_the_one_of_the_node) {
  receptionists r;
  r.start("A", {}, options{}.gossip_interval(milliseconds{100}));
  r.start("B", {"A"}, options{}.configuration({{"cluster.receptionist.gossip-interval", "100ms"}}));
  r.start("C", {"A"});
  ASSERT_TRUE(r.c.run_until([&] { return r.c.all_met(); }, seconds{20}));
  EXPECT_EQ(r.c.at("B").handle->gossip_interval(), milliseconds{100});
  EXPECT_EQ(r.at("C").settings().gossip_interval, seconds{1});
  const auto comparisons = [&](const std::string& name) {
    return r.c.look(name, [](const cluster::node_core& n) { return n.registrations().counters().comparisons_begun; });
  };
  const auto a = comparisons("A");
  const auto c = comparisons("C");
  r.c.run(seconds{10});
  EXPECT_NEAR(static_cast<double>(comparisons("A") - a), 100, 12);
  EXPECT_NEAR(static_cast<double>(comparisons("C") - c), 10, 2);
}

TEST(the_gossip_interval, that_contradicts_the_node_is_refused) {
  test_cluster c;
  c.how.gossip.gossip_interval = milliseconds{250};
  c.start("A");
  const auto refused = try_start(c.system("A"), c.at("A").handle, options{}.gossip_interval(seconds{2}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, errc::conflict);
  EXPECT_EQ(
      refused.error().message,
      "the gossip interval is to be 2000 ms, but the node 'A' was given 250 ms when it joined: give it one of the "
      "two only");
  const auto silent = try_start(c.system("A"), c.at("A").handle);
  ASSERT_TRUE(silent);
  EXPECT_EQ(silent->settings().gossip_interval, milliseconds{250}) << "who says none has the node's";
}

TEST(the_gossip_interval, too_long_for_what_the_node_remembers_is_refused) {
  test_cluster c;
  c.start("A");
  const auto refused = try_start(c.system("A"), c.at("A").handle, options{}.gossip_interval(minutes{10}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, errc::invalid_argument);
  EXPECT_EQ(refused.error().message,
            "cluster.receptionist.gossip-interval is 10m; allowed is 1ms to 5m (a twelfth of cluster.removed-horizon, "
            "or 1s where that is more)");
}

TEST(the_gossip_interval, may_be_as_long_as_the_settings_page_says) {
  test_cluster c;
  const auto takes = [&](const std::string& name, duration horizon, duration interval) {
    c.how.membership.removed_horizon = horizon;
    c.start(name);
    return try_start(c.system(name), c.at(name).handle, options{}.gossip_interval(interval)).has_value();
  };
  EXPECT_TRUE(takes("A", minutes{60}, minutes{5}));
  EXPECT_TRUE(takes("B", minutes{720}, minutes{60}));
  EXPECT_TRUE(takes("C", seconds{1}, seconds{1}));
  EXPECT_FALSE(takes("D", seconds{1}, milliseconds{1001}));
  EXPECT_TRUE(takes("E", seconds{60}, milliseconds{1}));
}

// --- routers ---

TEST(group_routers_by_hash, choose_alike_on_all_nodes) {
  receptionists r;
  r.start_all(3);
  const auto by_text = group_router<word>::by_hash([](const word& what) { return what.text; });
  // The nodes come to know them in different orders, and some have seen one more.
  for (const std::string name : {"C", "A", "B"}) {
    (void)r.add(name, "one");
    (void)r.add(name, "two");
  }
  const auto brief = r.add("B", "brief").ref();
  ASSERT_TRUE(r.c.run_until([&] { return r.everywhere(7); }, seconds{1}));
  r.at("B").tell(deregister{word_key, brief});
  r.start("D", {"A"});
  ASSERT_TRUE(r.c.run_until([&] { return r.everywhere(6); }, seconds{20}));
  std::set<actor_address> used;
  for (int i = 0; i < 300; ++i) {
    const word what{std::to_string(i)};
    const auto chosen = group_router<word>{r.at("A"), word_key, by_text}.pick(what).address();
    used.insert(chosen);
    for (const std::string other : {"B", "C", "D"}) {
      EXPECT_EQ(group_router<word>(r.at(other), word_key, by_text).pick(what).address(), chosen) << other << ", " << i;
    }
  }
  EXPECT_EQ(used.size(), 6U);
}

// --- bounds ---

TEST(a_registration_that_finds_no_room_among_all_nodes, is_taken_back_with_an_error_in_the_log) {
  receptionists r;
  r.c.how.gossip.keys_max = 2;
  r.start_all(2);
  r.add("B", "theirs");
  ASSERT_TRUE(r.c.run_until([&] { return r.everywhere(1); }, r.hop()));
  const auto mine = r.actor("A", "mine").ref();
  for (const std::string id : {"k1", "k2"}) r.at("A").tell(register_{service_key<word>{id}, mine});
  r.c.run(seconds{1});
  EXPECT_EQ(r.c.at("A").log.values("registration_withdrawn", "key"), paths{"k2"});
  EXPECT_EQ(r.at("A").lookup(service_key<word>{"k1"}).refs.size(), 1U);
  EXPECT_TRUE(r.at("A").lookup(service_key<word>{"k2"}).refs.empty());
  r.at("A").tell(deregister{service_key<word>{"k1"}, mine});
  r.at("A").tell(register_{service_key<word>{"k2"}, mine});
  EXPECT_TRUE(r.c.run_until([&] { return r.at("B").lookup(service_key<word>{"k2"}).refs.size() == 1; }, seconds{1}))
      << "there is room again";
}

}  // namespace
}  // namespace muster::receptionist::testing
