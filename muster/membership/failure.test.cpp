#include <gtest/gtest.h>

#include "muster/membership/test_network.hpp"
#include "tests/support/sanitized.hpp"

namespace muster::membership::testing {
namespace {

/// A cluster whose members all know each other, a while ago.
class formed : public network {
 public:
  explicit formed(std::size_t count, std::uint64_t seed = 1) : network{seed}, all{names(count)} {
    start_all(all);
    run(seconds{10} + milliseconds{random().below(1000)});
    EXPECT_TRUE(agree());
  }

  /// How long until every other running process has `name` unreachable; more than `bound` when it takes longer.
  duration time_until_unreachable(const std::string& name, duration bound) {
    const instant began = now();
    const bool found = run_until(
        [&] {
          return std::ranges::all_of(running(), [&](const auto& other) {
            return other == name || state(other, name) == member_state::unreachable;
          });
        },
        bound);
    return found ? now() - began : bound + seconds{1};
  }

  std::vector<std::string> all;
};

TEST(failure, a_killed_process_is_unreachable_everywhere_within_tens_of_milliseconds) {
  for (const std::size_t count : {2U, 3U, 5U, 20U}) {
    formed net{count, count};
    net.crash("n01");
    EXPECT_LE(net.time_until_unreachable("n01", seconds{1}), milliseconds{50}) << count;
    EXPECT_EQ(net.count("n00", event_kind::unreachable, "n01"), 1U);
  }
}

TEST(failure, a_killed_process_that_takes_one_more_connection_is_unreachable_as_soon) {
  for (const std::size_t count : {2U, 3U, 5U, 20U}) {
    formed net{count, count};
    net.crash_slowly("n01");
    EXPECT_LE(net.time_until_unreachable("n01", seconds{1}), milliseconds{50}) << count;
  }
}

TEST(failure, a_connection_that_breaks_again_and_again_is_tried_a_few_times) {
  formed net{5};
  std::size_t sent = 0;
  net.on_send = [&](const auto& from, const outgoing& what) {
    if (from.name == "n00" && what.destination() == network::address_of("n01")) ++sent;
  };
  for (int i = 0; i < 1000; ++i) {
    net.at("n00").core->handle_connection_lost(network::address_of("n01"), net.now());
    net.pump(net.at("n00"));
  }
  EXPECT_LE(sent, 10U);
}

TEST(failure, two_processes_killed_together_do_not_vouch_for_each_other) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    formed net{5, seed};
    net.crash("n01");
    net.crash("n02");
    EXPECT_LE(net.time_until_unreachable("n01", seconds{1}), milliseconds{50}) << seed;
    EXPECT_LE(net.time_until_unreachable("n02", seconds{1}), milliseconds{50}) << seed;
  }
}

TEST(failure, a_broken_connection_to_a_living_process_changes_nothing) {
  formed net{5};
  for (int i = 0; i < 20; ++i) {
    net.at("n00").core->handle_connection_lost(network::address_of("n01"), net.now());
    net.pump(net.at("n00"));
    net.run(milliseconds{700});
  }
  EXPECT_EQ(net.count("n00", event_kind::unreachable, "n01"), 0U);
  EXPECT_EQ(net.at("n00").core->status().counters.suspicions, 0U);
}

TEST(failure, one_process_that_is_refused_alone_does_not_make_a_member_unreachable) {
  formed net{5};
  net.at("n00").core->handle_connection_refused(network::address_of("n01"), net.now());
  net.pump(net.at("n00"));
  net.run(seconds{5});
  EXPECT_EQ(net.count("n00", event_kind::unreachable, "n01"), 0U) << "the others reach it";
}

TEST(failure, a_silent_link_is_found_within_three_seconds) {
  for (const std::size_t count : {2U, 3U, 4U, 5U, 8U, 20U, 60U}) {
    duration longest{0};
    for (std::uint64_t seed = 1; seed <= (tests::sanitized ? 5U : 25U); ++seed) {
      formed net{count, seed * 100 + count};
      net.isolate("n01");
      const instant began = net.now();
      EXPECT_TRUE(net.run_until(
          [&] {
            return std::ranges::all_of(net.all, [&](const auto& other) {
              return other == "n01" || net.state(other, "n01") == member_state::unreachable;
            });
          },
          seconds{3}))
          << count << " members, seed " << seed;
      longest = std::max(longest, net.now() - began);
    }
    RecordProperty(fmt::format("longest_ms_of_{}", count),
                   static_cast<int>(std::chrono::duration_cast<milliseconds>(longest).count()));
  }
}

TEST(failure, a_member_that_answers_again_is_reachable_again) {
  formed net{5};
  net.isolate("n01");
  net.run(seconds{20});
  EXPECT_EQ(net.state("n00", "n01"), member_state::unreachable);
  EXPECT_EQ(net.state("n01", "n00"), member_state::unreachable);
  net.mend();
  EXPECT_TRUE(net.run_until([&] { return net.agree(); }, seconds{6}));
  net.run(seconds{20});
  for (const auto& name : net.all) {
    for (const auto& other : net.all) {
      if (name != other && (name == "n01" || other == "n01")) {
        EXPECT_EQ(net.count(name, event_kind::unreachable, other), 1U) << name << " about " << other;
        EXPECT_EQ(net.count(name, event_kind::reachable, other), 1U) << name << " about " << other;
      }
    }
  }
}

TEST(failure, a_link_that_fails_between_two_only_is_made_up_for_by_the_others) {
  formed net{5};
  net.cut("n00", "n01");
  net.run(minutes{2});
  for (const auto& name : net.all) {
    for (const auto& other : net.all) {
      EXPECT_EQ(net.count(name, event_kind::unreachable, other), 0U) << name << " about " << other;
    }
  }
}

TEST(failure, an_unreachable_member_is_removed_after_the_configured_time) {
  formed net{4};
  net.crash("n01");
  net.run(seconds{59});
  EXPECT_EQ(net.count("n00", event_kind::removed, "n01"), 0U);
  net.run(seconds{2});
  for (const auto& name : net.running()) {
    EXPECT_EQ(net.count(name, event_kind::removed, "n01"), 1U) << name;
    EXPECT_TRUE(net.at(name).core->is_removed("n01", net.at("n01").last_incarnation));
  }
  EXPECT_TRUE(net.agree());
}

TEST(failure, a_process_restarted_at_its_address_is_a_new_member_at_once_and_the_old_one_is_gone) {
  formed net{5};
  const incarnation old = net.at("n01").last_incarnation;
  net.crash("n01", true);
  net.start("n01", {"n00"});
  EXPECT_TRUE(net.run_until([&] { return net.agree(); }, milliseconds{100}));
  for (const auto& name : net.all) {
    if (name != "n01") {
      EXPECT_EQ(net.count(name, event_kind::removed, "n01"), 1U) << name;
      EXPECT_EQ(net.count(name, event_kind::up, "n01"), 2U) << name;
      EXPECT_TRUE(net.at(name).core->is_removed("n01", old)) << name;
    }
  }
  net.run(minutes{2});
  EXPECT_TRUE(net.agree());
}

TEST(failure, a_seed_that_is_restarted_and_knows_only_itself_is_taken_in_again) {
  formed net{4};
  net.crash("n00");
  net.run(milliseconds{50});
  net.start("n00", {"n00"});
  EXPECT_TRUE(net.at("n00").joined);
  EXPECT_TRUE(net.run_until([&] { return net.agree(); }, seconds{8}));
}

TEST(failure, a_process_of_another_name_at_the_address_of_a_dead_one_takes_its_place_at_once) {
  formed net{4};
  net.crash("n01", true);
  options how = network::defaults("heir", {"n00"});
  how.address = network::address_of("n01");
  net.start(how);
  EXPECT_TRUE(net.run_until([&] { return net.agree(); }, milliseconds{200}));
  EXPECT_EQ(net.count("n00", event_kind::removed, "n01"), 1U);
}

TEST(failure, a_clock_set_back_before_a_restart_costs_one_more_attempt) {
  formed net{3};
  net.crash("n01", true);
  options how = network::defaults("n01", {"n00"});
  how.incarnation = incarnation{5};
  net.start(how);
  EXPECT_TRUE(net.run_until([&] { return net.agree(); }, seconds{2}));
  EXPECT_EQ(net.at("n01").rejoins, 1U);
}

// It was told of its own earlier life instead, which it exceeded already, and came back as often as messages travel.
TEST(failure, a_process_that_moves_to_the_address_of_a_dead_one_whose_clock_was_ahead_comes_back_once) {
  network net;
  net.start("n00", {"n00"});
  prng random{3};
  options ahead = network::defaults("n01", {"n00"});
  ahead.incarnation = make_incarnation(2'000'000'000, random);
  net.start(ahead);
  net.start("n02", {"n00"});
  ASSERT_TRUE(net.run_until([&] { return net.agree(); }, seconds{5}));
  net.crash("n01", true);
  net.crash("n02", true);
  options moved = network::defaults("n02", {"n00"});
  moved.address = network::address_of("n01");
  net.start(moved);
  EXPECT_TRUE(net.run_until([&] { return net.agree(); }, seconds{2}));
  net.run(seconds{5});
  EXPECT_TRUE(net.agree());
  EXPECT_EQ(net.at("n02").rejoins, 1U);
}

TEST(failure, the_earlier_of_two_living_processes_of_one_name_is_told_so) {
  formed net{3};
  options how = network::defaults("n01", {"n00"});
  how.address = "elsewhere";
  // Under another name in the test's books, so that both live.
  prng random{3};
  how.incarnation = make_incarnation(2'000'000'000, random, incarnation{net.at("n01").last_incarnation.value() + 1});
  instant now = net.now();
  auto second = *participant::make(how, random, now);
  for (const auto& message : second->poll_ready(now).messages) {
    net.inject("n00", message.content);
  }
  net.run(seconds{5});
  ASSERT_TRUE(net.at("n01").replaced);
  EXPECT_NE(net.at("n01").replaced->find("another process named 'n01'"), std::string::npos) << *net.at("n01").replaced;
  EXPECT_NE(net.at("n01").replaced->find("elsewhere"), std::string::npos);
}

TEST(pause, of_three_seconds_flickers_at_most_once_and_of_thirty_removes_nobody) {
  for (const int length_s : {3, 30}) {
    formed net{5, static_cast<std::uint64_t>(length_s)};
    net.pause("n01");
    net.run(seconds{length_s});
    net.resume("n01");
    EXPECT_TRUE(net.run_until([&] { return net.agree(); }, seconds{3})) << length_s;
    net.run(seconds{30});
    EXPECT_EQ(net.at("n01").rejoins, 0U);
    for (const auto& name : net.all) {
      EXPECT_LE(net.count(name, event_kind::unreachable, "n01"), 1U) << name;
      EXPECT_EQ(net.count("n01", event_kind::unreachable, name), 0U) << "who was paused must not blame " << name;
    }
  }
}

TEST(pause, beyond_removal_brings_the_process_back_as_a_new_one) {
  formed net{4};
  net.pause("n01");
  net.run(seconds{90});
  EXPECT_EQ(net.count("n00", event_kind::removed, "n01"), 1U);
  net.resume("n01");
  EXPECT_TRUE(net.run_until([&] { return net.agree(); }, seconds{3}));
  EXPECT_EQ(net.at("n01").rejoins, 1U);
  EXPECT_EQ(net.at("n00").rejoins + net.at("n02").rejoins + net.at("n03").rejoins, 0U);
}

TEST(pause, longer_than_the_horizon_ends_the_incarnation_without_being_told) {
  formed net{3};
  net.pause("n01");
  net.run(std::chrono::hours{3});
  net.resume("n01");
  EXPECT_TRUE(net.run_until([&] { return net.agree(); }, seconds{3}));
  EXPECT_EQ(net.at("n01").rejoins, 1U);
}

TEST(pause, of_everybody_at_once_removes_nobody) {
  formed net{5};
  for (const auto& name : net.all) {
    net.pause(name);
  }
  net.run(minutes{10});
  for (const auto& name : net.all) {
    net.resume(name);
  }
  net.run(seconds{20});
  EXPECT_TRUE(net.agree());
  for (const auto& name : net.all) {
    EXPECT_EQ(net.at(name).rejoins, 0U) << name;
    for (const auto& other : net.all) {
      EXPECT_EQ(net.count(name, event_kind::unreachable, other), 0U) << name << " about " << other;
    }
  }
}

TEST(pause, a_clock_that_jumps_back_is_ignored) {
  prng random{1};
  options how = network::defaults("a");
  how.incarnation = incarnation{1};
  instant now{seconds{100}};
  auto one = *participant::make(how, random, now);
  (void)one->poll_ready(now);
  const instant due = one->next_deadline();
  one->handle_tick(now - seconds{50});
  EXPECT_EQ(one->next_deadline(), due);
}

TEST(loss, of_a_fifth_of_all_messages_with_long_delays_does_not_let_members_flap) {
  formed net{5};
  net.weather = {
      .lost_percent = 20, .doubled_percent = 5, .delay_min = milliseconds{25}, .delay_max = milliseconds{75}};
  net.run(minutes{5});
  std::size_t flaps = 0;
  for (const auto& name : net.all) {
    EXPECT_EQ(net.at(name).rejoins, 0U);
    for (const auto& other : net.all) {
      flaps += net.count(name, event_kind::unreachable, other);
    }
  }
  EXPECT_LE(flaps, 8U) << "in five minutes, over twenty pairs";
  net.weather = {};
  EXPECT_TRUE(net.run_until([&] { return net.agree(); }, seconds{5}));
}

TEST(slow, a_process_that_hears_everything_late_blames_itself_and_not_the_others) {
  formed net{8};
  for (const auto& other : net.all) {
    if (other != "n03") {
      net.cut_one_way(other, "n03");
    }
  }
  net.run(milliseconds{900});
  EXPECT_GT(net.at("n03").core->status().awareness, 0U);
}

}  // namespace
}  // namespace muster::membership::testing
