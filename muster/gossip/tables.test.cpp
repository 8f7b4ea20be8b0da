// The parts that keep what is known: texts, hashes, registrations, changes, the log, members.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "muster/gossip/change_set.hpp"
#include "muster/gossip/members.hpp"
#include "muster/gossip/operation_log.hpp"
#include "muster/gossip/options.hpp"
#include "muster/gossip/registration_table.hpp"
#include "muster/gossip/stable_hash.hpp"

namespace muster::gossip {
namespace {

registration some(std::string_view key, std::string_view path = "/user/a", std::uint64_t life = 1) {
  return {shared_text{key}, {shared_text{path}, life, shared_text{"t"}}};
}

std::uint64_t hash(const registration& what) { return hash_of(what.key.view(), what.what); }

TEST(shared_text, is_equal_by_its_characters_and_outlives_its_first_holder) {
  auto first = std::make_unique<shared_text>("some text");
  const shared_text second = *first;
  EXPECT_TRUE(second.is_same_block(*first));
  first.reset();
  EXPECT_EQ(second.view(), "some text");
  EXPECT_EQ(second, shared_text{"some text"});
  EXPECT_LT(second, shared_text{"some texts"});
  EXPECT_TRUE(shared_text{""}.empty());
  EXPECT_EQ(shared_text{}, shared_text{""});
  EXPECT_EQ(sizeof(shared_text), sizeof(void*));
}

TEST(stable_hash, gives_on_every_machine_what_it_gave_on_the_first) {
  // Digests and marks are made of these: a change would make old and new programs differ for ever.
  EXPECT_EQ(hash_text(""), 0xe220a8397b1dcdafU);
  EXPECT_EQ(hash_text("a"), hash_text("a"));
  EXPECT_NE(hash_text("a"), hash_text(std::string_view{"a\0", 2}));
  EXPECT_NE(hash_text("12345678"), hash_text("123456789"));
  EXPECT_NE(hash_of("ab", {shared_text{"c"}, 1, {}}), hash_of("a", {shared_text{"bc"}, 1, {}}));
  EXPECT_EQ(digest_of(place{5}, incarnation{1}, version{0}), 0U);
  EXPECT_NE(digest_of(place{5}, incarnation{1}, version{2}), digest_of(place{5}, incarnation{2}, version{1}));
}

RC_GTEST_PROP(registration_table, shows_what_a_plain_model_shows, ()) {
  registration_table table;
  std::map<registration_table::owner, registration_table::chain> chains;
  std::set<std::pair<registration_table::owner, registration>> model;
  for (int step = *rc::gen::inRange(0, 200); step > 0; --step) {
    const auto of = static_cast<registration_table::owner>(*rc::gen::inRange(0, 3));
    const registration what =
        some(*rc::gen::element<std::string>("a", "b", "c"), *rc::gen::element<std::string>("/user/x", "/user/y"),
             static_cast<std::uint64_t>(*rc::gen::inRange(1, 4)));
    const auto found = table.find(of, what.key.view(), what.what, hash(what));
    RC_ASSERT((found != registration_table::none) == model.contains({of, what}));
    if (found == registration_table::none) {
      table.add(of, chains[of], what, hash(what));
      model.insert({of, what});
    } else {
      table.remove(found, chains[of]);
      model.erase({of, what});
    }
    if (*rc::gen::inRange(0, 20) == 0) {
      table.shrink();
    }
  }
  std::set<std::pair<registration_table::owner, registration>> by_key;
  std::set<std::string> keys;
  table.for_each_key([&](const shared_text& key, std::size_t count) {
    keys.emplace(key.view());
    std::size_t seen = 0;
    table.for_each_of_key(key.view(), [&](const registration_table::slot& slot) {
      by_key.insert({slot.of, {slot.key, slot.what}});
      ++seen;
    });
    RC_ASSERT(seen == count);
    RC_ASSERT(table.count_of(key.view()) == count);
  });
  RC_ASSERT(by_key == model);
  RC_ASSERT(keys.size() == table.key_count());
  std::set<std::pair<registration_table::owner, registration>> by_owner;
  for (const auto& [of, chain] : chains) {
    std::size_t seen = 0;
    table.for_each_of(chain, [&](const registration_table::slot& slot) {
      by_owner.insert({slot.of, {slot.key, slot.what}});
      ++seen;
    });
    RC_ASSERT(seen == chain.count);
  }
  RC_ASSERT(by_owner == model);
  RC_ASSERT(table.size() == model.size());
}

TEST(registration_table, keeps_an_origins_registrations_in_their_order) {
  registration_table table;
  registration_table::chain chain;
  for (const char* const key : {"c", "a", "b"}) {
    table.add(0, chain, some(key), hash(some(key)));
  }
  table.remove(table.find(0, "a", some("a").what, hash(some("a"))), chain);
  table.add(0, chain, some("d"), hash(some("d")));
  std::string order;
  table.for_each_of(chain, [&](const registration_table::slot& slot) { order += slot.key.view(); });
  EXPECT_EQ(order, "cbd");
}

TEST(registration_table, keeps_a_path_and_a_type_once_that_come_again_and_again) {
  registration_table table;
  registration_table::chain chain;
  const auto first = table.add(0, chain, some("a"), hash(some("a")));
  const auto second = table.add(0, chain, some("b"), hash(some("b")));
  EXPECT_TRUE(table.at(first).what.path.is_same_block(table.at(second).what.path));
  EXPECT_TRUE(table.at(first).what.type.is_same_block(table.at(second).what.type));
}

change shown(const registration& what, bool vanished) { return {what.key, make_origin("A", 1), what.what, vanished}; }

RC_GTEST_PROP(change_set, tells_the_difference_and_nothing_else, ()) {
  change_set changes;
  std::set<registration> before;
  for (int turn = 0; turn < 4; ++turn) {
    std::set<registration> now = before;
    for (int step = *rc::gen::inRange(0, 30); step > 0; --step) {
      const registration what = some(*rc::gen::element<std::string>("a", "b", "c", "d"));
      const bool was_there = now.contains(what);
      changes.note(shown(what, was_there), hash(what));
      was_there ? static_cast<void>(now.erase(what)) : static_cast<void>(now.insert(what));
    }
    std::set<registration> appeared;
    std::set<registration> vanished;
    for (const change& one : changes.take()) {
      RC_ASSERT((one.vanished ? vanished : appeared).insert({one.key, one.what}).second);
    }
    std::set<registration> expected_new;
    std::set<registration> expected_gone;
    std::ranges::set_difference(now, before, std::inserter(expected_new, expected_new.end()));
    std::ranges::set_difference(before, now, std::inserter(expected_gone, expected_gone.end()));
    RC_ASSERT(appeared == expected_new);
    RC_ASSERT(vanished == expected_gone);
    before = now;
  }
}

TEST(operation_log, finds_one_origins_operations_among_those_of_others) {
  operation_log log{100, 1'000'000};
  operation_log::position mine = 0;
  operation_log::position other = 0;
  for (std::uint64_t i = 1; i <= 20; ++i) {
    mine = log.append({some("a"), i % 2 == 0}, {version{i}, 0, 0}, mine);
    other = log.append({some("b"), false}, {version{i + 50}, 0, 0}, other);
  }
  const auto missing = log.since(mine, version{17});
  ASSERT_TRUE(missing);
  ASSERT_EQ(missing->size(), 3U);
  EXPECT_EQ(missing->front()->after.at, version{18});
  EXPECT_EQ(missing->back()->after.at, version{20});
  EXPECT_EQ(missing->back()->what.what.key.view(), "a");
  EXPECT_TRUE(log.since(mine, version{0}));
  EXPECT_FALSE(log.since(other, version{49})) << "operation 50 was never here";
  EXPECT_FALSE(log.since(0, version{0}));
}

TEST(operation_log, lets_the_oldest_go_at_its_bounds) {
  operation_log by_count{10, 1'000'000};
  operation_log by_bytes{1000, 10 * (sizeof(operation_log::logged) + 9)};
  for (operation_log* const log : {&by_count, &by_bytes}) {
    operation_log::position last = 0;
    for (std::uint64_t i = 1; i <= 50; ++i) {
      last = log->append({some("a"), false}, {version{i}, 0, 0}, last);
    }
    EXPECT_EQ(log->size(), 10U);
    EXPECT_TRUE(log->since(last, version{40}));
    EXPECT_FALSE(log->since(last, version{39}));
  }
  operation_log none{0, 0};
  const auto last = none.append({some("a"), false}, {version{1}, 0, 0}, 0);
  EXPECT_FALSE(none.since(last, version{0}));
  EXPECT_EQ(none.size_bytes(), 0U);
}

TEST(members, picks_distinct_peers_and_never_those_that_were_named) {
  members all;
  prng random{5};
  for (int i = 0; i < 20; ++i) {
    all.set_up(make_origin(fmt::format("n{}", i), 1));
  }
  const origin_id a = make_origin("n3", 1);
  const origin_id b = make_origin("n4", 1);
  for (std::size_t count = 0; count < 25; ++count) {
    const auto picked = all.pick(count, random, a, b);
    const std::set<origin_id> distinct{picked.begin(), picked.end()};
    EXPECT_EQ(distinct.size(), std::min<std::size_t>(count, 18));
    EXPECT_EQ(picked.size(), distinct.size());
    EXPECT_FALSE(distinct.contains(a) || distinct.contains(b));
  }
}

TEST(members, picks_everybody_in_the_long_run) {
  members all;
  prng random{5};
  for (int i = 0; i < 20; ++i) {
    all.set_up(make_origin(fmt::format("n{}", i), 1));
  }
  std::map<origin_id, int> times;
  for (int i = 0; i < 4000; ++i) {
    ++times[all.pick(1, random, make_origin("me", 1), make_origin("me", 1)).at(0)];
  }
  ASSERT_EQ(times.size(), 20U);
  for (const auto& [who, often] : times) {
    EXPECT_GT(often, 100) << fmt::format("{}", who);
  }
}

RC_GTEST_PROP(members, knows_who_is_up_whatever_came_before, ()) {
  members all;
  std::map<std::string, std::pair<std::uint64_t, bool>> model;
  for (int step = *rc::gen::inRange(0, 100); step > 0; --step) {
    const std::string name = *rc::gen::element<std::string>("a", "b", "c", "d");
    const auto life = static_cast<std::uint64_t>(*rc::gen::inRange(1, 4));
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        all.set_up(make_origin(name, life));
        model[name] = {life, true};
        break;
      case 1:
        all.set_unreachable(make_origin(name, life));
        if (model.contains(name) && model[name].first == life) {
          model[name].second = false;
        }
        break;
      default: all.remove(node_id{name}); model.erase(name);
    }
  }
  std::set<origin_id> up;
  for (const auto& [name, one] : model) {
    RC_ASSERT(all.contains(make_origin(name, one.first)));
    RC_ASSERT(all.is_up(make_origin(name, one.first)) == one.second);
    if (one.second) {
      up.insert(make_origin(name, one.first));
    }
  }
  RC_ASSERT(std::set<origin_id>(all.up().begin(), all.up().end()) == up);
  RC_ASSERT(all.up_count() == up.size());
}

TEST(members, refuses_a_forgotten_incarnation_and_those_before_until_the_horizon) {
  members all;
  const instant now{std::chrono::seconds{1}};
  all.forget(make_origin("a", 5), now, now + std::chrono::hours{1}, 10);
  EXPECT_TRUE(all.is_forgotten(make_origin("a", 5)));
  EXPECT_TRUE(all.is_forgotten(make_origin("a", 4)));
  EXPECT_FALSE(all.is_forgotten(make_origin("a", 6)));
  all.expire(now + std::chrono::minutes{59});
  EXPECT_TRUE(all.is_forgotten(make_origin("a", 5)));
  // Forgotten again in the meantime: the horizon begins anew.
  all.forget(make_origin("a", 5), now, now + std::chrono::hours{2}, 10);
  all.expire(now + std::chrono::hours{1});
  EXPECT_TRUE(all.is_forgotten(make_origin("a", 5)));
  all.expire(now + std::chrono::hours{2});
  EXPECT_FALSE(all.is_forgotten(make_origin("a", 5)));
}

TEST(members, keeps_no_more_forgotten_nodes_than_it_may) {
  members all;
  const instant now{std::chrono::seconds{1}};
  for (int i = 0; i < 100; ++i) {
    all.forget(make_origin(fmt::format("n{}", i), 1), now, now + std::chrono::hours{1}, 10);
    all.forget(make_origin("often", static_cast<std::uint64_t>(i + 1)), now, now + std::chrono::hours{1}, 10);
  }
  EXPECT_LE(all.forgotten_count(), 10U);
  EXPECT_TRUE(all.is_forgotten(make_origin("often", 100)));
  EXPECT_TRUE(all.is_forgotten(make_origin("n99", 1)));
  EXPECT_FALSE(all.is_forgotten(make_origin("n1", 1)));
}

TEST(gossip_options, name_the_one_that_is_wrong_its_value_and_what_is_allowed) {
  EXPECT_TRUE(options{}.check());
  options how;
  how.message_bytes_max = 100;
  EXPECT_EQ(how.check().error().message, "message_bytes_max is 100; allowed is 8192 to 67108864");
  how = {};
  how.gossip_interval = duration{0};
  EXPECT_EQ(how.check().error().message, "gossip_interval is 0 ms; allowed is 1 ms to a year");
  how = {};
  how.forgotten_horizon = std::chrono::seconds{5};
  EXPECT_NE(how.check().error().message.find("forgotten_horizon is 5000 ms"), std::string::npos);
}

}  // namespace
}  // namespace muster::gossip
