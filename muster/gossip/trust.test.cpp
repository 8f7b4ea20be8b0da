// Where only its origin is believed, a member can say nothing for another, and everything still reaches everybody.

#include <gtest/gtest.h>

#include "muster/gossip/stable_hash.hpp"
#include "muster/gossip/test_network.hpp"

namespace muster::gossip::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class trust : public ::testing::Test {
 protected:
  trust() {
    g_.how.taken_from = news_source::origin_only;
    g_.on_send = [this](const origin_id& from, const origin_id&, const message& what) { note(from, what); };
  }

  void note(const origin_id& from, const message& what) {
    if (const auto* const news = std::get_if<update>(&what)) {
      for (const origin_update& part : news->parts) {
        passed_on_ += part.origin != from && !part.operations.empty() ? 1U : 0U;
      }
    } else if (const auto* const piece = std::get_if<chunk>(&what)) {
      ++chunks_;
      passed_on_ += piece->origin != from ? 1U : 0U;
    }
  }
  /// Registers without letting anybody know at once.
  void add_silently(const std::string& name, int count) {
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(g_.gossip(name).add(fmt::format("key-{}", i), some_entry(fmt::format("/user/{}", i))));
    }
    g_.weather.lost_percent = 100;
    g_.pump(g_.at(name));
    g_.weather.lost_percent = 0;
  }
  [[nodiscard]] std::size_t known(const std::string& name) { return g_.gossip(name).registration_count(); }

  network g_;
  std::size_t passed_on_{0};  ///< registrations of another that somebody sent
  std::size_t chunks_{0};
};

TEST_F(trust, what_a_member_forges_for_another_is_shown_by_nobody) {
  g_.start_all(3);
  g_.add("A", "true");
  g_.settle();
  const auto before = g_.view("B");
  const origin_id a = g_.at("A").id;
  const origin_id c = g_.at("C").id;
  const registration forged{shared_text{"forged"}, some_entry("/user/forged")};
  const registration truth{shared_text{"true"}, network::entry_for("true", 1)};
  const std::uint64_t forged_hash = hash_of("forged", forged.what);
  const std::uint64_t true_hash = hash_of("true", truth.what);

  g_.inject("B", c,
            update{3, {{a, false, version{1}, {{forged, false}}, {version{2}, 2, true_hash + forged_hash}, 0}}});
  g_.inject("B", c, update{0, {{a, false, version{1}, {{truth, true}}, {version{2}, 0, 0}, 0}}});
  g_.inject("B", c, update{0, {{a, true, version{0}, {{forged, false}}, {version{9}, 1, forged_hash}, 0}}});
  g_.inject("B", c, chunk{a, {version{9}, 1, forged_hash}, 0, 1, {forged}});
  g_.inject("B", c, digest{place{0}, place{~std::uint64_t{0}}, {{a, version{9}, false}}});
  EXPECT_EQ(g_.view("B"), before);
  g_.run(seconds{5});
  EXPECT_EQ(g_.view("B"), before);
  EXPECT_EQ(g_.gossip("B").status_of(a.node)->at, version{1});
  // What the origin itself does is taken all the same.
  g_.add("A", "next");
  g_.settle();
  EXPECT_TRUE(g_.shows("B", "next"));
  EXPECT_TRUE(g_.all_equal());
}

TEST_F(trust, what_a_member_forges_is_taken_where_members_are_believed) {
  g_.how.taken_from = news_source::any_member;
  g_.start_all(3);
  const registration forged{shared_text{"forged"}, some_entry("/user/forged")};
  g_.inject(
      "B", g_.at("C").id,
      update{
          0,
          {{g_.at("A").id, false, version{0}, {{forged, false}}, {version{1}, 1, hash_of("forged", forged.what)}, 0}}});
  EXPECT_TRUE(g_.shows("B", "forged"));
}

TEST_F(trust, a_lost_change_is_fetched_from_its_origin_whoever_shows_that_there_is_one) {
  g_.start_all(4);
  g_.cut("A", "D");
  g_.add("A", "api");
  g_.settle();
  ASSERT_FALSE(g_.shows("D", "api"));
  // B and C have it and may not give it: D gets it as soon as it can ask.
  g_.run(seconds{10});
  EXPECT_FALSE(g_.shows("D", "api"));
  g_.mend_all();
  EXPECT_TRUE(g_.run_until([&] { return g_.shows("D", "api"); }, seconds{4}));
  EXPECT_EQ(passed_on_, 0U);
}

TEST_F(trust, a_large_origin_comes_in_chunks_from_itself) {
  g_.how.message_bytes_max = 8192;
  g_.how.log_operations_max = 10;
  g_.start_all(3);
  add_silently("A", 3000);
  ASSERT_TRUE(g_.run_until([&] { return known("B") == 3000 && known("C") == 3000; }, seconds{10}));
  EXPECT_GT(chunks_, 10U);
  EXPECT_EQ(passed_on_, 0U);
  EXPECT_TRUE(g_.all_equal());
}

TEST_F(trust, a_change_goes_to_every_peer_directly_however_many_there_are) {
  g_.how.push_peers_max = 4;
  g_.start_all(20);
  const std::size_t before = g_.at("A").messages_sent;
  g_.add("A", "api");
  EXPECT_EQ(g_.at("A").messages_sent - before, 19U);
  g_.settle();
  for (const auto& [name, one] : g_.nodes()) {
    EXPECT_TRUE(g_.shows(name, "api")) << name;
  }
}

TEST_F(trust, a_newcomer_to_many_learns_from_the_first_comparison_whom_to_ask) {
  g_.start_all(80);
  for (auto& [name, one] : g_.nodes()) {
    g_.add(name, "key-of-" + name);
  }
  g_.settle();
  ASSERT_TRUE(g_.all_equal());
  g_.start("late");
  for (auto& [name, one] : g_.nodes()) {
    if (name != "late") {
      g_.introduce(name, "late");
    }
  }
  for (auto& [name, one] : g_.nodes()) {
    if (name != "late") {
      g_.introduce("late", name);
    }
  }
  EXPECT_TRUE(g_.run_until([&] { return known("late") == 80; }, seconds{3}));
  EXPECT_EQ(passed_on_, 0U);
}

TEST_F(trust, nodes_that_differ_in_whom_they_believe_become_equal) {
  for (std::size_t i = 0; i < 8; ++i) {
    g_.how.taken_from = i % 2 == 0 ? news_source::origin_only : news_source::any_member;
    g_.how.push_peers_max = i < 4 ? 64 : 2;
    g_.start(network::name_of(i));
  }
  g_.join_all();
  g_.weather = {.lost_percent = 40, .doubled_percent = 20, .delay_max = milliseconds{80}, .in_order = false};
  for (int i = 0; i < 60; ++i) {
    const std::string name = network::name_of(static_cast<std::size_t>(i) % 8);
    g_.add(name, fmt::format("key-{}", i % 7), static_cast<std::uint64_t>(1 + i % 3));
    g_.run(milliseconds{50});
  }
  EXPECT_TRUE(g_.run_until([&] { return g_.all_equal(); }, seconds{60}));
  EXPECT_FALSE(g_.inconsistent);
}

TEST_F(trust, a_version_that_nobody_has_costs_no_more_than_a_question_in_each_comparison) {
  g_.start_all(3);
  g_.add("A", "true");
  g_.settle();
  const std::size_t before = g_.at("B").messages_sent;
  for (int i = 0; i < 1000; ++i) {
    g_.inject("B", g_.at("C").id, update{0, {{g_.at("A").id, false, version{7}, {}, {version{7}, 1, 1}, 0}}});
  }
  EXPECT_LE(g_.at("B").messages_sent - before, 1U);
  g_.settle();
  EXPECT_EQ(g_.gossip("B").status_of(node_id{"A"})->at, version{1});
}

}  // namespace
}  // namespace muster::gossip::testing
