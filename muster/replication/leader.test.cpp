#include <gtest/gtest.h>

#include "muster/replication/test_cluster.hpp"

namespace muster::replication::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A master with slaves that are active, under the names M, A, B …
class grid : public cluster {
 public:
  explicit grid(const std::vector<std::string>& slaves, std::size_t active_min = 0) {
    options master = defaults("M", role::master);
    master.active_slaves_min = active_min;
    start(master);
    EXPECT_TRUE(run_until([&] { return is("M", phase::serving); }, seconds{5}));
    for (const auto& name : slaves) {
      start(defaults(name, role::slave));
      EXPECT_TRUE(run_until([&] { return is(name, phase::active); }, seconds{5})) << name;
    }
  }

  [[nodiscard]] bool done(std::uint64_t ticket) { return answer("M", ticket) != nullptr; }
};

TEST(leader, without_slaves_answers_when_the_change_is_durable) {
  grid g{{}};
  const auto ticket = g.propose("M", "a=1");
  ASSERT_TRUE(g.done(ticket));
  EXPECT_EQ(*g.answer("M", ticket), serial{1});
  EXPECT_EQ(g.at("M").machine->published.at("a").value, "1");
  EXPECT_EQ(g.at("M").disk.present.rows.size(), 1U);
}

TEST(leader, without_slaves_persists_with_a_change_that_it_is_acknowledged) {
  grid g{{}};
  g.propose("M", "a=1");
  EXPECT_EQ(decode_meta(*g.at("M").disk.present.meta)->history.acknowledged, serial{1});
}

TEST(leader, commits_waiting_proposals_together_and_a_lone_one_at_once) {
  grid g{{}};
  const int before = g.at("M").disk.steps;
  g.propose("M", "lone=1");
  EXPECT_EQ(g.at("M").disk.steps, before + 1);
  std::vector<std::string> many;
  many.reserve(128);
  for (int i = 0; i < 128; ++i) {
    many.push_back(fmt::format("k{}=v", i));
  }
  const auto tickets = g.propose_together("M", many);
  EXPECT_EQ(g.at("M").disk.steps, before + 2);
  for (std::size_t i = 0; i < tickets.size(); ++i) {
    EXPECT_EQ(*g.answer("M", tickets[i]), serial{2 + i});
  }
}

TEST(leader, answers_only_after_every_active_slave_has_acknowledged) {
  grid g{{"A", "B"}};
  g.pause("B");
  const auto ticket = g.propose("M", "a=1");
  g.run(milliseconds{300});
  EXPECT_FALSE(g.done(ticket));
  EXPECT_EQ(g.at("A").core->history().last, serial{1});
  g.resume("B");
  EXPECT_TRUE(g.run_until([&] { return g.done(ticket); }, seconds{1}));
  EXPECT_EQ(g.at("B").machine->published, g.at("M").machine->published);
}

TEST(leader, commits_together_what_is_proposed_while_a_batch_is_with_the_slaves) {
  grid g{{"A"}};
  g.pause("A");
  const auto first = g.propose("M", "a=1");
  EXPECT_EQ(g.at("M").core->history().last, serial{1}) << "a lone change is committed at once";
  g.propose("M", "b=1");
  const auto third = g.propose("M", "c=1");
  EXPECT_EQ(g.at("M").core->history().last, serial{1});
  const int before = g.at("M").disk.steps;
  g.resume("A");
  ASSERT_TRUE(g.run_until([&] { return g.done(third); }, milliseconds{100}));
  EXPECT_TRUE(g.done(first));
  EXPECT_EQ(g.at("M").disk.steps, before + 1);
}

TEST(leader, gathers_the_next_changes_of_those_whom_it_has_just_answered) {
  grid g{{"A"}};
  const auto two = g.propose_together("M", {"a=1", "b=1"});
  ASSERT_TRUE(g.run_until([&] { return g.done(two.back()); }, milliseconds{100}));
  const int before = g.at("M").disk.steps;
  g.propose("M", "c=1");
  EXPECT_EQ(g.at("M").disk.steps, before);
  g.propose("M", "d=1");
  EXPECT_EQ(g.at("M").disk.steps, before + 1) << "both are back";
}

TEST(leader, gathers_no_longer_than_its_bound) {
  grid g{{"A"}};
  const auto two = g.propose_together("M", {"a=1", "b=1"});
  ASSERT_TRUE(g.run_until([&] { return g.done(two.back()); }, milliseconds{100}));
  g.propose("M", "c=1");
  EXPECT_TRUE(g.run_until([&] { return g.at("M").core->history().last == serial{3}; }, milliseconds{1}));
}

TEST(leader, lets_no_batch_wait_for_a_slave_that_does_not_answer) {
  grid g{{"A", "B"}};
  g.pause("A");
  g.propose("M", "a=1");
  g.propose("M", "b=1");
  EXPECT_TRUE(g.run_until([&] { return g.at("B").core->history().last == serial{2}; }, milliseconds{30}));
  g.resume("A");
}

TEST(leader, is_delayed_by_a_stopped_slave_once_and_by_its_bound) {
  grid g{{"A", "B"}};
  g.pause("B");
  const instant begin = g.now();
  const auto first = g.propose("M", "a=1");
  ASSERT_TRUE(g.run_until([&] { return g.done(first); }, seconds{5}));
  EXPECT_LE(g.now() - begin, milliseconds{2500});
  EXPECT_TRUE(g.told("M", event_kind::slave_dropped));

  const instant again = g.now();
  const auto second = g.propose("M", "b=1");
  ASSERT_TRUE(g.run_until([&] { return g.done(second); }, seconds{5}));
  EXPECT_LE(g.now() - again, milliseconds{10});
  EXPECT_TRUE(g.is("A", phase::active));
}

TEST(leader, is_not_held_up_by_a_slave_that_answers_in_time_but_falls_behind) {
  cluster g;
  options how = cluster::defaults("M", role::master);
  how.message_bytes_max = 10;  // one change in a message
  g.start(how);
  ASSERT_TRUE(g.run_until([&] { return g.is("M", phase::serving); }, seconds{5}));
  g.start(cluster::defaults("A", role::slave));
  ASSERT_TRUE(g.run_until([&] { return g.is("A", phase::active); }, seconds{5}));
  g.weather.delay_max = milliseconds{800};
  std::vector<std::uint64_t> tickets;
  tickets.reserve(30);
  for (int i = 0; i < 30; ++i) {
    tickets.push_back(g.propose("M", fmt::format("key{}=x", i)));
  }
  const instant begin = g.now();
  ASSERT_TRUE(g.run_until([&] { return g.answer("M", tickets.back()) != nullptr; }, seconds{30}));
  EXPECT_LE(g.now() - begin, seconds{2} + milliseconds{10});
  EXPECT_NE(g.last_told("M", event_kind::slave_dropped).find("did not have a change"), std::string::npos);
}

TEST(leader, lets_go_of_a_slave_at_once_when_its_connection_breaks) {
  grid g{{"A"}};
  g.pause("A");
  const auto ticket = g.propose("M", "a=1");
  EXPECT_FALSE(g.done(ticket));
  g.crash("A");
  EXPECT_TRUE(g.done(ticket));
}

TEST(leader, drops_a_silent_slave_without_any_change) {
  grid g{{"A"}};
  g.pause("A");
  g.run(seconds{4});
  EXPECT_TRUE(g.told("M", event_kind::slave_dropped));
  EXPECT_EQ(g.at("M").replicas.replicas.size(), 1U);
}

TEST(leader, takes_a_dropped_slave_back_when_it_has_caught_up_by_the_log) {
  grid g{{"A"}};
  g.pause("A");
  g.propose("M", "a=1");
  g.run(seconds{3});
  g.propose("M", "b=1");
  g.resume("A");
  ASSERT_TRUE(g.run_until([&] { return g.at("M").replicas.replicas.size() == 2; }, seconds{10}));
  EXPECT_EQ(g.at("A").machine->published, g.at("M").machine->published);
  EXPECT_EQ(g.at("A").machine->installs, 1) << "only the first copy was a snapshot";
}

TEST(leader, answers_each_of_a_failed_batch_with_the_error_and_changes_nothing) {
  grid g{{}};
  g.propose("M", "a=1");
  g.at("M").disk.refuses = error{errc::storage_full, "the disk is full"};
  const auto tickets = g.propose_together("M", {"b=1", "c=1", "nonsense"});
  EXPECT_EQ(g.answer("M", tickets[0])->error().code, errc::storage_full);
  EXPECT_EQ(g.answer("M", tickets[1])->error().code, errc::storage_full);
  ASSERT_TRUE(g.done(tickets[2]));
  EXPECT_FALSE(g.answer("M", tickets[2])->has_value());
  EXPECT_EQ(g.at("M").machine->published.size(), 1U);
  EXPECT_EQ(g.at("M").machine->staged, g.at("M").machine->published);
  EXPECT_EQ(g.at("M").core->history().last, serial{1});

  g.at("M").disk.refuses.reset();
  const auto later = g.propose("M", "b=1");
  EXPECT_EQ(*g.answer("M", later), serial{2});
}

TEST(leader, tries_changes_one_by_one_while_the_storage_is_full) {
  grid g{{}};
  g.propose("M", "a=1");
  g.at("M").disk.refuses = error{errc::storage_full, "the disk is full"};
  g.propose_together("M", {"b=1", "c=1"});
  g.at("M").disk.refuses.reset();
  const int before = g.at("M").disk.steps;
  g.propose_together("M", {"a=", "b=1", "c=1"});
  EXPECT_EQ(g.at("M").disk.steps, before + 2) << "first one alone, then two";
}

TEST(leader, ends_when_the_storage_fails) {
  grid g{{}};
  g.at("M").disk.refuses = error{errc::io_error, "the disk is gone"};
  const auto ticket = g.propose("M", "a=1");
  EXPECT_EQ(g.answer("M", ticket)->error().code, errc::io_error);
  EXPECT_TRUE(g.is("M", phase::failed));
  EXPECT_TRUE(g.told("M", event_kind::storage_failed));
  const auto later = g.propose("M", "b=1");
  EXPECT_EQ(g.answer("M", later)->error().code, errc::io_error);
}

TEST(leader, answers_a_refusal_when_what_it_rests_on_is_acknowledged) {
  grid g{{"A"}};
  g.pause("A");
  const auto tickets = g.propose_together("M", {"a=1", "a=", "a="});
  g.run(milliseconds{200});
  EXPECT_FALSE(g.done(tickets[2]));
  g.resume("A");
  ASSERT_TRUE(g.run_until([&] { return g.done(tickets[2]); }, seconds{1}));
  EXPECT_EQ(g.answer("M", tickets[2])->error().code, errc::not_found);
}

TEST(leader, completes_a_barrier_when_all_that_is_committed_is_acknowledged) {
  grid g{{"A"}};
  EXPECT_TRUE(g.done(g.barrier("M")));
  g.pause("A");
  g.propose("M", "a=1");
  const auto ticket = g.barrier("M");
  g.run(milliseconds{200});
  EXPECT_FALSE(g.done(ticket));
  g.resume("A");
  ASSERT_TRUE(g.run_until([&] { return g.done(ticket); }, seconds{1}));
  EXPECT_EQ(*g.answer("M", ticket), serial{1});
}

TEST(leader, refuses_changes_below_the_minimum_of_active_slaves) {
  grid g{{"A"}, 1};
  ASSERT_TRUE(g.run_until([&, t = g.propose("M", "a=1")] { return g.done(t); }, seconds{1}));
  g.crash("A");
  const auto refused = g.propose("M", "b=1");
  EXPECT_EQ(g.answer("M", refused)->error().code, errc::unavailable);
  EXPECT_EQ(g.at("M").core->history().last, serial{1});
}

TEST(leader, does_not_claim_a_change_that_fewer_slaves_hold_than_asked_for) {
  grid g{{"A"}, 1};
  g.pause("A");
  const auto ticket = g.propose("M", "a=1");
  g.crash("A");
  ASSERT_TRUE(g.done(ticket));
  EXPECT_EQ(g.answer("M", ticket)->error().code, errc::outcome_unknown);
  EXPECT_EQ(g.at("M").core->history().acknowledged, serial{0});
}

TEST(leader, bounds_what_waits) {
  cluster g;
  options how = cluster::defaults("M", role::master);
  how.proposals_max = 3;
  g.start(how);
  g.run(seconds{1});
  g.weather.store_max = milliseconds{10};
  const auto tickets = g.propose_together("M", {"a=1", "b=1", "c=1", "d=1"});
  ASSERT_NE(g.answer("M", tickets[3]), nullptr);
  EXPECT_EQ(g.answer("M", tickets[3])->error().code, errc::limit_exceeded);
}

TEST(leader, tells_slaves_soon_what_is_acknowledged_and_all_persist_it_when_idle) {
  grid g{{"A"}};
  g.propose("M", "a=1");
  g.run(seconds{3});
  for (const auto* name : {"M", "A"}) {
    const auto meta = decode_meta(*g.at(name).disk.present.meta);
    ASSERT_TRUE(meta) << name;
    EXPECT_EQ(meta->history.acknowledged, serial{1}) << name;
  }
}

TEST(leader, does_not_write_when_nothing_happens) {
  grid g{{"A"}};
  g.run(seconds{5});
  const int master = g.at("M").disk.steps;
  const int slave = g.at("A").disk.steps;
  g.run(seconds{60});
  EXPECT_EQ(g.at("M").disk.steps, master);
  EXPECT_EQ(g.at("A").disk.steps, slave);
}

TEST(leader, in_read_only_mode_takes_no_changes_and_keeps_slaves_from_synchronizing) {
  cluster g;
  options how = cluster::defaults("M", role::master);
  g.start(how);
  g.start(cluster::defaults("A", role::slave));
  ASSERT_TRUE(g.run_until([&] { return g.is("A", phase::active); }, seconds{5}));
  g.stop("A");
  g.propose("M", "a=1");
  how.read_only = true;
  g.start(how);
  g.start(cluster::defaults("A", role::slave));
  ASSERT_TRUE(g.run_until([&] { return g.is("A", phase::refused); }, seconds{5}));
  EXPECT_NE(g.last_told("A", event_kind::refused_by_master).find("--readonly"), std::string::npos);
  const auto ticket = g.propose("M", "b=1");
  EXPECT_EQ(g.answer("M", ticket)->error().code, errc::not_master);
  g.run(seconds{5});
  EXPECT_EQ(g.at("A").machine->published.size(), 0U);

  how.read_only = false;
  g.start(how);
  ASSERT_TRUE(g.run_until([&] { return g.is("A", phase::active); }, seconds{10}));
  EXPECT_EQ(g.at("A").machine->published.size(), 1U);
}

TEST(leader, in_read_only_mode_gives_a_copy_to_whoever_asks_for_one) {
  cluster g;
  options how = cluster::defaults("M", role::master);
  how.read_only = true;
  g.start(how);
  options copying = cluster::defaults("A", role::slave);
  copying.initdb_from_replica = "M";
  g.start(copying);
  EXPECT_TRUE(g.run_until([&] { return g.told("A", event_kind::snapshot_installed); }, seconds{10}));
}

TEST(leader, says_good_bye_to_its_slaves_and_answers_what_waits) {
  grid g{{"A"}};
  g.pause("A");
  const auto ticket = g.propose("M", "a=1");
  g.stop("M");
  EXPECT_EQ(g.answer("M", ticket)->error().code, errc::outcome_unknown);
  g.resume("A");
  EXPECT_TRUE(g.run_until([&] { return g.told("A", event_kind::master_lost); }, milliseconds{100}));
}

}  // namespace
}  // namespace muster::replication::testing
