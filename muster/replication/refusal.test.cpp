#include <gtest/gtest.h>

#include "muster/replication/test_cluster.hpp"

namespace muster::replication::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class refusals : public ::testing::Test {
 protected:
  void SetUp() override {
    begin("M", role::master);
    ASSERT_TRUE(g_.run_until([&] { return g_.is("M", phase::serving); }, seconds{5}));
    begin("A", role::slave);
    ASSERT_TRUE(active("A"));
  }
  void begin(const std::string& name, role as, bool force = false) {
    options how = cluster::defaults(name, as);
    how.force = force;
    g_.start(how);
  }
  bool active(const std::string& name) {
    return g_.run_until([&] { return g_.is(name, phase::active); }, seconds{30});
  }
  /// The answer that M gives to an `open`, which this test speaks for.
  template <typename Answer>
  std::optional<Answer> answer_to(open what) {
    g_.sent_elsewhere.clear();
    g_.inject("M", peer_id{1'000'000}, what);
    for (const auto& sent : g_.sent_elsewhere) {
      if (const auto* one = std::get_if<Answer>(&sent.what)) {
        return *one;
      }
    }
    return std::nullopt;
  }
  open knock(const std::string& name, history with = {}) {
    open out;
    out.attempt = 1;
    out.from.name = name;
    out.from.incarnation = uuid::random(random_);
    out.from.history = std::move(with);
    out.from.versions = {1, 1};
    return out;
  }
  /// Two masters of one term number: A and M, both promoted from term 1 while they could not see each other.
  void split() {
    g_.propose("M", "a=1");
    g_.run(seconds{2});
    g_.stop("A");
    g_.stop("M");
    g_.cut("A", "M");
    begin("M", role::slave);
    g_.run(milliseconds{100});
    begin("M", role::master);
    begin("A", role::master);
    ASSERT_TRUE(g_.run_until([&] { return g_.is("A", phase::serving) && g_.is("M", phase::serving); }, seconds{10}));
    g_.propose("M", "from=m");
    g_.propose("A", "from=a");
  }

  cluster g_;
  prng random_{99};
};

TEST_F(refusals, another_database_is_refused_on_both_sides_and_nothing_is_overwritten) {
  g_.cut("X", "M");
  g_.cut("X", "A");
  begin("X", role::master);
  ASSERT_TRUE(g_.run_until([&] { return g_.is("X", phase::serving); }, seconds{5}));
  g_.propose("X", "own=1");
  g_.stop("X");
  g_.mend_all();
  begin("X", role::slave);
  ASSERT_TRUE(g_.run_until([&] { return g_.is("X", phase::refused); }, seconds{5}));
  for (const auto& sentence :
       {g_.last_told("X", event_kind::refused_by_master), g_.last_told("M", event_kind::slave_refused)}) {
    EXPECT_NE(sentence.find("--initdb-from-replica M"), std::string::npos) << "both logs say what to do";
  }
  EXPECT_EQ(g_.at("X").machine->published.size(), 1U);

  history foreign = g_.at("X").core->history();
  const auto answer = answer_to<refused>(knock("Y", foreign));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->reason, refusal::other_database);
  EXPECT_NE(g_.last_told("M", event_kind::slave_refused).find("--initdb-from-replica M"), std::string::npos);
}

TEST_F(refusals, a_living_duplicate_of_a_name_is_refused_until_the_first_is_gone) {
  const auto answer = answer_to<refused>(knock("A"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->reason, refusal::duplicate_name);
  EXPECT_NE(answer->sentence.find("ReplicaName"), std::string::npos);
  g_.crash("A");
  EXPECT_TRUE(answer_to<opened>(knock("A")));
}

TEST_F(refusals, the_masters_own_name_is_taken) {
  const auto answer = answer_to<refused>(knock("M"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->reason, refusal::duplicate_name);
}

TEST_F(refusals, a_restarted_slave_is_let_in_as_soon_as_its_old_session_is_overdue) {
  g_.crash("A", false);  // its connection does not break: a power cut
  begin("A", role::slave);
  ASSERT_TRUE(active("A"));
  EXPECT_LE(g_.now().time_since_epoch(), seconds{20});
}

TEST_F(refusals, only_a_master_gives_sessions_but_any_copy_can_be_copied) {
  open what = knock("B");
  g_.sent_elsewhere.clear();
  g_.inject("A", peer_id{1'000'000}, what);
  ASSERT_EQ(g_.sent_elsewhere.size(), 1U);
  EXPECT_EQ(std::get<refused>(g_.sent_elsewhere[0].what).reason, refusal::not_master);
  what.purpose = open_purpose::copy;
  g_.sent_elsewhere.clear();
  g_.inject("A", peer_id{1'000'000}, what);
  ASSERT_EQ(g_.sent_elsewhere.size(), 1U);
  EXPECT_EQ(std::get<opened>(g_.sent_elsewhere[0].what).plan, catch_up_plan::snapshot);
}

TEST_F(refusals, the_highest_common_version_is_spoken) {
  options how = cluster::defaults("M", role::master);
  how.versions = {1, 3};
  g_.start(how);
  ASSERT_TRUE(g_.run_until([&] { return g_.is("M", phase::serving); }, seconds{5}));
  open lower = knock("B");
  lower.from.versions = {1, 2};
  EXPECT_EQ(answer_to<opened>(lower)->version, 2);
  open higher = knock("C");
  higher.from.versions = {2, 9};
  EXPECT_EQ(answer_to<opened>(higher)->version, 3);
}

TEST_F(refusals, without_a_common_version_both_learn_who_is_to_be_upgraded) {
  open lower = knock("B");
  lower.from.versions = {0, 0};
  const auto low = answer_to<refused>(lower);
  ASSERT_TRUE(low);
  EXPECT_EQ(low->reason, refusal::no_common_version);
  EXPECT_NE(low->sentence.find("Upgrade 'B'"), std::string::npos);
  open higher = knock("C");
  higher.from.versions = {2, 9};
  EXPECT_NE(answer_to<refused>(higher)->sentence.find("Upgrade 'M'"), std::string::npos);
}

TEST_F(refusals, a_slave_that_knows_a_higher_term_makes_the_master_step_down) {
  history newer = g_.at("M").core->history();
  newer.terms.begin({.number = 2, .id = uuid::random(random_)}, serial{1});
  const auto answer = answer_to<refused>(knock("B", newer));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->reason, refusal::stepped_down);
  EXPECT_TRUE(g_.is("M", phase::stepped_down));
  const auto ticket = g_.propose("M", "x=1");
  EXPECT_EQ(g_.answer("M", ticket)->error().code, errc::not_master);
}

TEST_F(refusals, a_slave_ignores_a_master_of_a_lower_term) {
  g_.propose("M", "a=1");
  g_.run(seconds{2});
  g_.crash("M");
  g_.crash("A");
  begin("A", role::master);
  ASSERT_TRUE(g_.run_until([&] { return g_.is("A", phase::serving); }, seconds{10}));
  begin("B", role::slave);
  ASSERT_TRUE(active("B"));
  g_.crash("A");
  g_.cut("M", "B");
  begin("M", role::master);
  ASSERT_TRUE(g_.run_until([&] { return g_.is("M", phase::serving); }, seconds{10}));
  // M learns of term 2 from B as soon as they meet; before it does, B must not follow it.
  self_description old;
  old.name = "M";
  old.incarnation = uuid::random(random_);
  old.role = role::master;
  old.phase = phase::serving;
  old.history = g_.at("M").core->history();
  const peer_id speaker{1'000'000};
  ASSERT_TRUE(g_.run_until(
      [&] {
        for (const auto& sent : std::exchange(g_.sent_elsewhere, {})) {
          if (const auto* asked = std::get_if<open>(&sent.what)) {
            opened yes;
            yes.attempt = asked->attempt;
            yes.from = old;
            g_.inject("B", speaker, yes);
          }
        }
        for (std::uint64_t round = 1; round < 200; ++round) {
          g_.inject("B", speaker, description{round, old});
        }
        return g_.is("B", phase::refused);
      },
      seconds{60}));
  EXPECT_NE(g_.last_told("B", event_kind::refused_master).find("Restart 'M' as a slave"), std::string::npos);
}

TEST_F(refusals, split_brain_is_found_at_the_first_contact_and_both_stop) {
  split();
  g_.mend_all();
  ASSERT_TRUE(
      g_.run_until([&] { return g_.is("A", phase::stepped_down) && g_.is("M", phase::stepped_down); }, seconds{30}));
  EXPECT_NE(g_.last_told("A", event_kind::stepped_down).find("--force"), std::string::npos);
  EXPECT_EQ(g_.at("A").machine->published.at("from").value, "a");
  EXPECT_EQ(g_.at("M").machine->published.at("from").value, "m");
}

TEST_F(refusals, split_brain_ends_as_the_sentence_says) {
  split();
  g_.mend_all();
  ASSERT_TRUE(
      g_.run_until([&] { return g_.is("A", phase::stepped_down) && g_.is("M", phase::stepped_down); }, seconds{30}));
  g_.stop("M");
  begin("A", role::master, true);
  ASSERT_TRUE(g_.run_until([&] { return g_.is("A", phase::serving); }, seconds{10}));
  EXPECT_EQ(g_.at("A").core->history().terms.current().number, 3U);
  // M answered its own change while nobody else had it: the operator's decision drops it, but not without a trace.
  begin("M", role::slave);
  ASSERT_TRUE(active("M"));
  ASSERT_EQ(g_.at("M").tails.size(), 1U);
  EXPECT_EQ(g_.at("M").machine->published, g_.at("A").machine->published);
}

TEST_F(refusals, a_slave_leaves_its_master_for_one_of_a_higher_term) {
  // B becomes master while M cannot be reached from it, then A learns of B.
  begin("B", role::slave);
  ASSERT_TRUE(active("B"));
  g_.run(seconds{2});
  g_.stop("B");
  g_.cut("B", "M");
  options how = cluster::defaults("B", role::master);
  how.force = true;
  g_.start(how);
  ASSERT_TRUE(g_.run_until([&] { return g_.is("B", phase::serving); }, seconds{10}));
  ASSERT_TRUE(g_.run_until(
      [&] {
        const auto master = g_.at("A").core->current_master();
        return master && master->name == "B" && g_.is("A", phase::active);
      },
      seconds{60}));
  const auto ticket = g_.propose("B", "new=1");
  ASSERT_TRUE(g_.run_until([&] { return g_.answer("B", ticket) != nullptr; }, seconds{3}));
  EXPECT_EQ(g_.at("A").machine->published.count("new"), 1U);
}

TEST_F(refusals, a_refused_slave_is_told_once_not_at_every_try) {
  history foreign = g_.at("M").core->history();
  foreign.database = uuid::random(random_);
  for (int i = 0; i < 5; ++i) {
    (void)answer_to<refused>(knock("Z", foreign));
  }
  const auto told =
      std::ranges::count_if(g_.at("M").events, [](const event& one) { return one.kind == event_kind::slave_refused; });
  EXPECT_EQ(told, 1);
}

}  // namespace
}  // namespace muster::replication::testing
