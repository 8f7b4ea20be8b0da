// Everything is bounded, and what exceeds a bound costs nobody else anything.

#include <gtest/gtest.h>

#include "muster/gossip/stable_hash.hpp"
#include "muster/gossip/test_network.hpp"

namespace muster::gossip::testing {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class bounds : public ::testing::Test {
 protected:
  void start(const std::string& name, const std::function<void(options&)>& change = {}) {
    const options before = g_.how;
    if (change) {
      change(g_.how);
    }
    g_.start(name);
    g_.how = before;
  }
  /// Messages that were sent while nothing happens.
  [[nodiscard]] std::map<std::size_t, std::size_t> kinds_sent_in(duration how_long) {
    std::map<std::size_t, std::size_t> out;
    g_.on_send = [&](const origin_id&, const origin_id&, const message& what) { ++out[what.index()]; };
    g_.run(how_long);
    g_.on_send = nullptr;
    return out;
  }
  /// Only roots are sent: both sides hold the same to be true.
  void expect_peace() {
    const auto kinds = kinds_sent_in(seconds{20});
    EXPECT_EQ(kinds.size(), 1U);
    EXPECT_TRUE(kinds.contains(1));
  }
  network g_;
};

TEST_F(bounds, a_local_change_over_a_bound_is_refused_by_name_and_changes_nothing) {
  start("A", [](options& how) {
    how.registrations_per_origin_max = 3;
    how.key_bytes_max = 8;
    how.path_bytes_max = 10;
    how.type_bytes_max = 4;
  });
  core& a = g_.gossip("A");
  const auto refusal = [&](std::string_view key, const entry& what) {
    const auto out = a.add(key, what);
    return out ? std::string{} : out.error().message;
  };
  EXPECT_EQ(refusal("123456789", some_entry("/x", 1, "t")),
            "the key of a registration of A#1 has 9 bytes; at most 8 are allowed");
  EXPECT_EQ(refusal("k", some_entry("/user/12345", 1, "t")),
            "the path of a registration of A#1 has 11 bytes; at most 10 are allowed");
  EXPECT_EQ(refusal("k", some_entry("/x", 1, "type5")),
            "the message type of a registration of A#1 has 5 bytes; at most 4 are allowed");
  EXPECT_EQ(a.add("", some_entry("/x")).error().code, errc::invalid_argument);
  EXPECT_EQ(a.add("k", some_entry("")).error().code, errc::invalid_argument);
  for (std::uint64_t life = 1; life <= 3; ++life) {
    EXPECT_EQ(refusal("k", some_entry("/x", life, "t")), "");
  }
  EXPECT_EQ(refusal("k", some_entry("/x", 4, "t")), "A#1 has more than 3 registrations (registrations_per_origin_max)");
  EXPECT_EQ(a.add("k", some_entry("/x", 4, "t")).error().code, errc::limit_exceeded);
  EXPECT_TRUE(a.add("k", some_entry("/x", 3, "t"))) << "known already, so no question of bounds";
  EXPECT_EQ(a.registration_count(), 3U);
  EXPECT_EQ(a.status_of(node_id{"A"})->at, version{3});
}

TEST_F(bounds, keys_and_registrations_are_bounded_over_all_origins) {
  start("A", [](options& how) {
    how.keys_max = 2;
    how.registrations_max = 3;
  });
  core& a = g_.gossip("A");
  ASSERT_TRUE(a.add("one", some_entry("/x")));
  ASSERT_TRUE(a.add("two", some_entry("/x")));
  EXPECT_NE(a.add("three", some_entry("/x")).error().message.find("keys_max"), std::string::npos);
  ASSERT_TRUE(a.add("two", some_entry("/y")));
  EXPECT_NE(a.add("two", some_entry("/z")).error().message.find("registrations_max"), std::string::npos);
  ASSERT_TRUE(a.remove("one", some_entry("/x")));
  EXPECT_TRUE(a.add("three", some_entry("/x")));
}

TEST_F(bounds, a_peer_with_too_many_registrations_is_named_its_excess_left_out_and_there_is_peace) {
  start("A");
  start("B", [](options& how) { how.registrations_per_origin_max = 10; });
  start("C");
  g_.join_all();
  g_.add("C", "of-another");
  for (int i = 0; i < 15; ++i) {
    g_.add("A", fmt::format("k{}", i));
  }
  g_.run(seconds{3});
  EXPECT_EQ(g_.gossip("B").registration_count(), 11U);
  EXPECT_TRUE(g_.shows("B", "of-another"));
  EXPECT_FALSE(g_.gossip("B").status_of(node_id{"A"})->complete);
  EXPECT_EQ(g_.gossip("B").status_of(node_id{"A"})->at, version{15});
  EXPECT_EQ(g_.gossip("B").counters().registrations_left_out, 5U);
  ASSERT_EQ(g_.told("B", event_kind::over_bound), 1U);
  EXPECT_EQ(g_.at("B").events.back().about, g_.at("A").id);
  expect_peace();
  // Who has left something out never gives it to others as if it were all.
  start("D");
  g_.introduce("D", "B");
  g_.introduce("B", "D");
  g_.gossip("D").handle_member_up(g_.at("A").id, g_.now());
  (void)g_.gossip("D").poll_ready();
  g_.cut("A", "D");
  g_.run(seconds{5});
  EXPECT_EQ(g_.gossip("D").registration_count(), 0U);
  g_.mend_all();
  g_.introduce("A", "D");
  EXPECT_TRUE(g_.run_until([&] { return g_.gossip("D").registration_count() == 15; }, seconds{20}));
}

TEST_F(bounds, what_was_left_out_is_fetched_when_there_is_room_again) {
  start("A");
  start("B", [](options& how) { how.registrations_per_origin_max = 10; });
  g_.join_all();
  for (int i = 0; i < 15; ++i) {
    g_.add("A", fmt::format("k{}", i));
  }
  g_.run(seconds{3});
  for (int i = 0; i < 6; ++i) {
    g_.remove("A", fmt::format("k{}", i));
  }
  EXPECT_TRUE(g_.run_until([&] { return g_.all_equal(); }, minutes{2}));
  EXPECT_EQ(g_.gossip("B").registration_count(), 9U);
  EXPECT_TRUE(g_.gossip("B").status_of(node_id{"A"})->complete);
  EXPECT_EQ(g_.told("B", event_kind::within_bounds_again), 1U);
}

TEST_F(bounds, a_large_origin_in_chunks_is_taken_up_to_the_bound) {
  g_.how.message_bytes_max = 8192;
  g_.how.log_operations_max = 10;
  start("A");
  for (int i = 0; i < 2000; ++i) {
    ASSERT_TRUE(g_.gossip("A").add(fmt::format("key-{}", i), some_entry(fmt::format("/user/{}", i))));
  }
  g_.pump(g_.at("A"));
  start("B", [](options& how) { how.registrations_per_origin_max = 500; });
  g_.join_all();
  g_.run(seconds{3});
  EXPECT_EQ(g_.gossip("B").registration_count(), 500U);
  EXPECT_EQ(g_.told("B", event_kind::over_bound), 1U);
  expect_peace();
}

TEST_F(bounds, a_key_that_is_too_long_here_is_left_out_and_not_asked_for_again_and_again) {
  start("A");
  start("B", [](options& how) { how.key_bytes_max = 8; });
  g_.join_all();
  g_.add("A", "short");
  g_.add("A", "much-too-long");
  g_.add("A", "also");
  g_.run(seconds{3});
  EXPECT_TRUE(g_.shows("B", "short"));
  EXPECT_TRUE(g_.shows("B", "also"));
  EXPECT_FALSE(g_.shows("B", "much-too-long"));
  EXPECT_EQ(g_.told("B", event_kind::over_bound), 1U);
  expect_peace();
  g_.remove("A", "much-too-long");
  g_.remove("A", "also");
  g_.run(seconds{1});
  EXPECT_EQ(g_.gossip("B").registration_count(), 1U);
  EXPECT_TRUE(g_.gossip("B").status_of(node_id{"A"})->complete);
  EXPECT_EQ(g_.told("B", event_kind::within_bounds_again), 1U);
}

TEST_F(bounds, an_origin_that_is_not_what_its_mark_says_is_named_and_fetched_again) {
  g_.start_all(2);
  g_.add("A", "right");
  g_.settle();
  // Somebody passes on an operation that the origin never made, with a mark to match nothing.
  g_.inject("B", g_.at("A").id,
            update{0,
                   {{g_.at("A").id,
                     false,
                     version{1},
                     {{{shared_text{"wrong"}, some_entry("/x")}, false}},
                     {version{2}, 9, 9},
                     0}}});
  EXPECT_EQ(g_.told("B", event_kind::diverged), 1U);
  g_.add("A", "second");
  g_.add("A", "third");
  EXPECT_TRUE(g_.run_until([&] { return g_.all_equal(); }, seconds{10}));
  EXPECT_FALSE(g_.shows("B", "wrong"));
  EXPECT_TRUE(g_.shows("B", "second"));
}

TEST_F(bounds, an_origin_whose_marks_never_fit_is_asked_for_again_only_now_and_then) {
  start("B");
  // A itself is no core: it answers whatever it is asked with the same nonsense.
  const origin_id liar = make_origin("A", 1);
  g_.gossip("B").handle_member_up(liar, g_.now());
  std::size_t asked = 0;
  g_.on_send = [&](const origin_id&, const origin_id& to, const message& what) {
    asked += to == liar && std::holds_alternative<want>(what) ? 1U : 0U;
  };
  const update nonsense{
      0, {{liar, true, version{0}, {{{shared_text{"k"}, some_entry("/x")}, false}}, {version{5}, 3, 3}, 0}}};
  for (int i = 0; i < 120; ++i) {
    g_.inject("B", liar, nonsense);
    g_.run(seconds{1});
  }
  EXPECT_LE(asked, 4U);
  EXPECT_LE(g_.told("B", event_kind::diverged), 4U);
}

TEST_F(bounds, events_of_one_kind_about_one_member_are_not_told_with_each_message) {
  g_.start_all(2);
  for (int i = 0; i < 1000; ++i) {
    g_.inject("B", g_.at("A").id, digest{place{5}, place{4}, {}});
  }
  EXPECT_EQ(g_.told("B", event_kind::malformed), 1U);
  g_.run(minutes{2});
  g_.inject("B", g_.at("A").id, digest{place{5}, place{4}, {}});
  EXPECT_EQ(g_.told("B", event_kind::malformed), 2U);
}

TEST_F(bounds, no_more_transfers_are_begun_than_allowed_and_all_arrive_in_the_end) {
  g_.how.message_bytes_max = 8192;
  g_.how.transfers_max = 2;
  for (int n = 0; n < 6; ++n) {
    const std::string name = network::name_of(static_cast<std::size_t>(n));
    g_.start(name);
    for (int i = 0; i < 300; ++i) {
      ASSERT_TRUE(g_.gossip(name).add(fmt::format("key-{}", i), some_entry(fmt::format("/user/{}", i))));
    }
    g_.pump(g_.at(name));
  }
  g_.join_all();
  EXPECT_TRUE(g_.run_until([&] { return g_.all_equal(); }, seconds{60}));
  EXPECT_EQ(g_.gossip("A").registration_count(), 1800U);
}

TEST_F(bounds, options_and_names_that_make_no_sense_are_refused) {
  prng random{1};
  options how;
  how.keys_max = 0;
  EXPECT_EQ(core::make(how, make_origin("A", 1), random, {}).error().code, errc::invalid_argument);
  EXPECT_EQ(core::make({}, make_origin("", 1), random, {}).error().code, errc::invalid_argument);
  EXPECT_EQ(core::make({}, make_origin(std::string(256, 'x'), 1), random, {}).error().code, errc::invalid_argument);
  EXPECT_EQ(core::make({}, make_origin("A", 0), random, {}).error().code, errc::invalid_argument);
}

}  // namespace
}  // namespace muster::gossip::testing
