// A change made here: visible here at once, told to others at once.

#include <gtest/gtest.h>

#include "muster/gossip/test_network.hpp"

namespace muster::gossip::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class push : public ::testing::Test {
 protected:
  network g_;
};

TEST_F(push, a_change_is_visible_at_home_before_anything_is_handed_out) {
  g_.start("A");
  ASSERT_TRUE(*g_.gossip("A").add("api", some_entry("/user/a")));
  EXPECT_EQ(g_.gossip("A").entry_count("api"), 1U);
  EXPECT_EQ(g_.gossip("A").status_of(node_id{"A"})->at, version{1});
  ASSERT_TRUE(g_.gossip("A").remove("api", some_entry("/user/a")));
  EXPECT_EQ(g_.gossip("A").entry_count("api"), 0U);
  EXPECT_EQ(g_.gossip("A").key_count(), 0U);
}

TEST_F(push, a_change_goes_to_every_peer_as_one_message_and_needs_no_timer) {
  g_.start_all(4);
  ASSERT_TRUE(g_.gossip("A").add("api", some_entry("/user/a")));
  const ready effects = g_.gossip("A").poll_ready();
  ASSERT_EQ(effects.messages.size(), 1U);
  EXPECT_EQ(effects.messages[0].to.size(), 3U);
  ASSERT_EQ(effects.changes.size(), 1U);
  EXPECT_FALSE(effects.changes[0].vanished);
  EXPECT_EQ(effects.changes[0].key.view(), "api");

  g_.add("B", "db");
  g_.settle();
  for (const char* const name : {"A", "B", "C", "D"}) {
    EXPECT_TRUE(g_.shows(name, "db")) << name;
  }
  g_.remove("B", "db");
  g_.settle();
  for (const char* const name : {"A", "B", "C", "D"}) {
    EXPECT_FALSE(g_.shows(name, "db")) << name;
  }
}

TEST_F(push, several_changes_of_one_turn_travel_together) {
  g_.start_all(2);
  for (const char* const key : {"a", "b", "c"}) {
    ASSERT_TRUE(g_.gossip("A").add(key, some_entry("/user/a")));
  }
  const ready effects = g_.gossip("A").poll_ready();
  ASSERT_EQ(effects.messages.size(), 1U);
  const auto& parts = std::get<update>(effects.messages[0].what).parts;
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].operations.size(), 3U);
  EXPECT_EQ(parts[0].after.at, version{3});
}

TEST_F(push, what_is_known_already_is_no_change) {
  g_.start_all(2);
  g_.add("A", "api");
  const auto before = g_.at("A").messages_sent;
  EXPECT_FALSE(*g_.gossip("A").add("api", network::entry_for("api", 1)));
  EXPECT_FALSE(g_.gossip("A").remove("api", network::entry_for("api", 2))) << "another incarnation of the actor";
  EXPECT_FALSE(g_.gossip("A").remove("none", network::entry_for("api", 1)));
  g_.pump(g_.at("A"));
  EXPECT_EQ(g_.at("A").messages_sent, before);
  EXPECT_EQ(g_.at("A").changes, 1U);
}

TEST_F(push, what_comes_and_goes_within_a_turn_is_no_change_but_is_numbered) {
  g_.start_all(2);
  ASSERT_TRUE(g_.gossip("A").add("api", some_entry("/user/a")));
  ASSERT_TRUE(g_.gossip("A").remove("api", some_entry("/user/a")));
  g_.pump(g_.at("A"));
  g_.settle();
  EXPECT_EQ(g_.at("A").changes, 0U);
  EXPECT_EQ(g_.at("B").changes, 0U);
  EXPECT_EQ(g_.gossip("B").status_of(node_id{"A"})->at, version{2});
}

TEST_F(push, a_large_turn_is_cut_into_messages_within_the_bound) {
  g_.how.message_bytes_max = 8192;
  g_.start_all(2);
  for (int i = 0; i < 2000; ++i) {
    ASSERT_TRUE(g_.gossip("A").add(fmt::format("key-{}", i), some_entry("/user/a")));
  }
  g_.pump(g_.at("A"));
  g_.settle();
  EXPECT_EQ(g_.gossip("B").registration_count(), 2000U);
  EXPECT_LE(g_.at("A").longest_message, 8192U);
  EXPECT_EQ(g_.gossip("B").counters().gaps_seen, 0U);
}

TEST_F(push, a_registration_from_before_joining_is_known_after_it) {
  g_.start("A");
  g_.add("A", "early");
  g_.run(seconds{5});
  g_.start("B");
  g_.join_all();
  g_.settle();
  EXPECT_TRUE(g_.shows("B", "early"));
}

TEST_F(push, who_registers_and_joins_at_the_same_instant_is_seen_whoever_learns_of_whom_first) {
  for (const bool newcomer_first : {true, false}) {
    network g;
    g.start("A");
    g.start("B");
    g.add("B", "fresh");
    g.introduce(newcomer_first ? "B" : "A", newcomer_first ? "A" : "B");
    g.settle();  // the other one drops what it gets from somebody who is no member
    g.add("B", "more");
    g.introduce(newcomer_first ? "A" : "B", newcomer_first ? "B" : "A");
    g.settle();
    EXPECT_TRUE(g.shows("A", "fresh")) << newcomer_first;
    EXPECT_TRUE(g.shows("A", "more")) << newcomer_first;
  }
}

TEST_F(push, many_entries_under_one_key_from_many_nodes_are_all_read) {
  g_.start_all(5);
  for (auto& [name, one] : g_.nodes()) {
    for (std::uint64_t life = 1; life <= 3; ++life) {
      g_.add(name, "workers", life);
    }
  }
  g_.settle();
  EXPECT_EQ(g_.gossip("C").entry_count("workers"), 15U);
  std::map<origin_id, int> by_origin;
  g_.gossip("C").for_each_entry("workers", [&](const origin_id& origin, const entry&) { ++by_origin[origin]; });
  EXPECT_EQ(by_origin.size(), 5U);
  EXPECT_EQ(by_origin[make_origin("A", 1)], 3);
  std::size_t of_one = 0;
  g_.gossip("C").for_each_registration(node_id{"B"}, [&](const shared_text&, const entry&) { ++of_one; });
  EXPECT_EQ(of_one, 3U);
}

TEST_F(push, a_registration_after_a_deregistration_is_not_held_back) {
  g_.start_all(3);
  for (int i = 0; i < 3; ++i) {
    g_.add("A", "again");
    g_.settle();
    EXPECT_TRUE(g_.shows("B", "again"));
    g_.remove("A", "again");
    g_.settle();
    EXPECT_FALSE(g_.shows("B", "again"));
  }
}

TEST_F(push, a_deregistration_is_not_lost_among_changes_of_others_or_while_a_peer_is_away) {
  g_.start_all(3);
  g_.add("A", "goes");
  g_.settle();
  g_.gossip("A").handle_member_unreachable(g_.at("C").id);
  g_.add("B", "concurrent");
  g_.remove("A", "goes");
  g_.add("C", "concurrent");
  g_.run(seconds{5});
  g_.introduce("A", "C");
  g_.run(seconds{5});
  for (const char* const name : {"A", "B", "C"}) {
    EXPECT_FALSE(g_.shows(name, "goes")) << name;
    EXPECT_EQ(g_.gossip(name).entry_count("concurrent"), 2U) << name;
  }
}

TEST_F(push, an_entry_that_was_removed_never_comes_back_whatever_arrives_late) {
  g_.start_all(3);
  std::vector<update> all;
  g_.on_send = [&](const origin_id&, const origin_id&, const message& what) {
    if (const auto* const one = std::get_if<update>(&what)) {
      all.push_back(*one);
    }
  };
  for (int i = 0; i < 10; ++i) {
    g_.add("A", "flips");
    g_.remove("A", "flips");
  }
  g_.settle();
  g_.on_send = nullptr;
  const std::size_t changes = g_.at("B").changes;
  for (int round = 0; round < 2; ++round) {
    for (const update& old : all) {
      g_.inject("B", g_.at("C").id, old);
      EXPECT_FALSE(g_.shows("B", "flips"));
    }
    std::ranges::reverse(all);
  }
  EXPECT_EQ(g_.at("B").changes, changes);
}

TEST_F(push, an_unreachable_peer_gets_nothing_and_keeps_its_registrations) {
  g_.start_all(3);
  g_.add("C", "stays");
  g_.settle();
  g_.gossip("A").handle_member_unreachable(g_.at("C").id);
  std::size_t to_c = 0;
  g_.on_send = [&](const origin_id& from, const origin_id& to, const message&) {
    to_c += from == g_.at("A").id && to == g_.at("C").id ? 1U : 0U;
  };
  g_.add("A", "new");
  g_.run(seconds{1});
  EXPECT_EQ(to_c, 0U);
  EXPECT_TRUE(g_.shows("A", "stays"));
  g_.introduce("A", "C");
  g_.settle();
  EXPECT_TRUE(g_.shows("C", "new"));
}

class infection : public ::testing::Test {
 protected:
  static constexpr std::size_t nodes = 120;

  infection() {
    g_.how.push_peers_max = 10;
    g_.start_all(nodes);
    g_.run(seconds{3});
    g_.on_send = [this](const origin_id& from, const origin_id& to, const message& what) {
      if (std::holds_alternative<update>(what)) {
        ++updates_[from];
        to_origin_ += to.node.view() == "A" ? 1U : 0U;
      }
    };
  }
  [[nodiscard]] std::size_t who_know(std::string_view key) {
    return static_cast<std::size_t>(
        std::ranges::count_if(g_.nodes(), [&](auto& one) { return one.second.gossip->entry_count(key) > 0; }));
  }

  network g_;
  std::map<origin_id, std::size_t> updates_;
  std::size_t to_origin_{0};
};

TEST_F(infection, reaches_nearly_all_without_a_timer_and_ends) {
  g_.add("A", "news");
  g_.settle();
  EXPECT_GE(who_know("news"), nodes * 9 / 10);
  for (const auto& [who, sent] : updates_) {
    EXPECT_LE(sent, who.node.view() == "A" ? g_.how.push_fan_out : g_.how.relay_fan_out) << fmt::format("{}", who);
  }
  EXPECT_EQ(to_origin_, 0U) << "nobody tells an origin its own news";
}

TEST_F(infection, leaves_the_rest_to_the_comparisons) {
  g_.weather.lost_percent = 30;
  g_.add("A", "news");
  EXPECT_TRUE(g_.run_until([&] { return who_know("news") == nodes; }, seconds{15}));
}

TEST_F(infection, a_hop_count_from_outside_is_bounded) {
  update wild{255, {{make_origin("A", 1), false, version{0}, {{{shared_text{"k"}, some_entry("/x")}, false}}, {}, 0}}};
  wild.parts[0].after = {version{1}, 1, 0};
  std::uint8_t most = 0;
  g_.on_send = [&](const origin_id&, const origin_id&, const message& what) {
    if (const auto* const passed = std::get_if<update>(&what)) {
      most = std::max(most, passed->hops);
    }
  };
  g_.inject("B", make_origin("A", 1), wild);
  g_.settle();
  EXPECT_GT(most, 0);
  EXPECT_LT(most, 10);
}

}  // namespace
}  // namespace muster::gossip::testing
