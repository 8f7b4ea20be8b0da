#include <gtest/gtest.h>

#include <algorithm>

#include "muster/replication/diverged_tail.hpp"
#include "muster/replication/test_cluster.hpp"

namespace muster::replication::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class catch_up : public ::testing::Test {
 protected:
  void start_master(const std::function<void(options&)>& change = {}) {
    options how = cluster::defaults("M", role::master);
    if (change) {
      change(how);
    }
    g_.start(how);
    ASSERT_TRUE(g_.run_until([&] { return g_.is("M", phase::serving); }, seconds{5}));
  }

  void start_slave(const std::string& name) { g_.start(cluster::defaults(name, role::slave)); }
  bool active(const std::string& name) {
    return g_.run_until([&] { return g_.is(name, phase::active); }, seconds{60});
  }
  void write(const std::string& name, int from, int to) {
    for (int i = from; i < to; ++i) {
      g_.propose(name, fmt::format("key{}=value{}", i, i));
    }
    g_.run(milliseconds{100});
  }
  void expect_equal(const std::string& a, const std::string& b) {
    EXPECT_EQ(g_.at(a).machine->published, g_.at(b).machine->published);
    EXPECT_EQ(g_.at(a).disk.present.rows, g_.at(b).disk.present.rows);
    EXPECT_EQ(g_.at(a).core->history().last, g_.at(b).core->history().last);
    EXPECT_EQ(g_.at(a).core->history().terms, g_.at(b).core->history().terms);
  }

  cluster g_;
};

TEST_F(catch_up, a_fresh_slave_has_no_copy_before_its_snapshot_is_whole) {
  start_master();
  write("M", 0, 1000);
  start_slave("A");
  EXPECT_FALSE(g_.at("A").core->has_copy());
  g_.run_until([&] { return g_.is("A", phase::catching_up); }, seconds{5});
  EXPECT_FALSE(g_.at("A").core->has_copy());
  ASSERT_TRUE(active("A"));
  EXPECT_TRUE(g_.at("A").core->has_copy());
  expect_equal("A", "M");
}

TEST_F(catch_up, a_slave_without_master_and_copy_says_so) {
  start_slave("A");
  g_.run(seconds{10});
  EXPECT_FALSE(g_.at("A").core->has_copy());
  EXPECT_NE(g_.last_told("A", event_kind::no_master).find("has no copy"), std::string::npos);
}

TEST_F(catch_up, an_empty_database_is_a_copy_too) {
  start_master();
  start_slave("A");
  ASSERT_TRUE(active("A"));
  EXPECT_TRUE(g_.at("A").core->has_copy());
  EXPECT_EQ(g_.at("A").core->history().last, serial{0});
}

TEST_F(catch_up, a_slave_that_missed_a_few_changes_gets_just_these) {
  start_master();
  write("M", 0, 50);
  start_slave("A");
  ASSERT_TRUE(active("A"));
  g_.crash("A");
  write("M", 50, 60);
  start_slave("A");
  ASSERT_TRUE(active("A"));
  EXPECT_EQ(g_.at("A").machine->installs, 0);
  expect_equal("A", "M");
}

TEST_F(catch_up, a_slave_that_missed_more_than_the_log_holds_gets_a_snapshot) {
  start_master([](options& how) { how.log_entries_max = 20; });
  write("M", 0, 50);
  start_slave("A");
  ASSERT_TRUE(active("A"));
  g_.crash("A");
  write("M", 50, 100);
  start_slave("A");
  ASSERT_TRUE(active("A"));
  EXPECT_EQ(g_.at("A").machine->installs, 1);
  expect_equal("A", "M");
}

TEST_F(catch_up, changes_that_come_during_a_snapshot_follow_from_the_log) {
  start_master([](options& how) {
    how.log_entries_max = 5;
    how.message_bytes_max = 200;
  });
  write("M", 0, 300);
  start_slave("A");
  ASSERT_TRUE(g_.run_until([&] { return g_.is("A", phase::catching_up); }, seconds{5}));
  int i = 1000;
  ASSERT_TRUE(g_.run_until(
      [&] {
        g_.propose("M", fmt::format("late{}=x", i++));
        g_.run(milliseconds{1});
        return g_.is("A", phase::active);
      },
      seconds{60}));
  EXPECT_EQ(g_.at("A").machine->installs, 1);
  g_.run(seconds{1});
  expect_equal("A", "M");
}

TEST_F(catch_up, begins_again_when_the_log_cannot_be_kept_that_long) {
  start_master([](options& how) {
    how.log_entries_max = 5;
    how.log_bytes_max = 100;
    how.log_bytes_hard_max = 2000;
    how.message_bytes_max = 200;
  });
  write("M", 0, 300);
  start_slave("A");
  ASSERT_TRUE(g_.run_until(
      [&] {
        const auto slaves = g_.at("M").core->status().slaves;
        return !slaves.empty() && slaves.front().by_snapshot;
      },
      seconds{5}));
  write("M", 300, 600);
  ASSERT_TRUE(active("A"));
  EXPECT_GE(g_.at("A").machine->installs, 2);
  EXPECT_NE(g_.last_told("M", event_kind::slave_dropped).find("log is kept"), std::string::npos);
  expect_equal("A", "M");
}

TEST_F(catch_up, becomes_active_under_constant_load) {
  start_master();
  write("M", 0, 50);
  start_slave("A");
  ASSERT_TRUE(active("A"));
  g_.crash("A");
  write("M", 50, 400);
  g_.weather.store_max = milliseconds{2};
  // As soon as one change is answered the next one comes, so that the slave is never at the end when it looks.
  int i = 1000;
  g_.on_answer = [&](cluster::node& one, const completion&) { g_.propose(one.name, fmt::format("k{}=x", ++i)); };
  g_.propose("M", "k=x");
  start_slave("A");
  EXPECT_TRUE(active("A"));
  g_.on_answer = {};
}

TEST_F(catch_up, a_crash_midway_leaves_the_old_copy_serving) {
  start_master([](options& how) {
    how.log_entries_max = 5;
    how.message_bytes_max = 200;
  });
  write("M", 0, 10);
  start_slave("A");
  ASSERT_TRUE(active("A"));
  g_.crash("A");
  write("M", 10, 300);
  start_slave("A");
  ASSERT_TRUE(g_.run_until([&] { return g_.at("A").disk.replacement && g_.at("A").disk.replacement->rows.size() > 20; },
                           seconds{5}));
  g_.crash("A");
  EXPECT_EQ(g_.at("A").disk.present.rows.size(), 10U);
  g_.cut("A", "M");
  start_slave("A");
  g_.run(seconds{3});
  EXPECT_TRUE(g_.at("A").core->has_copy());
  EXPECT_EQ(g_.at("A").machine->published.size(), 10U);
  g_.mend_all();
  ASSERT_TRUE(active("A"));
  expect_equal("A", "M");
}

TEST_F(catch_up, a_change_bigger_than_a_frame_arrives_whole) {
  start_master();
  start_slave("A");
  ASSERT_TRUE(active("A"));
  const auto ticket = g_.propose("M", "big=" + std::string(1'500'000, 'x'));
  ASSERT_TRUE(g_.run_until([&] { return g_.answer("M", ticket) != nullptr; }, seconds{1}));
  EXPECT_TRUE(*g_.answer("M", ticket));
  expect_equal("A", "M");
  start_slave("B");
  ASSERT_TRUE(active("B"));
  expect_equal("B", "M");
}

TEST_F(catch_up, a_slave_that_cannot_apply_a_change_resynchronises_and_says_so) {
  start_master();
  start_slave("A");
  ASSERT_TRUE(active("A"));
  g_.at("A").machine->poisoned = "b=1";
  bool clean = true;
  g_.after_turn = [&](cluster::node& one) { clean = clean && one.machine->staged == one.machine->published; };
  g_.propose_together("M", {"a=1", "b=1"});
  g_.run(milliseconds{100});
  EXPECT_TRUE(clean) << "the changes before it in the message are unstaged as well";
  EXPECT_NE(g_.last_told("A", event_kind::apply_failed).find("resynchronises"), std::string::npos);
  ASSERT_TRUE(
      g_.run_until([&] { return g_.at("A").machine->installs == 2 && g_.is("A", phase::active); }, seconds{10}));
  expect_equal("A", "M");
}

TEST_F(catch_up, a_slave_whose_store_is_full_keeps_serving_and_is_visibly_refused_without_delaying_the_master) {
  start_master();
  start_slave("A");
  ASSERT_TRUE(active("A"));
  g_.propose("M", "a=1");
  g_.run(milliseconds{50});
  g_.at("A").disk.refuses = error{errc::storage_full, "the map is full"};
  const auto ticket = g_.propose("M", "b=1");
  ASSERT_TRUE(g_.run_until([&] { return g_.answer("M", ticket) != nullptr; }, milliseconds{100}));
  EXPECT_TRUE(g_.is("A", phase::refused));
  EXPECT_NE(g_.at("A").core->status().trouble.find("the map is full"), std::string::npos);
  EXPECT_EQ(g_.at("A").machine->published.size(), 1U);
  EXPECT_NE(g_.last_told("M", event_kind::slave_dropped).find("the map is full"), std::string::npos);
  g_.at("A").disk.refuses.reset();
  ASSERT_TRUE(active("A"));
  expect_equal("A", "M");
}

TEST_F(catch_up, slaves_that_cannot_keep_up_do_not_take_turns_in_keeping_callers_waiting) {
  start_master();
  start_slave("A");
  start_slave("B");
  ASSERT_TRUE(active("A") && active("B"));
  g_.propose("M", "a=1");
  g_.run(milliseconds{50});
  // B holds a change up, which A has not: A comes back with all that is acknowledged, and without that change.
  g_.pause("B");
  g_.at("A").disk.refuses = error{errc::storage_full, "the map is full"};
  g_.propose("M", "b=1");
  g_.run(milliseconds{1500});
  EXPECT_TRUE(g_.told("M", event_kind::slave_dropped));
  const auto& events = g_.at("M").events;
  const auto of = [&](event_kind kind) {
    return std::ranges::count_if(events, [&](const event& one) { return one.kind == kind && one.replica == "A"; });
  };
  EXPECT_GE(of(event_kind::slave_opened), 2);
  EXPECT_EQ(of(event_kind::slave_active), 1);
}

TEST_F(catch_up, a_tail_that_nobody_was_told_of_is_saved_before_it_is_dropped) {
  start_master();
  start_slave("A");
  ASSERT_TRUE(active("A"));
  write("M", 0, 10);
  g_.run(seconds{2});
  // The master commits what never reaches the slave, and nobody is answered.
  g_.pause("A");
  g_.propose_together("M", {"lost1=x", "lost2=x"});
  g_.crash("M");
  g_.resume("A");
  g_.stop("A");
  g_.start(cluster::defaults("A", role::master));
  ASSERT_TRUE(g_.run_until([&] { return g_.is("A", phase::serving); }, seconds{5}));
  EXPECT_EQ(g_.at("A").core->history().terms.current().number, 2U);
  write("A", 100, 110);

  g_.start(cluster::defaults("M", role::slave));
  ASSERT_TRUE(active("M"));
  expect_equal("M", "A");
  ASSERT_EQ(g_.at("M").tails.size(), 1U);
  const auto tail = decode_tail(g_.at("M").tails.front().content);
  ASSERT_TRUE(tail) << tail.error().message;
  ASSERT_EQ(tail->entries.size(), 2U);
  EXPECT_EQ(text(tail->entries[0].change.view()), "lost1=x");
  EXPECT_EQ(text(tail->entries[1].change.view()), "lost2=x");
  EXPECT_TRUE(g_.told("M", event_kind::tail_saved));
}

TEST_F(catch_up, a_tail_longer_than_the_log_is_kept_is_saved_whole) {
  start_master();
  start_slave("A");
  ASSERT_TRUE(active("A"));
  options forgetful = cluster::defaults("B", role::slave);
  forgetful.log_entries_max = 2;
  g_.start(forgetful);
  ASSERT_TRUE(active("B"));
  g_.propose("M", "a=1");
  g_.run(seconds{2});
  // A holds the answers back, while B gets the changes.
  g_.cut("A", "M");
  for (int i = 0; i < 6; ++i) {
    g_.propose("M", fmt::format("lost{}=x", i));
  }
  ASSERT_TRUE(g_.run_until([&] { return g_.at("B").core->history().last == serial{7}; }, seconds{1}));
  g_.crash("M");
  g_.crash("B");
  g_.mend_all();
  g_.stop("A");
  g_.start(cluster::defaults("A", role::master));
  ASSERT_TRUE(g_.run_until([&] { return g_.is("A", phase::serving); }, seconds{5}));
  start_slave("B");
  ASSERT_TRUE(active("B"));
  ASSERT_EQ(g_.at("B").tails.size(), 1U);
  EXPECT_EQ(decode_tail(g_.at("B").tails.front().content)->entries.size(), 6U);
}

TEST_F(catch_up, a_message_of_another_term_is_ignored_within_a_session) {
  start_master();
  session_id session;
  g_.on_send = [&](const std::string&, const std::string& to, const message& what) {
    if (const auto* one = std::get_if<opened>(&what); one != nullptr && to == "A") {
      session = one->session;
    }
  };
  start_slave("A");
  ASSERT_TRUE(active("A"));
  append forged;
  forged.session = session;
  forged.current = {.number = 1, .id = {}};
  forged.entries = {{serial{1}, shared_bytes{text("forged=1")}}};
  g_.inject("A", *g_.at("M").process, forged);
  EXPECT_TRUE(g_.at("A").machine->published.empty());
  forged.current = g_.at("M").core->history().terms.current();
  g_.inject("A", peer_id{1'000'000}, forged);
  EXPECT_TRUE(g_.at("A").machine->published.empty()) << "nor is one from another peer";
}

TEST_F(catch_up, a_tail_that_came_within_a_snapshot_can_be_saved_too) {
  start_master();
  start_slave("A");
  ASSERT_TRUE(active("A"));
  write("M", 0, 10);
  g_.run(seconds{2});
  // A holds back the answers, so that B's snapshot contains what nobody was told is done.
  g_.cut("A", "M");
  g_.propose("M", "lost=x");
  start_slave("B");
  ASSERT_TRUE(g_.run_until([&] { return g_.at("B").core->history().last == serial{11}; }, milliseconds{1900}));
  g_.crash("M");
  g_.crash("B");
  g_.mend_all();
  g_.stop("A");
  g_.start(cluster::defaults("A", role::master));
  ASSERT_TRUE(g_.run_until([&] { return g_.is("A", phase::serving); }, seconds{5}));
  start_slave("B");
  ASSERT_TRUE(active("B"));
  ASSERT_EQ(g_.at("B").tails.size(), 1U);
  EXPECT_EQ(decode_tail(g_.at("B").tails.front().content)->entries.size(), 1U);
  expect_equal("B", "A");
}

TEST_F(catch_up, initdb_copies_a_replica_and_then_starts_in_its_own_role) {
  start_master();
  write("M", 0, 200);
  options how = cluster::defaults("A", role::slave);
  how.initdb_from_replica = "M";
  g_.start(how);
  ASSERT_TRUE(active("A"));
  expect_equal("A", "M");

  // From a slave, as master, once the old master is gone.
  g_.stop("M");
  how = cluster::defaults("N", role::master);
  how.initdb_from_replica = "A";
  g_.start(how);
  ASSERT_TRUE(g_.run_until([&] { return g_.is("N", phase::serving); }, seconds{10}));
  EXPECT_EQ(g_.at("N").core->history().terms.current().number, 2U);
  EXPECT_EQ(g_.at("N").machine->published.size(), 200U);
  ASSERT_TRUE(active("A"));
  expect_equal("A", "N");
}

TEST_F(catch_up, initdb_replaces_another_database_because_the_operator_said_so) {
  start_master();
  write("M", 0, 5);
  g_.start(cluster::defaults("X", role::slave));
  g_.stop("X");
  g_.cut("X", "M");
  options other = cluster::defaults("X", role::master);
  g_.start(other);
  ASSERT_TRUE(g_.run_until([&] { return g_.is("X", phase::serving); }, seconds{5}));
  g_.propose("X", "foreign=1");
  g_.mend_all();
  other.role = role::slave;
  g_.start(other);
  g_.run(seconds{5});
  EXPECT_TRUE(g_.is("X", phase::refused));
  other.initdb_from_replica = "M";
  g_.start(other);
  ASSERT_TRUE(active("X"));
  expect_equal("X", "M");
}

TEST_F(catch_up, initdb_from_a_replica_that_does_not_answer_changes_nothing) {
  start_master();
  write("M", 0, 5);
  options how = cluster::defaults("A", role::slave);
  how.initdb_from_replica = "Nobody";
  g_.start(how);
  ASSERT_TRUE(g_.run_until([&] { return g_.is("A", phase::start_refused); }, seconds{60}));
  const std::string sentence = g_.last_told("A", event_kind::start_refused);
  EXPECT_NE(sentence.find("'Nobody'"), std::string::npos);
  EXPECT_NE(sentence.find("'M'"), std::string::npos);
  EXPECT_FALSE(g_.at("A").disk.present.meta);
}

TEST_F(catch_up, new_endpoints_reach_everyone) {
  start_master();
  start_slave("A");
  ASSERT_TRUE(active("A"));
  g_.at("A").core->handle_endpoints(text("moved"), g_.now());
  g_.at("M").core->handle_endpoints(text("master-moved"), g_.now());
  g_.run(seconds{2});
  ASSERT_EQ(g_.at("M").replicas.replicas.size(), 2U);
  EXPECT_EQ(g_.at("M").replicas.replicas[1].endpoints, text("moved"));
  ASSERT_EQ(g_.at("A").replicas.replicas.size(), 2U);
  EXPECT_EQ(g_.at("A").replicas.replicas[0].endpoints, text("master-moved"));
  EXPECT_EQ(g_.at("A").core->current_master()->endpoints, text("master-moved"));
  // And are what each of them asks at after its next start.
  const auto& met_by_master = g_.at("M").core->known_replicas();
  EXPECT_NE(std::ranges::find(met_by_master, replica_info{"A", text("moved")}), met_by_master.end());
  const auto& met_by_slave = g_.at("A").core->known_replicas();
  EXPECT_NE(std::ranges::find(met_by_slave, replica_info{"M", text("master-moved")}), met_by_slave.end());
}

TEST_F(catch_up, new_endpoints_outlive_a_crash_that_follows_soon) {
  start_master();
  start_slave("A");
  ASSERT_TRUE(active("A"));
  g_.run(seconds{2});
  g_.at("A").core->handle_endpoints(text("moved"), g_.now());
  g_.at("M").core->handle_endpoints(text("master-moved"), g_.now());
  g_.run(milliseconds{600});  // a heartbeat carries them
  for (const auto& [name, met] :
       {std::pair{"M", replica_info{"A", text("moved")}}, std::pair{"A", replica_info{"M", text("master-moved")}}}) {
    g_.crash(name);
    const auto recorded = decode_meta(*g_.at(name).disk.present.meta)->known_replicas;
    EXPECT_NE(std::ranges::find(recorded, met), recorded.end()) << name;
  }
}

TEST_F(catch_up, a_slave_names_its_last_master_when_it_refuses_a_change) {
  start_master();
  start_slave("A");
  ASSERT_TRUE(active("A"));
  for (const bool runs : {true, false}) {
    if (!runs) {
      g_.crash("M");
      ASSERT_TRUE(g_.run_until([&] { return g_.is("A", phase::searching); }, seconds{10}));
    }
    const auto ticket = g_.propose("A", "a=1");
    ASSERT_NE(g_.answer("A", ticket), nullptr);
    EXPECT_EQ(g_.answer("A", ticket)->error().code, errc::not_master);
    EXPECT_NE(g_.answer("A", ticket)->error().message.find("'M'"), std::string::npos);
  }
}

TEST_F(catch_up, a_slave_whose_endpoints_change_stays_active) {
  start_master();
  start_slave("A");
  ASSERT_TRUE(active("A"));
  g_.at("A").core->handle_endpoints(text("moved"), g_.now());
  g_.run(seconds{2});
  EXPECT_EQ(g_.at("M").replicas.replicas[1].endpoints, text("moved"));
  EXPECT_FALSE(g_.told("M", event_kind::slave_dropped));
}

TEST_F(catch_up, endpoints_that_come_during_a_snapshot_reach_the_master_with_it) {
  start_master();
  write("M", 0, 1000);
  start_slave("A");
  ASSERT_TRUE(g_.run_until([&] { return g_.is("A", phase::catching_up); }, seconds{5}));
  g_.at("A").core->handle_endpoints(text("moved"), g_.now());
  ASSERT_TRUE(active("A"));
  g_.run(seconds{2});
  EXPECT_EQ(g_.at("M").replicas.replicas[1].endpoints, text("moved"));
  EXPECT_FALSE(g_.told("M", event_kind::slave_dropped));
  EXPECT_TRUE(g_.told("M", event_kind::snapshot_sent));
}

}  // namespace
}  // namespace muster::replication::testing
