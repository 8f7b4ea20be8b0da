#include <gtest/gtest.h>

#include "muster/replication/judgement.hpp"
#include "muster/replication/test_cluster.hpp"

namespace muster::replication::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class start : public ::testing::Test {
 protected:
  bool serves(const std::string& name) {
    return g_.run_until([&] { return g_.is(name, phase::serving); }, seconds{10});
  }
  bool refused(const std::string& name) {
    return g_.run_until([&] { return g_.is(name, phase::start_refused); }, seconds{10});
  }
  bool active(const std::string& name) {
    return g_.run_until([&] { return g_.is(name, phase::active); }, seconds{30});
  }
  void begin(const std::string& name, role as, bool force = false) {
    options how = cluster::defaults(name, as);
    how.force = force;
    g_.start(how);
  }
  term term_of(const std::string& name) { return g_.at(name).core->history().terms.current(); }

  /// A master M and a slave A with some acknowledged changes.
  void grow_up() {
    begin("M", role::master);
    ASSERT_TRUE(serves("M"));
    begin("A", role::slave);
    ASSERT_TRUE(active("A"));
    g_.propose("M", "a=1");
    g_.propose("M", "b=1");
    g_.run(seconds{2});
  }

  cluster g_;
};

TEST_F(start, of_a_fresh_master_begins_a_database_and_term_1) {
  begin("M", role::master);
  ASSERT_TRUE(serves("M"));
  EXPECT_TRUE(g_.at("M").core->has_copy());
  EXPECT_EQ(term_of("M").number, 1U);
  EXPECT_TRUE(g_.told("M", event_kind::term_begun));
}

TEST_F(start, again_as_master_keeps_the_term) {
  grow_up();
  const term before = term_of("M");
  g_.crash("M");
  begin("M", role::master);
  ASSERT_TRUE(serves("M"));
  EXPECT_EQ(term_of("M"), before);
  EXPECT_EQ(g_.at("M").machine->published.size(), 2U);
  g_.propose("M", "c=1");
  EXPECT_TRUE(g_.run_until([&] { return g_.at("A").core->history().last == serial{3}; }, seconds{10}));
}

TEST_F(start, of_a_slaves_database_as_master_begins_the_next_term_before_it_serves) {
  grow_up();
  const term before = term_of("M");
  g_.crash("M");
  g_.crash("A");
  begin("A", role::master);
  ASSERT_TRUE(serves("A"));
  EXPECT_EQ(term_of("A").number, before.number + 1);
  EXPECT_NE(term_of("A").id, before.id);
  EXPECT_EQ(decode_meta(*g_.at("A").disk.present.meta)->history.terms.current(), term_of("A"));
  g_.crash("A");
  const auto again = decode_meta(*g_.at("A").disk.present.meta)->history.terms;
  begin("A", role::master);
  ASSERT_TRUE(serves("A"));
  EXPECT_EQ(g_.at("A").core->history().terms, again);
}

TEST_F(start, of_a_slaves_database_as_read_only_master_leaves_it_a_slaves) {
  grow_up();
  g_.crash("M");
  g_.crash("A");
  const auto before = g_.at("A").disk.present.meta;
  for (const bool force : {false, true}) {
    options how = cluster::defaults("A", role::master);
    how.read_only = true;
    how.force = force;
    g_.start(how);
    ASSERT_TRUE(serves("A"));
    EXPECT_EQ(g_.at("A").machine->published.size(), 2U);
    g_.run(seconds{5});
    g_.stop("A");
    EXPECT_EQ(g_.at("A").disk.present.meta, before) << force;
  }
  // The promotion is still to come.
  const auto term = decode_meta(*before)->history.terms.current();
  begin("A", role::master);
  ASSERT_TRUE(serves("A"));
  EXPECT_EQ(term_of("A").number, term.number + 1);
}

TEST_F(start, as_read_only_master_acknowledges_no_tail) {
  grow_up();
  g_.crash("M");
  g_.crash("A");
  auto alone = *decode_meta(*g_.at("A").disk.present.meta);
  alone.history.acknowledged = serial{1};
  g_.at("A").disk.present.meta = encode(alone);
  options how = cluster::defaults("A", role::master);
  how.read_only = true;
  g_.start(how);
  ASSERT_TRUE(serves("A"));
  g_.run(seconds{5});
  g_.stop("A");
  EXPECT_EQ(decode_meta(*g_.at("A").disk.present.meta)->history.acknowledged, serial{1});
}

TEST_F(start, of_a_slave_asks_nobody_and_serves_its_copy_without_the_master) {
  grow_up();
  g_.crash("M");
  g_.crash("A");
  begin("A", role::slave);
  EXPECT_TRUE(g_.at("A").core->has_copy());
  EXPECT_EQ(g_.at("A").machine->published.size(), 2U);
  g_.run(seconds{30});
  EXPECT_TRUE(g_.is("A", phase::searching));
}

TEST_F(start, is_logged_and_goes_on_when_known_replicas_are_silent) {
  grow_up();
  g_.crash("A");
  g_.crash("M");
  begin("M", role::master);
  ASSERT_TRUE(serves("M"));
  EXPECT_NE(g_.last_told("M", event_kind::startup_unanswered).find("'A'"), std::string::npos);
}

TEST_F(start, waits_for_answers_no_longer_than_its_bound) {
  grow_up();
  g_.crash("M");
  g_.pause("A");
  const instant before = g_.now();
  begin("M", role::master);
  ASSERT_TRUE(serves("M"));
  EXPECT_LE(g_.now() - before, seconds{2} + milliseconds{1});
}

TEST_F(start, of_the_old_master_is_refused_once_a_higher_term_exists) {
  grow_up();
  g_.crash("M");
  g_.crash("A");
  begin("A", role::master);
  ASSERT_TRUE(serves("A"));
  begin("M", role::master);
  ASSERT_TRUE(refused("M"));
  const std::string sentence = g_.last_told("M", event_kind::start_refused);
  EXPECT_NE(sentence.find("'A'"), std::string::npos);
  EXPECT_NE(sentence.find("--force"), std::string::npos);
  EXPECT_TRUE(g_.is("A", phase::serving));
  begin("M", role::slave);
  EXPECT_TRUE(active("M"));
}

TEST_F(start, of_a_replica_with_less_acknowledged_history_is_refused) {
  grow_up();
  begin("B", role::slave);
  ASSERT_TRUE(active("B"));
  g_.crash("B");
  g_.propose("M", "c=1");
  g_.run(seconds{2});
  g_.crash("M");
  begin("B", role::master);
  ASSERT_TRUE(refused("B"));
  EXPECT_NE(g_.last_told("B", event_kind::start_refused).find("'A' holds acknowledged changes up to 3"),
            std::string::npos);
  begin("B", role::master, true);
  ASSERT_TRUE(serves("B"));
  EXPECT_TRUE(g_.told("B", event_kind::start_forced));
  // A knows that change 3 was acknowledged, so that it refuses to lose it.
  g_.run(seconds{5});
  EXPECT_TRUE(g_.is("A", phase::refused));
  EXPECT_NE(g_.at("A").core->status().trouble.find("--initdb-from-replica B"), std::string::npos);
  EXPECT_EQ(g_.at("A").machine->published.size(), 3U);
}

TEST_F(start, is_refused_while_the_master_of_the_term_is_running) {
  grow_up();
  g_.crash("A");
  begin("A", role::master);
  ASSERT_TRUE(refused("A"));
  EXPECT_NE(g_.last_told("A", event_kind::start_refused).find("running as the master"), std::string::npos);
  EXPECT_TRUE(g_.is("M", phase::serving));
}

TEST_F(start, is_refused_while_its_name_is_alive_even_with_force) {
  options how = cluster::defaults("A", role::master);
  how.force = true;
  prng random{7};
  word_machine machine;
  auto made = replica::make(how, {}, machine, random, g_.now());
  ASSERT_TRUE(made);
  ready effects = (*made)->poll_ready(g_.now());
  ASSERT_TRUE(effects.ask);
  self_description other;
  other.name = "A";
  other.incarnation = uuid::random(random);
  (*made)->handle_message(peer_id{1}, description{effects.ask->question.round, other}, g_.now());
  (*made)->handle_discovery_complete(effects.ask->question.round, g_.now());
  EXPECT_EQ((*made)->current_phase(), phase::start_refused);
}

TEST(judgement, of_a_start_beside_a_successor_of_the_same_name_speaks_of_the_higher_term) {
  prng random{7};
  self_description self;
  self.name = "Master";
  self.role = role::master;
  self.history.database = uuid::random(random);
  self.history.terms.begin({1, uuid::random(random)}, serial{1});
  self_description successor = self;
  successor.phase = phase::serving;
  successor.history.terms.begin({2, uuid::random(random)}, serial{1});
  const auto verdict = judge_start(self, role::master, {successor}, false);
  ASSERT_TRUE(verdict.refused);
  EXPECT_NE(verdict.refused->find("another master has taken over"), std::string::npos) << *verdict.refused;
  EXPECT_NE(verdict.refused->find("--force"), std::string::npos) << *verdict.refused;
}

TEST_F(start, of_a_fresh_master_beside_replicas_with_data_is_refused) {
  grow_up();
  g_.crash("M");
  g_.at("M").disk.present = {};  // its disk was lost
  begin("M", role::master);
  ASSERT_TRUE(refused("M"));
  EXPECT_NE(g_.last_told("M", event_kind::start_refused).find("--initdb-from-replica A"), std::string::npos);
}

TEST_F(start, by_force_begins_a_term_above_all_others_and_the_running_master_steps_down) {
  grow_up();
  g_.crash("M");
  g_.crash("A");
  begin("A", role::master);
  ASSERT_TRUE(serves("A"));
  begin("M", role::master, true);
  ASSERT_TRUE(serves("M"));
  EXPECT_EQ(term_of("M").number, 3U);
  ASSERT_TRUE(g_.run_until([&] { return g_.is("A", phase::stepped_down); }, seconds{30}));
  const auto ticket = g_.propose("A", "x=1");
  EXPECT_EQ(g_.answer("A", ticket)->error().code, errc::not_master);
  begin("A", role::slave);
  EXPECT_TRUE(active("A"));
}

TEST_F(start, of_a_restored_database_begins_a_new_term) {
  grow_up();
  g_.crash("M");
  g_.crash("A");
  auto& meta = *g_.at("M").disk.present.meta;
  meta = *mark_restored(meta);
  begin("M", role::master);
  ASSERT_TRUE(serves("M"));
  EXPECT_EQ(term_of("M").number, 2U);
}

TEST_F(start, of_a_former_master_as_slave_counts_as_a_slaves_database) {
  grow_up();
  g_.crash("A");
  g_.crash("M");
  begin("M", role::slave);
  g_.run(seconds{1});
  g_.crash("M");
  begin("M", role::master);
  ASSERT_TRUE(serves("M"));
  EXPECT_EQ(term_of("M").number, 2U);
}

TEST_F(start, with_a_storage_that_refuses_is_refused) {
  g_.start(cluster::defaults("M", role::slave));
  g_.crash("M");
  g_.at("M").disk.refuses = error{errc::storage_full, "the disk is full"};
  begin("M", role::master);
  ASSERT_TRUE(refused("M"));
  EXPECT_NE(g_.last_told("M", event_kind::start_refused).find("the disk is full"), std::string::npos);
}

TEST_F(start, of_a_former_master_as_slave_goes_on_when_the_storage_refuses) {
  grow_up();
  g_.crash("M");
  g_.at("M").disk.refuses = error{errc::storage_full, "the disk is full"};
  begin("M", role::slave);
  g_.run(seconds{1});
  EXPECT_TRUE(g_.is("M", phase::searching));
  EXPECT_EQ(g_.at("M").machine->published.size(), 2U);
}

TEST_F(start, with_options_that_make_no_sense_is_no_start) {
  options nameless = cluster::defaults("", role::master);
  EXPECT_FALSE(g_.start(nameless));
  options versions = cluster::defaults("M", role::master);
  versions.versions = {3, 2};
  EXPECT_FALSE(g_.start(versions));
}

}  // namespace
}  // namespace muster::replication::testing
