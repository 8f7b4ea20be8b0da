#include "muster/membership/member_table.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include <fmt/format.h>

#include "muster/membership/departed.hpp"
#include "muster/membership/message_codec.hpp"
#include "muster/membership/news_queue.hpp"
#include "muster/membership/suspicion.hpp"

namespace muster::membership {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

member_ptr some_member(std::uint64_t number, std::uint64_t life = 1) {
  return make_member(fmt::format("n{}", number), incarnation{life}, fmt::format("at-{}", number), {});
}

RC_GTEST_PROP(member_table, finds_what_a_plain_map_finds_after_any_changes, ()) {
  prng random{*rc::gen::arbitrary<std::uint64_t>()};
  member_table table;
  table.add(some_member(0), standing::alive, 0, random);
  std::map<std::uint64_t, member_table::slot> model;
  for (std::uint64_t step = random.below(400); step > 0; --step) {
    const std::uint64_t number = 1 + random.below(60);
    const auto known = model.find(number);
    if (known == model.end()) {
      model[number] = table.add(some_member(number), standing::alive, 0, random);
    } else if (random.chance(1, 2)) {
      table.remove(known->second);
      model.erase(known);
    } else {
      table.set(known->second, random.chance(1, 2) ? standing::unreachable : standing::suspect,
                static_cast<std::uint32_t>(random.below(3)));
    }
  }
  RC_ASSERT(table.size() == model.size() + 1);
  for (std::uint64_t number = 1; number <= 60; ++number) {
    const auto known = model.find(number);
    const auto expected = known == model.end() ? member_table::none : known->second;
    RC_ASSERT(table.find_name(fmt::format("n{}", number)) == expected);
    RC_ASSERT(table.find_address(fmt::format("at-{}", number)) == expected);
    RC_ASSERT(table.find(fmt::format("n{}", number), incarnation{2}) == member_table::none);
  }
  // The digest is that of a table which was filled in another order.
  member_table other;
  other.add(some_member(0), standing::alive, 0, random);
  std::size_t unreachable = 0;
  for (auto at = model.rbegin(); at != model.rend(); ++at) {
    const auto& one = table.at(at->second);
    // A suspected member counts as alive.
    const auto how = one.standing == standing::suspect ? standing::alive : one.standing;
    unreachable += how == standing::unreachable ? 1U : 0U;
    other.add(some_member(at->first), how, one.counter, random);
  }
  RC_ASSERT(other.root() == table.root());
  RC_ASSERT(other.buckets(8) == table.buckets(8));
  RC_ASSERT(table.unreachable() == unreachable);
}

TEST(member_table, digest_differs_when_any_member_differs) {
  prng random{1};
  member_table one;
  member_table two;
  for (std::uint64_t i = 0; i < 20; ++i) {
    one.add(some_member(i), standing::alive, 0, random);
    two.add(some_member(i), standing::alive, 0, random);
  }
  EXPECT_EQ(one.root(), two.root());
  two.set(5, standing::alive, 1);
  EXPECT_NE(one.root(), two.root());
  two.set(5, standing::unreachable, 0);
  EXPECT_NE(one.root(), two.root());
  two.set(5, standing::alive, 0);
  EXPECT_EQ(one.root(), two.root());
  two.remove(5);
  two.add(some_member(5, 2), standing::alive, 0, random);
  EXPECT_NE(one.root(), two.root()) << "another life is another member";
  const auto left = one.buckets(16);
  const auto right = two.buckets(16);
  EXPECT_LE(std::ranges::count_if(
                std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                [&](int i) { return left[static_cast<std::size_t>(i)] != right[static_cast<std::size_t>(i)]; }),
            2);
}

TEST(member_table, probes_everyone_once_in_each_round_in_changing_order) {
  prng random{1};
  member_table table;
  for (std::uint64_t i = 0; i <= 10; ++i) {
    table.add(some_member(i), standing::alive, 0, random);
  }
  std::vector<std::vector<member_table::slot>> rounds;
  for (int round = 0; round < 5; ++round) {
    std::vector<member_table::slot> order;
    for (int i = 0; i < 10; ++i) {
      order.push_back(table.next_to_probe(random));
    }
    rounds.push_back(order);
    std::ranges::sort(order);
    EXPECT_EQ(order, (std::vector<member_table::slot>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  }
  EXPECT_NE(rounds[1], rounds[2]);
}

TEST(member_table, probes_a_newcomer_in_the_round_in_which_it_came) {
  prng random{3};
  member_table table;
  table.add(some_member(0), standing::alive, 0, random);
  EXPECT_EQ(table.next_to_probe(random), member_table::none);
  for (std::uint64_t i = 1; i <= 5; ++i) {
    table.add(some_member(i), standing::alive, 0, random);
  }
  (void)table.next_to_probe(random);
  const auto late = table.add(some_member(6), standing::alive, 0, random);
  std::set<member_table::slot> rest;
  for (int i = 0; i < 5; ++i) {
    rest.insert(table.next_to_probe(random));
  }
  EXPECT_TRUE(rest.contains(late));
}

TEST(member_table, picks_only_what_fits_and_never_itself) {
  prng random{1};
  member_table table;
  table.add(some_member(0), standing::alive, 0, random);
  EXPECT_EQ(table.pick(random, [](auto) { return true; }), member_table::none);
  for (std::uint64_t i = 1; i <= 100; ++i) {
    table.add(some_member(i), standing::alive, 0, random);
  }
  for (int i = 0; i < 100; ++i) {
    EXPECT_NE(table.pick(random, [](auto) { return true; }), member_table::self);
    EXPECT_EQ(table.pick(random, [](auto which) { return which == 77; }), 77U);
  }
}

TEST(member_pool, gives_equal_members_one_object_and_forgets_those_nobody_holds) {
  member_pool pool;
  const auto one = pool.share("a", incarnation{1}, "x", {});
  EXPECT_EQ(pool.share("a", incarnation{1}, "x", {}), one);
  EXPECT_NE(pool.share("a", incarnation{2}, "x", {}), one);
  EXPECT_NE(pool.share("a", incarnation{1}, "y", {}), one);
  for (std::uint64_t i = 0; i < 5000; ++i) {
    (void)pool.share("b", incarnation{i + 1}, "x", {});
  }
  EXPECT_LE(pool.size(), 1100U);
}

TEST(incarnation, made_later_is_higher_and_never_below_what_is_asked) {
  prng random{1};
  const auto early = make_incarnation(1000, random);
  const auto late = make_incarnation(1001, random);
  EXPECT_LT(early, late);
  EXPECT_NE(make_incarnation(1000, random), make_incarnation(1000, random));
  EXPECT_GE(make_incarnation(5, random, late), late);
  EXPECT_GT(make_incarnation(0, random).value(), 0U);
}

// --- the dead ---

TEST(departed, are_remembered_until_the_horizon) {
  departed gone{10};
  const instant now{};
  gone.add(some_member(1, 7), standing::removed, now + seconds{10});
  gone.forget_until(now + seconds{9});
  ASSERT_NE(gone.find("n1", incarnation{7}), nullptr);
  EXPECT_EQ(gone.find("n1", incarnation{8}), nullptr);
  EXPECT_EQ(gone.next_to_forget(), now + seconds{10});
  gone.forget_until(now + seconds{10});
  EXPECT_EQ(gone.find("n1", incarnation{7}), nullptr);
  EXPECT_EQ(gone.next_to_forget(), instant_never);
}

TEST(departed, beyond_the_bound_the_one_to_be_forgotten_first_goes) {
  departed gone{3};
  for (const int due_s : {40, 10, 30, 20}) {
    gone.add(some_member(static_cast<std::uint64_t>(due_s)), standing::removed, instant{seconds{due_s}});
  }
  EXPECT_EQ(gone.size(), 3U);
  EXPECT_EQ(gone.find("n10", incarnation{1}), nullptr);
  EXPECT_NE(gone.find("n20", incarnation{1}), nullptr);
}

// --- what is to be told ---

news_queue::item news_of(const member_ptr& who, standing how = standing::alive) {
  return {.who = who, .standing = how, .counter = 0, .accuser = {}, .remembered_s = 0};
}

std::vector<std::string> tell(news_queue& queue, std::size_t space, std::size_t times_max) {
  std::vector<claim> out;
  queue.take(out, space);
  std::vector<std::string> names;
  for (const auto& one : out) {
    names.emplace_back(one.name);
  }
  queue.told(times_max);
  return names;
}

TEST(news, told_least_goes_first_and_then_what_came_last) {
  news_queue queue;
  const auto one = some_member(1);
  const auto two = some_member(2);
  const auto three = some_member(3);
  const std::size_t space = encoded_bytes(to_claim(news_of(one)));
  queue.put(news_of(one));
  EXPECT_EQ(tell(queue, space, 10), std::vector<std::string>{"n1"});
  queue.put(news_of(two));
  queue.put(news_of(three));
  EXPECT_EQ(tell(queue, space, 10), std::vector<std::string>{"n3"});
  EXPECT_EQ(tell(queue, 2 * space, 10), (std::vector<std::string>{"n2", "n3"}));
}

TEST(news, is_dropped_when_it_was_told_often_enough_and_begins_anew_when_it_changes) {
  news_queue queue;
  const auto one = some_member(1);
  queue.put(news_of(one));
  EXPECT_EQ(tell(queue, 1000, 2).size(), 1U);
  queue.put(news_of(one, standing::unreachable));
  EXPECT_EQ(queue.size(), 1U) << "one item for each incarnation";
  EXPECT_EQ(tell(queue, 1000, 2).size(), 1U);
  EXPECT_EQ(tell(queue, 1000, 2).size(), 1U);
  EXPECT_TRUE(queue.empty());
}

TEST(news, beyond_the_space_waits_and_nothing_is_told_twice_in_one_message) {
  news_queue queue;
  std::vector<member_ptr> all;
  for (std::uint64_t i = 0; i < 100; ++i) {
    all.push_back(some_member(i));
    queue.put(news_of(all.back()));
  }
  const auto names = tell(queue, 500, 10);
  EXPECT_GT(names.size(), 10U);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_EQ(queue.size(), 100U);
}

RC_GTEST_PROP(news, go_in_the_order_of_a_plain_sorted_list, ()) {
  prng random{*rc::gen::arbitrary<std::uint64_t>()};
  std::vector<member_ptr> all;
  for (std::uint64_t i = 0; i < 40; ++i) {
    all.push_back(make_member(std::string(1 + random.below(60), static_cast<char>('a' + i % 26)), incarnation{i + 1},
                              std::string(1 + random.below(100), 'x'), {}));
  }
  struct waiting {
    std::size_t times{0};
    std::uint64_t age{0};
    member_ptr who;
    standing how{};
  };
  std::vector<waiting> model;
  std::uint64_t age = 1'000'000;
  news_queue queue;
  constexpr std::size_t times_max = 3;
  for (std::uint64_t step = random.below(300); step > 0; --step) {
    if (random.chance(2, 3)) {
      const member_ptr& who = all[random.below(all.size())];
      const auto how = random.chance(1, 2) ? standing::alive : standing::unreachable;
      std::erase_if(model, [&](const waiting& one) { return one.who == who; });
      model.push_back({0, --age, who, how});
      queue.put(news_of(who, how));
      continue;
    }
    std::ranges::sort(model, {}, [](const waiting& one) { return std::pair{one.times, one.age}; });
    std::size_t space = random.below(1500);
    std::size_t misfits_left = 8;
    const std::size_t space_given = space;
    std::vector<std::string> expected;
    for (waiting& one : model) {
      const std::size_t needed = encoded_bytes(to_claim(news_of(one.who, one.how)));
      if (needed > space) {
        if (--misfits_left == 0) {
          break;
        }
        continue;
      }
      space -= needed;
      expected.push_back(one.who->name);
      ++one.times;
    }
    std::erase_if(model, [&](const waiting& one) { return one.times >= times_max; });
    RC_ASSERT(tell(queue, space_given, times_max) == expected);
    RC_ASSERT(queue.size() == model.size());
  }
}

// --- how long to wait before a suspected member is given up ---

options with_times() {
  options how;
  how.suspicion_time = milliseconds{400};
  how.suspicion_max_factor = 2.5;
  how.suspicion_confirmations = 3;
  return how;
}

TEST(suspicion, confirmed_by_nobody_waits_longest) {
  const suspicion one{with_times(), 10, incarnation{1}, instant{}};
  EXPECT_EQ(one.deadline(), instant{milliseconds{1000}});
}

TEST(suspicion, confirmed_by_k_peers_waits_shortest_and_shrinks_with_each) {
  suspicion one{with_times(), 10, incarnation{1}, instant{}};
  instant before = one.deadline();
  for (std::uint64_t accuser = 2; accuser <= 4; ++accuser) {
    EXPECT_TRUE(one.confirm(incarnation{accuser}));
    EXPECT_LT(one.deadline(), before);
    before = one.deadline();
  }
  EXPECT_EQ(before, instant{milliseconds{400}});
  EXPECT_FALSE(one.confirm(incarnation{5})) << "more do not count";
}

TEST(suspicion, by_the_same_accuser_again_is_no_confirmation) {
  suspicion one{with_times(), 10, incarnation{1}, instant{}};
  EXPECT_FALSE(one.confirm(incarnation{1}));
  EXPECT_TRUE(one.confirm(incarnation{2}));
  EXPECT_FALSE(one.confirm(incarnation{2}));
}

TEST(suspicion, grows_with_the_logarithm_of_the_cluster) {
  suspicion one{with_times(), 1000, incarnation{1}, instant{}};
  EXPECT_EQ(one.deadline(), instant{milliseconds{3000}});
}

TEST(suspicion, in_a_cluster_of_two_has_nobody_to_wait_for) {
  const suspicion one{with_times(), 2, incarnation{1}, instant{}};
  EXPECT_EQ(one.deadline(), instant{milliseconds{400}});
}

TEST(options, that_make_no_sense_are_refused_in_one_sentence) {
  options good;
  good.name = "a";
  good.address = "x";
  good.cluster = "shop";
  good.incarnation = incarnation{1};
  EXPECT_TRUE(validate(good));
  const auto refusal_of = [&](auto change) {
    options bad = good;
    change(bad);
    const auto outcome = validate(bad);
    return outcome ? std::string{} : outcome.error().message;
  };
  EXPECT_EQ(refusal_of([](options& how) { how.name.clear(); }), "name '' has 0 bytes; 1 to 128 are allowed");
  EXPECT_EQ(refusal_of([](options& how) { how.probe_interval = {}; }),
            "probe_interval is 0 ms; 1 to 86400000 ms are allowed");
  EXPECT_EQ(refusal_of([](options& how) { how.message_bytes_max = 100; }),
            "message_bytes_max is 100; 1024 to 65536 are allowed");
  EXPECT_EQ(refusal_of([](options& how) { how.incarnation = incarnation{0}; }),
            "incarnation is 0; any other number is allowed, see make_incarnation");
  EXPECT_EQ(refusal_of([](options& how) { how.suspicion_max_factor = 0.5; }),
            "suspicion_max_factor is 0.5; 1 to 100 are allowed");
  EXPECT_EQ(refusal_of([](options& how) {
              how.keep_majority = true;
              how.majority_delay = std::chrono::minutes{2};
            }),
            "majority_delay is not shorter than removal_timeout; with keep_majority it must be, because the members "
            "before a split are counted");
  EXPECT_EQ(refusal_of([](options& how) { how.seeds.assign(65, "x"); }),
            "seeds has 65 addresses; up to 64 are allowed");
}

}  // namespace
}  // namespace muster::membership
