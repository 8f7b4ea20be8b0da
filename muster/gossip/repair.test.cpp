// What got lost is found by comparison, and sent again.

#include <gtest/gtest.h>

#include "muster/gossip/stable_hash.hpp"
#include "muster/gossip/test_network.hpp"

namespace muster::gossip::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class repair : public ::testing::Test {
 protected:
  /// Registers without letting anybody know at once.
  void add_silently(const std::string& name, int from, int to) {
    for (int i = from; i < to; ++i) {
      ASSERT_TRUE(g_.gossip(name).add(fmt::format("key-{}", i), some_entry(fmt::format("/user/{}", i))));
    }
    const auto percent = std::exchange(g_.weather.lost_percent, 100);
    g_.pump(g_.at(name));
    g_.weather.lost_percent = percent;
  }
  template <typename Kind>
  void count(std::size_t& into) {
    g_.on_send = [&into](const origin_id&, const origin_id&, const message& what) {
      into += std::holds_alternative<Kind>(what) ? 1U : 0U;
    };
  }
  [[nodiscard]] std::size_t known(const std::string& name) { return g_.gossip(name).registration_count(); }

  network g_;
};

TEST_F(repair, equal_states_cost_the_same_few_bytes_however_much_there_is) {
  std::set<std::size_t> bytes_a_round;
  for (const auto& [nodes, registrations] : {std::pair{2, 10}, {2, 3000}, {8, 10}, {8, 3000}}) {
    network g;
    g.start_all(static_cast<std::size_t>(nodes));
    for (int i = 0; i < registrations; ++i) {
      g.add("A", fmt::format("key-{}", i));
    }
    g.run(seconds{3});
    ASSERT_TRUE(g.all_equal());
    const std::size_t bytes_before = g.at("B").bytes_sent;
    const std::size_t messages_before = g.at("B").messages_sent;
    g.run(seconds{20});
    const std::size_t rounds = g.at("B").messages_sent - messages_before;
    EXPECT_NEAR(static_cast<double>(rounds), 20.0, 3.0);
    bytes_a_round.insert((g.at("B").bytes_sent - bytes_before) / rounds);
  }
  EXPECT_EQ(bytes_a_round, std::set<std::size_t>{10});
}

TEST_F(repair, a_lost_change_is_found_by_the_next_comparisons) {
  g_.start_all(3);
  add_silently("A", 0, 1);
  EXPECT_FALSE(g_.shows("B", "key-0"));
  EXPECT_TRUE(g_.run_until([&] { return g_.shows("B", "key-0") && g_.shows("C", "key-0"); }, seconds{8}));
}

TEST_F(repair, a_gap_is_filled_at_once_by_who_shows_it) {
  g_.start_all(2);
  g_.add("A", "before");
  g_.settle();
  add_silently("A", 0, 1);
  g_.add("A", "next");
  g_.settle();
  EXPECT_TRUE(g_.shows("B", "key-0"));
  EXPECT_TRUE(g_.shows("B", "next"));
  EXPECT_EQ(g_.gossip("B").counters().wholes_installed, 0U);
}

TEST_F(repair, operations_that_overlap_with_what_is_known_are_applied_once) {
  g_.start_all(2);
  std::vector<operation> all;
  g_.on_send = [&](const origin_id&, const origin_id&, const message& what) {
    if (const auto* const one = std::get_if<update>(&what)) {
      all.insert(all.end(), one->parts[0].operations.begin(), one->parts[0].operations.end());
    }
  };
  g_.add("A", "a");
  g_.remove("A", "a");
  g_.add("A", "b");
  g_.settle();
  // A pushes its fourth to nobody; then all four come at once, from somebody who does not know what B has.
  g_.weather.lost_percent = 100;
  g_.add("A", "c");
  g_.weather.lost_percent = 0;
  ASSERT_EQ(all.size(), 4U);
  const std::size_t changes = g_.at("B").changes;
  update late{0, {{g_.at("A").id, false, version{0}, all, {version{4}, 2, 0}, 0}}};
  for (const operation& one : {all[2], all[3]}) {
    late.parts[0].after.checksum += hash_of(one.what.key.view(), one.what.what);
  }
  g_.inject("B", g_.at("A").id, late);
  EXPECT_EQ(g_.at("B").changes, changes + 1);
  EXPECT_EQ(g_.told("B", event_kind::diverged), 0U);
  EXPECT_TRUE(g_.all_equal());
}

TEST_F(repair, overtaking_changes_are_put_in_order) {
  g_.start_all(2);
  g_.weather.in_order = false;
  g_.weather.delay_max = milliseconds{50};
  for (int i = 0; i < 30; ++i) {
    g_.add("A", "flips");
    g_.remove("A", "flips");
  }
  g_.add("A", "flips");
  g_.settle();
  g_.run(seconds{3});
  EXPECT_TRUE(g_.shows("B", "flips"));
  EXPECT_EQ(g_.gossip("B").status_of(node_id{"A"})->at, version{61});
  EXPECT_FALSE(g_.inconsistent);
}

TEST_F(repair, more_than_the_log_holds_comes_as_the_whole) {
  g_.how.log_operations_max = 10;
  g_.start_all(2);
  add_silently("A", 0, 50);
  ASSERT_TRUE(g_.run_until([&] { return known("B") == 50; }, seconds{4}));
  EXPECT_EQ(g_.gossip("B").counters().wholes_installed, 1U);
}

TEST_F(repair, a_few_missing_operations_come_as_such) {
  g_.start_all(2);
  for (int i = 0; i < 500; ++i) {
    g_.add("A", fmt::format("old-{}", i));
  }
  g_.settle();
  add_silently("A", 0, 5);
  std::size_t bytes = g_.at("A").bytes_sent;
  ASSERT_TRUE(g_.run_until([&] { return known("B") == 505; }, seconds{4}));
  bytes = g_.at("A").bytes_sent - bytes;
  EXPECT_LT(bytes, 600U);
  EXPECT_EQ(g_.gossip("B").counters().wholes_installed, 0U);
}

TEST_F(repair, a_removal_among_what_the_log_forgot_takes_effect_by_the_whole) {
  g_.how.log_operations_max = 4;
  g_.start_all(2);
  for (int i = 0; i < 20; ++i) {
    g_.add("A", fmt::format("k{}", i));
  }
  g_.settle();
  g_.weather.lost_percent = 100;
  for (int i = 0; i < 20; i += 2) {
    g_.remove("A", fmt::format("k{}", i));
  }
  g_.weather.lost_percent = 0;
  ASSERT_TRUE(g_.run_until([&] { return known("B") == 10; }, seconds{4}));
  EXPECT_EQ(g_.at("B").changes, 30U) << "20 appeared, 10 vanished; the others were not told again";
}

class in_chunks : public repair {
 protected:
  in_chunks() {
    g_.how.message_bytes_max = 8192;
    g_.how.log_operations_max = 50;
  }
};

TEST_F(in_chunks, a_large_origin_appears_at_once_and_in_bounded_messages) {
  g_.start("A");
  for (int i = 0; i < 3000; ++i) {
    ASSERT_TRUE(g_.gossip("A").add(fmt::format("key-{}", i), some_entry(fmt::format("/user/{}", i))));
  }
  g_.pump(g_.at("A"));
  g_.start("B");
  std::set<std::size_t> seen;
  g_.after_turn = [&](network::node& one) {
    if (one.id.node.view() == "B") {
      seen.insert(one.gossip->registration_count());
    }
  };
  std::size_t chunks = 0;
  count<chunk>(chunks);
  g_.join_all();
  g_.settle();
  EXPECT_EQ(seen, (std::set<std::size_t>{0, 3000}));
  EXPECT_GT(chunks, 10U);
  EXPECT_LE(g_.at("A").longest_message, 8192U);
  EXPECT_TRUE(g_.all_equal());
}

TEST_F(in_chunks, an_origin_that_goes_on_meanwhile_is_shown_at_one_version_and_then_caught_up_with) {
  g_.start("A");
  for (int i = 0; i < 3000; ++i) {
    ASSERT_TRUE(g_.gossip("A").add(fmt::format("key-{}", i), some_entry("/user/a")));
  }
  g_.pump(g_.at("A"));
  g_.start("B");
  g_.join_all();
  for (int i = 0; i < 40; ++i) {
    g_.run(std::chrono::microseconds{500});
    // One goes, one comes: at each version there are 3000 in all.
    ASSERT_TRUE(g_.gossip("A").remove(fmt::format("key-{}", i), some_entry("/user/a")));
    ASSERT_TRUE(g_.gossip("A").add(fmt::format("late-{}", i), some_entry("/user/a")));
    g_.pump(g_.at("A"));
    const std::size_t shown = known("B");
    EXPECT_TRUE(shown == 0 || shown == 3000) << shown;
  }
  EXPECT_TRUE(g_.run_until([&] { return g_.all_equal(); }, seconds{5}));
}

TEST_F(in_chunks, a_transfer_survives_loss_doubling_and_overtaking) {
  g_.start("A");
  add_silently("A", 0, 3000);
  g_.start("B");
  g_.weather = {.lost_percent = 20, .doubled_percent = 20, .delay_max = milliseconds{20}, .in_order = false};
  g_.join_all();
  EXPECT_TRUE(g_.run_until([&] { return g_.all_equal() && known("B") == 3000; }, seconds{60}));
}

TEST_F(in_chunks, another_peer_gives_what_the_first_one_could_not_finish) {
  g_.start_all(3);
  add_silently("A", 0, 3000);
  ASSERT_TRUE(g_.run_until([&] { return known("B") == 3000 && known("C") == 3000; }, seconds{10}));
  g_.start("D");
  g_.introduce("D", "A");
  g_.introduce("A", "D");
  g_.run(milliseconds{3});
  g_.pause("A");
  g_.introduce("D", "B");
  g_.introduce("B", "D");
  EXPECT_EQ(known("D"), 0U);
  EXPECT_TRUE(g_.run_until([&] { return known("D") == 3000; }, seconds{30}));
  g_.resume("A");
  g_.run(seconds{5});
  EXPECT_TRUE(g_.all_equal());
}

TEST_F(in_chunks, a_giver_that_let_the_frozen_state_go_begins_anew) {
  g_.how.frozen_timeout = seconds{2};
  g_.how.transfer_timeout = seconds{30};
  g_.start("A");
  add_silently("A", 0, 3000);
  g_.start("B");
  g_.join_all();
  g_.run(milliseconds{3});
  g_.pause("B");
  g_.run(seconds{10});
  add_silently("A", 3000, 3100);
  g_.resume("B");
  EXPECT_TRUE(g_.run_until([&] { return known("B") == 3100; }, seconds{60}));
}

TEST_F(in_chunks, one_frozen_origin_serves_all_who_ask) {
  g_.start("A");
  add_silently("A", 0, 3000);
  std::set<std::uint64_t> versions;
  g_.on_send = [&](const origin_id&, const origin_id&, const message& what) {
    if (const auto* const one = std::get_if<chunk>(&what)) {
      versions.insert(one->at.at.value());
    }
  };
  for (const char* const name : {"B", "C", "D"}) {
    g_.start(name);
    g_.introduce(name, "A");
    g_.introduce("A", name);
    g_.run(std::chrono::microseconds{700});
    g_.add("A", fmt::format("with-{}", name));
  }
  g_.run(seconds{3});
  for (const char* const name : {"B", "C", "D"}) {
    EXPECT_EQ(known(name), 3003U);
  }
  EXPECT_EQ(versions.size(), 1U);
}

// Each round it was given the frozen state that others had been given, which it was beyond, and dropped it.
TEST_F(in_chunks, an_asker_that_is_beyond_what_is_frozen_and_missed_more_than_there_is_gets_there) {
  g_.how.log_operations_max = 10'000;  // from the frozen state to the end
  g_.start("A");
  add_silently("A", 0, 3000);
  g_.start("B");
  g_.join_all();
  ASSERT_TRUE(g_.run_until([&] { return known("B") == 3000; }, seconds{10}));
  g_.add("A", "beyond");
  g_.settle();
  ASSERT_TRUE(g_.shows("B", "beyond"));
  g_.weather.lost_percent = 100;
  for (int i = 0; i < 3100; ++i) {
    g_.remove("A", "beyond");
    g_.add("A", "beyond");
  }
  g_.add("A", "last");
  g_.weather.lost_percent = 0;
  EXPECT_TRUE(g_.run_until([&] { return g_.all_equal(); }, seconds{30}));
}

TEST_F(in_chunks, chunks_that_are_not_what_their_mark_says_are_dropped_and_fetched_anew) {
  g_.start("A");
  add_silently("A", 0, 300);
  g_.start("B");
  g_.join_all();
  g_.inject("B", g_.at("A").id,
            chunk{g_.at("A").id, {version{900}, 5, 77}, 0, 1, {{shared_text{"forged"}, some_entry("/x")}}});
  EXPECT_EQ(g_.told("B", event_kind::malformed), 1U);
  g_.run(seconds{3});
  EXPECT_FALSE(g_.shows("B", "forged"));
  EXPECT_EQ(known("B"), 300U);
}

TEST_F(repair, a_large_answer_is_given_in_bounded_pieces) {
  g_.how.message_bytes_max = 8192;
  g_.how.reply_bytes_max = 16'384;
  g_.start_all(2);
  g_.add("A", "first");
  g_.settle();
  add_silently("A", 0, 3000);
  // Ask by a gap.
  g_.add("A", "last");
  std::size_t in_a_turn = 0;
  std::size_t most = 0;
  g_.on_send = [&](const origin_id& from, const origin_id&, const message& what) {
    in_a_turn += from == g_.at("A").id ? encode(what).size() : 0;
  };
  g_.after_turn = [&](network::node&) { most = std::max(most, std::exchange(in_a_turn, 0)); };
  g_.settle();
  EXPECT_EQ(known("B"), 3002U);
  EXPECT_LE(most, 16'384U);
  EXPECT_EQ(g_.gossip("B").counters().wholes_installed, 0U);
}

TEST_F(repair, what_one_origin_said_comes_from_others_when_it_cannot_be_reached) {
  g_.start_all(3);
  g_.cut("A", "C");
  g_.add("A", "through-b");
  EXPECT_TRUE(g_.run_until([&] { return g_.shows("C", "through-b"); }, seconds{8}));
}

TEST_F(repair, a_long_partition_heals) {
  g_.start_all(4);
  for (const char* const left : {"A", "B"}) {
    for (const char* const right : {"C", "D"}) {
      g_.cut(left, right);
    }
  }
  for (int i = 0; i < 200; ++i) {
    g_.add(i % 2 == 0 ? "A" : "C", fmt::format("k{}", i));
    g_.run(seconds{10});
  }
  EXPECT_FALSE(g_.all_equal());
  g_.mend_all();
  EXPECT_TRUE(g_.run_until([&] { return g_.all_equal(); }, seconds{20}));
  EXPECT_EQ(known("B"), 200U);
}

TEST_F(repair, with_many_origins_only_the_buckets_that_differ_are_told) {
  g_.how.push_peers_max = 200;
  g_.start_all(100);
  for (auto& [name, one] : g_.nodes()) {
    g_.add(name, "everywhere");
  }
  g_.run(seconds{2});
  ASSERT_TRUE(g_.all_equal());
  add_silently("A", 0, 1);
  std::size_t lines = 0;
  std::size_t bucket_messages = 0;
  g_.on_send = [&](const origin_id&, const origin_id&, const message& what) {
    if (const auto* const one = std::get_if<digest>(&what)) {
      lines = std::max(lines, one->lines.size());
    }
    bucket_messages += std::holds_alternative<buckets>(what) ? 1U : 0U;
  };
  EXPECT_TRUE(g_.run_until([&] { return g_.all_equal(); }, seconds{30}));
  EXPECT_GT(bucket_messages, 0U);
  EXPECT_LT(lines, 8U);
}

TEST_F(repair, digests_of_origins_with_long_names_are_cut_and_still_cover_all) {
  g_.how.message_bytes_max = 8192;
  g_.start("A");
  std::vector<std::string> names;
  for (int i = 0; i < 60; ++i) {
    names.push_back(fmt::format("{:x<250}", i));
    g_.start(names.back());
    g_.introduce("A", names.back());
    g_.introduce(names.back(), "A");
    g_.add(names.back(), "everywhere");
  }
  g_.settle();
  g_.start("B");
  for (const std::string& name : names) {
    g_.gossip("B").handle_member_up(g_.at(name).id, g_.now());
  }
  (void)g_.gossip("B").poll_ready();  // its greetings are lost
  g_.introduce("A", "B");
  g_.introduce("B", "A");
  EXPECT_TRUE(g_.run_until([&] { return known("B") == 60; }, seconds{30}));
  for (auto& [name, one] : g_.nodes()) {
    EXPECT_LE(one.longest_message, 8192U) << name;
  }
}

TEST_F(repair, a_digest_is_answered_with_what_it_lacks_and_a_question_for_what_it_has) {
  g_.start_all(3);
  g_.weather.lost_percent = 100;
  g_.add("A", "of-a");
  g_.add("B", "of-b");
  g_.weather.lost_percent = 0;
  std::vector<std::pair<bool, origin_id>> answers;  // an update (or else a want), about whom
  g_.on_send = [&](const origin_id&, const origin_id&, const message& what) {
    if (const auto* const news = std::get_if<update>(&what)) {
      answers.emplace_back(true, news->parts.at(0).origin);
    } else if (const auto* const question = std::get_if<want>(&what)) {
      answers.emplace_back(false, question->lines.at(0).origin);
    }
  };
  const place last{~std::uint64_t{0}};
  g_.inject("A", g_.at("B").id, digest{place{0}, last, {{g_.at("B").id, version{1}, false}}});
  EXPECT_EQ(answers, (std::vector{std::pair{true, g_.at("A").id}, std::pair{false, g_.at("B").id}}));
  answers.clear();
  // Told as forgotten, it is not sent, though it is lacking; outside of the places of a digest nothing is lacking.
  g_.inject("A", g_.at("B").id, digest{place{0}, last, {{g_.at("A").id, version{}, true}}});
  g_.inject("A", g_.at("B").id, digest{place{0}, place{0}, {}});
  EXPECT_TRUE(answers.empty());
}

TEST_F(repair, a_digest_of_no_places_or_of_others_is_dropped_and_named) {
  g_.start_all(2);
  g_.inject("B", g_.at("A").id, digest{place{5}, place{4}, {}});
  EXPECT_EQ(g_.told("B", event_kind::malformed), 1U);
  EXPECT_NE(g_.at("B").events.back().sentence.find("A#1 sent a digest of no places"), std::string::npos);
  EXPECT_EQ(g_.gossip("B").counters().messages_dropped, 1U);
}

}  // namespace
}  // namespace muster::gossip::testing
