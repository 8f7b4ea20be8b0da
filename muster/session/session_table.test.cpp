#include "muster/session/session_table.hpp"

#include <gtest/gtest.h>
#include <malloc.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace muster::session {
namespace {

using std::chrono::seconds;

instant at(std::int64_t second) { return instant{seconds{second}}; }

std::vector<std::string> users(const std::vector<session_info>& sessions) {
  std::vector<std::string> names;
  for (const auto& session : sessions) names.push_back(session.user);
  return names;
}

TEST(session_table, a_new_session_is_found_with_all_that_was_said_of_it) {
  session_table table;
  const auto id = table.create(session_kind::admin, "alice", seconds{30}, at(5));
  ASSERT_TRUE(id);
  const session_info* session = table.find(*id);
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(session->user, "alice");
  EXPECT_EQ(session->kind, session_kind::admin);
  EXPECT_EQ(session->timeout, seconds{30});
  EXPECT_EQ(session->created, at(5));
  EXPECT_EQ(table.next_deadline(), at(35));
  EXPECT_EQ(table.size(session_kind::admin), 1U);
  EXPECT_EQ(table.size(session_kind::client), 0U);
}

TEST(session_table, a_session_ends_when_its_keep_alive_does_not_come) {
  session_table table;
  const auto id = table.create(session_kind::client, "bob", seconds{10}, at(0));
  EXPECT_TRUE(table.expire(at(9)).empty());
  EXPECT_EQ(users(table.expire(at(10))), std::vector<std::string>{"bob"});
  EXPECT_EQ(table.find(*id), nullptr);
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(table.next_deadline(), instant_never);
}

TEST(session_table, a_keep_alive_moves_the_end) {
  session_table table;
  const auto id = table.create(session_kind::client, "bob", seconds{10}, at(0));
  EXPECT_TRUE(table.keep_alive(*id, at(7)));
  EXPECT_EQ(table.next_deadline(), at(17));
  EXPECT_TRUE(table.expire(at(16)).empty());
  EXPECT_EQ(table.expire(at(17)).size(), 1U);
}

TEST(session_table, a_keep_alive_that_is_overtaken_by_a_later_one_does_not_shorten_the_session) {
  session_table table;
  const auto id = table.create(session_kind::client, "bob", seconds{10}, at(0));
  EXPECT_TRUE(table.keep_alive(*id, at(8)));
  EXPECT_TRUE(table.keep_alive(*id, at(5)));
  EXPECT_EQ(table.next_deadline(), at(18));
}

TEST(session_table, a_keep_alive_after_the_end_does_not_bring_the_session_back) {
  session_table table;
  const auto id = table.create(session_kind::client, "bob", seconds{10}, at(0));
  const auto late = table.keep_alive(*id, at(10));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, errc::not_found);
  EXPECT_EQ(table.expire(at(10)).size(), 1U);
  EXPECT_FALSE(table.keep_alive(*id, at(11)));
}

TEST(session_table, a_session_without_a_timeout_lives_until_it_is_destroyed) {
  session_table table;
  const auto none = table.create(session_kind::admin, "alice", seconds{0}, at(0));
  const auto negative = table.create(session_kind::admin, "bob", seconds{-1}, at(0));
  const auto endless = table.create(session_kind::admin, "carol", duration::max(), at(3));
  EXPECT_EQ(table.next_deadline(), instant_never);
  EXPECT_TRUE(table.expire(at(1'000'000'000)).empty());
  EXPECT_TRUE(table.keep_alive(*none, at(1'000'000'000)));
  EXPECT_TRUE(table.keep_alive(*negative, at(1'000'000'000)));
  EXPECT_TRUE(table.keep_alive(*endless, at(1'000'000'000)));
  EXPECT_TRUE(table.destroy(*none));
  EXPECT_EQ(table.size(), 2U);
}

TEST(session_table, a_session_is_destroyed_once) {
  session_table table;
  const auto id = table.create(session_kind::client, "bob", seconds{10}, at(0));
  const auto ended = table.destroy(*id);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->user, "bob");
  const auto again = table.destroy(*id);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, errc::not_found);
  EXPECT_TRUE(table.expire(at(100)).empty()) << "a destroyed session does not expire as well";
}

TEST(session_table, one_kind_at_its_bound_does_not_keep_the_other_out) {
  session_table table{{.sessions_max_per_kind = 2}};
  const auto first = table.create(session_kind::client, "a", seconds{10}, at(0));
  ASSERT_TRUE(first);
  ASSERT_TRUE(table.create(session_kind::client, "b", seconds{10}, at(0)));
  const auto refused = table.create(session_kind::client, "c", seconds{10}, at(0));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, errc::limit_exceeded);
  EXPECT_EQ(refused.error().message, "there are 2 client sessions already, which is as many as this replica takes");
  EXPECT_EQ(table.size(), 2U);
  EXPECT_TRUE(table.create(session_kind::admin, "d", seconds{10}, at(0)));
  ASSERT_TRUE(table.destroy(*first));
  EXPECT_TRUE(table.create(session_kind::client, "c", seconds{10}, at(0)));
}

TEST(session_table, the_longest_overdue_ends_first) {
  session_table table;
  ASSERT_TRUE(table.create(session_kind::client, "slow", seconds{30}, at(0)));
  ASSERT_TRUE(table.create(session_kind::client, "fast", seconds{10}, at(0)));
  ASSERT_TRUE(table.create(session_kind::admin, "middle", seconds{20}, at(0)));
  EXPECT_EQ(users(table.expire(at(60))), (std::vector<std::string>{"fast", "middle", "slow"}));
}

TEST(session_table, an_id_is_never_given_twice) {
  session_table table;
  const auto first = table.create(session_kind::client, "a", seconds{10}, at(0));
  ASSERT_TRUE(table.destroy(*first));
  const auto second = table.create(session_kind::client, "b", seconds{10}, at(0));
  EXPECT_NE(*first, *second);
  EXPECT_FALSE(table.keep_alive(*first, at(1)));
}

TEST(session_table, a_hundred_thousand_sessions_made_and_ended_leave_no_memory_behind) {
  session_table table;
  const auto cycles = [&table](int count, std::int64_t from) {
    for (int i = 0; i < count; ++i) {
      const auto id = table.create(i % 2 == 0 ? session_kind::client : session_kind::admin,
                                   "a user name that is too long for a small string " + std::to_string(i), seconds{30},
                                   at(from + i));
      ASSERT_TRUE(id);
      ASSERT_TRUE(table.keep_alive(*id, at(from + i)));
      if (i % 3 == 0) {
        ASSERT_TRUE(table.destroy(*id));
      }
      (void)table.expire(at(from + i));
    }
  };
  cycles(10'000, 0);
  const auto before = mallinfo2().uordblks;
  cycles(100'000, 10'000);
  const auto after = mallinfo2().uordblks;
  EXPECT_LE(table.size(), 31U);
  EXPECT_LT(after, before + 64UL * 1024) << "bytes in use grew with the number of past sessions";
}

// The table against the plainest model: a map of ends.
RC_GTEST_PROP(session_table, agrees_with_a_map_of_deadlines, ()) {
  session_table table{{.sessions_max_per_kind = 8}};
  struct model_session {
    std::int64_t timeout;
    std::int64_t last;
  };
  std::map<std::uint64_t, model_session> model;
  std::map<std::uint64_t, session_kind> kinds;
  std::int64_t now = 0;
  const auto live = [&](std::uint64_t id) {
    const auto& session = model.at(id);
    return session.timeout == 0 || session.last + session.timeout > now;
  };
  const auto steps = *rc::gen::inRange(1, 60);
  for (int step = 0; step < steps; ++step) {
    now += *rc::gen::inRange(0, 5);
    const auto id = *rc::gen::inRange<std::uint64_t>(1, 20);
    switch (*rc::gen::inRange(0, 4)) {
      case 0: {
        const auto kind = *rc::gen::element(session_kind::client, session_kind::admin);
        const auto timeout = *rc::gen::inRange<std::int64_t>(0, 12);
        std::size_t of_kind = 0;
        for (const auto& [known, session] : model) of_kind += kinds[known] == kind ? 1U : 0U;
        const auto made = table.create(kind, "user", seconds{timeout}, at(now));
        RC_ASSERT(made.has_value() == (of_kind < 8U));
        if (made) {
          model[made->value()] = {timeout, now};
          kinds[made->value()] = kind;
        }
        break;
      }
      case 1: {
        const bool known = model.contains(id) && live(id);
        RC_ASSERT(table.keep_alive(session_id{id}, at(now)).has_value() == known);
        if (known) model[id].last = now;
        break;
      }
      case 2:
        RC_ASSERT(table.destroy(session_id{id}).has_value() == model.contains(id));
        model.erase(id);
        break;
      default: {
        const auto ended = table.expire(at(now));
        std::size_t due = 0;
        for (const auto& [known, session] : model) due += live(known) ? 0U : 1U;
        RC_ASSERT(ended.size() == due);
        for (const auto& session : ended) RC_ASSERT(model.erase(session.id.value()) == 1U);
      }
    }
    instant earliest = instant_never;
    for (const auto& [known, session] : model) {
      if (session.timeout != 0) earliest = std::min(earliest, at(session.last + session.timeout));
    }
    RC_ASSERT(table.next_deadline() == earliest);
    RC_ASSERT(table.size() == model.size());
  }
}

}  // namespace
}  // namespace muster::session
