#include <gtest/gtest.h>
#include <malloc.h>

#include <memory>
#include <string>
#include <vector>

#include "muster/receptionist/test_receptionist.hpp"

namespace muster::receptionist::testing {
namespace {

class subscribing : public ::testing::Test {
 protected:
  test_system t_;
  handle receptionist_{start(t_.system, nullptr, options{}.max_subscribers_per_key(3).max_subscribers_total(5))};
  probe<api_news> subscriber_{t_.system, {.name = "subscriber"}};
  actor_ref<std::variant<int, listing<api_message>>> asker_;

  actor_ref<api_message> spawn(const std::string& name) {
    return t_.system.spawn<api_message>(name, [](const api_message&) {});
  }
  /// One line for each listing that the subscriber has got since the last call.
  std::vector<paths> heard() {
    std::vector<paths> out;
    for (const auto& one : subscriber_.take()) out.push_back(shown(std::get<listing<api_message>>(one).refs));
    return out;
  }
  std::vector<std::unique_ptr<probe<api_news>>> fill(const service_key<api_message>& key, std::size_t count) {
    std::vector<std::unique_ptr<probe<api_news>>> out;
    for (std::size_t i = 0; i < count; ++i) {
      out.push_back(std::make_unique<probe<api_news>>(t_.system));
      receptionist_.tell(subscribe{key, out.back()->ref()});
    }
    t_.run();
    return out;
  }
};

TEST_F(subscribing, brings_a_listing_now_and_one_at_each_change) {
  const auto a = spawn("a");
  receptionist_.tell(register_{api_key, a});
  receptionist_.tell(subscribe{api_key, subscriber_.ref()});
  t_.run();
  EXPECT_EQ(heard(), std::vector<paths>(1, paths{"/user/a"}));
  receptionist_.tell(register_{api_key, spawn("b")});
  t_.run();
  EXPECT_EQ(heard(), std::vector<paths>(1, paths{"/user/a", "/user/b"}));
  receptionist_.tell(deregister{api_key, a});
  t_.run();
  EXPECT_EQ(heard(), std::vector<paths>(1, paths{"/user/b"}));
  receptionist_.tell(register_{service_key<api_message>{"other"}, a});
  t_.run();
  EXPECT_TRUE(heard().empty()) << "nothing has changed under that key";
}

TEST_F(subscribing, to_a_key_that_nobody_has_brings_an_empty_listing) {
  receptionist_.tell(subscribe{api_key, subscriber_.ref()});
  t_.run();
  EXPECT_EQ(heard(), std::vector<paths>(1));
}

TEST_F(subscribing, makes_one_listing_of_the_changes_of_a_turn) {
  receptionist_.tell(subscribe{api_key, subscriber_.ref()});
  t_.run();
  (void)heard();
  for (int i = 0; i < 50; ++i) receptionist_.tell(register_{api_key, spawn("")});
  t_.run();
  const auto all = heard();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].size(), 50U);
}

TEST_F(subscribing, makes_none_when_a_registration_came_and_went) {
  receptionist_.tell(subscribe{api_key, subscriber_.ref()});
  t_.run();
  (void)heard();
  const auto a = spawn("a");
  receptionist_.tell(register_{api_key, a});
  receptionist_.tell(deregister{api_key, a});
  t_.run();
  EXPECT_TRUE(heard().empty());
}

TEST_F(subscribing, and_registering_at_the_same_instant_notifies) {
  for (const bool subscribes_first : {true, false}) {
    const service_key<api_message> key{subscribes_first ? "first" : "second"};
    if (subscribes_first) receptionist_.tell(subscribe{key, subscriber_.ref()});
    receptionist_.tell(register_{key, spawn("")});
    if (!subscribes_first) receptionist_.tell(subscribe{key, subscriber_.ref()});
    t_.run();
    ASSERT_FALSE(subscriber_.messages().empty());
    EXPECT_EQ(std::get<listing<api_message>>(subscriber_.messages().back()).refs.size(), 1U);
    (void)heard();
  }
}

TEST_F(subscribing, again_takes_no_second_place_and_brings_the_current_listing_again) {
  receptionist_.tell(register_{api_key, spawn("a")});
  for (int i = 0; i < 10; ++i) receptionist_.tell(subscribe{api_key, subscriber_.ref()});
  t_.run();
  EXPECT_EQ(heard(), std::vector<paths>(10, paths{"/user/a"}));
  receptionist_.tell(register_{api_key, spawn("b")});
  t_.run();
  EXPECT_EQ(heard().size(), 1U);
  EXPECT_EQ(fill(api_key, 2).size(), 2U);
  EXPECT_EQ(receptionist_.counters().subscriptions_rejected, 0U);
}

TEST_F(subscribing, ends_by_unsubscribe) {
  receptionist_.tell(subscribe{api_key, subscriber_.ref()});
  receptionist_.tell(unsubscribe{api_key, subscriber_.ref()});
  t_.run();
  (void)heard();
  receptionist_.tell(register_{api_key, spawn("a")});
  receptionist_.tell(unsubscribe{api_key, subscriber_.ref()});
  receptionist_.tell(unsubscribe{api_key, any_ref{}});
  t_.run();
  EXPECT_TRUE(heard().empty());
}

TEST_F(subscribing, over_the_bound_per_key_brings_one_rejection_and_nothing_after) {
  const auto others = fill(api_key, 3);
  receptionist_.tell(subscribe{api_key, subscriber_.ref()});
  t_.run();
  auto answers = subscriber_.take();
  ASSERT_EQ(answers.size(), 1U);
  const auto& rejected = std::get<subscribe_rejected<api_message>>(answers[0]);
  EXPECT_EQ(rejected.key, api_key);
  EXPECT_EQ(rejected.reason, rejection::max_subscribers_per_key);
  EXPECT_EQ(rejected.limit, 3U);
  receptionist_.tell(register_{api_key, spawn("a")});
  t_.run();
  EXPECT_TRUE(subscriber_.messages().empty());
  EXPECT_EQ(others[0]->messages().size(), 2U);
}

TEST_F(subscribing, over_the_total_bound_says_so_unless_the_bound_per_key_is_exceeded_too) {
  const auto some = fill(api_key, 3);
  const auto more = fill(service_key<api_message>{"other"}, 2);
  receptionist_.tell(subscribe{service_key<api_message>{"third"}, subscriber_.ref()});
  receptionist_.tell(subscribe{api_key, subscriber_.ref()});
  t_.run();
  const auto answers = subscriber_.take();
  ASSERT_EQ(answers.size(), 2U);
  const auto& total = std::get<subscribe_rejected<api_message>>(answers[0]);
  EXPECT_EQ(total.reason, rejection::max_subscribers_total);
  EXPECT_EQ(total.limit, 5U);
  EXPECT_EQ(std::get<subscribe_rejected<api_message>>(answers[1]).reason, rejection::max_subscribers_per_key);
  EXPECT_EQ(to_string(total.reason), "max_subscribers_total");
}

TEST_F(subscribing, goes_by_the_id_of_a_key_whatever_its_type) {
  const auto others = fill(api_key, 3);
  probe<listing<int>> odd{t_.system};
  receptionist_.tell(subscribe{service_key<int>{"api-service"}, odd.ref()});
  t_.run();
  EXPECT_TRUE(odd.messages().empty());
  EXPECT_EQ(receptionist_.counters().subscriptions_rejected, 1U);
  receptionist_.tell(unsubscribe{service_key<int>{"api-service"}, others[0]->ref()});
  receptionist_.tell(subscribe{api_key, subscriber_.ref()});
  t_.run();
  EXPECT_EQ(heard().size(), 1U);
}

TEST_F(subscribing, rejected_without_a_place_for_it_is_an_error_in_the_log_and_a_dead_letter) {
  const auto others = fill(api_key, 3);
  probe<dead_letter> letters{t_.system};
  t_.system.dead_letters().subscribe(letters.ref());
  probe<listing<api_message>> plain{t_.system, {.name = "plain"}};
  receptionist_.tell(subscribe{api_key, plain.ref()});
  t_.run();
  EXPECT_TRUE(plain.messages().empty());
  EXPECT_EQ(t_.log.values("subscription_rejected", "reason"), paths{"max_subscribers_per_key"});
  EXPECT_EQ(t_.log.values("subscription_rejected", "key"), paths{"api-service"});
  ASSERT_EQ(letters.messages().size(), 1U);
  EXPECT_EQ(letters.messages()[0].to, plain.ref());
}

TEST_F(subscribing, ends_with_the_subscriber_whose_places_are_free_at_once) {
  auto others = fill(api_key, 2);
  receptionist_.tell(subscribe{api_key, subscriber_.ref()});
  receptionist_.tell(subscribe{service_key<api_message>{"other"}, subscriber_.ref()});
  t_.run();
  t_.system.stop(subscriber_.ref());
  t_.run();
  EXPECT_EQ(fill(api_key, 1)[0]->messages().size(), 1U);
  EXPECT_EQ(fill(service_key<api_message>{"other"}, 2)[1]->messages().size(), 1U);
  EXPECT_EQ(receptionist_.counters().subscriptions_rejected, 0U);
}

TEST_F(subscribing, of_one_that_has_stopped_already_takes_no_place) {
  t_.system.stop(subscriber_.ref());
  t_.run();
  receptionist_.tell(subscribe{api_key, subscriber_.ref()});
  t_.run();
  EXPECT_EQ(t_.system.dead_letters().count(dead_letter_reason::stopped), 1U);
  EXPECT_EQ(fill(api_key, 3)[2]->messages().size(), 1U);
}

TEST_F(subscribing, leaves_no_watch_when_it_ends_or_is_rejected) {
  const probe<api_news> stranger{t_.system};
  const auto full = fill(api_key, 3);
  const auto ended = fill(service_key<api_message>{"other"}, 2);
  receptionist_.tell(subscribe{api_key, subscriber_.ref()});
  t_.run();
  ASSERT_EQ(receptionist_.counters().subscriptions_rejected, 1U);
  const service_key<api_message> third{"third"};
  receptionist_.tell(unsubscribe{service_key<api_message>{"other"}, ended[0]->ref()});
  receptionist_.tell(subscribe{third, ended[1]->ref()});
  receptionist_.tell(unsubscribe{third, ended[1]->ref()});
  const auto turns_unwatched = turns_at_end_of(t_, stranger.ref());
  EXPECT_EQ(turns_at_end_of(t_, subscriber_.ref()), turns_unwatched) << "it was rejected";
  EXPECT_EQ(turns_at_end_of(t_, ended[0]->ref()), turns_unwatched) << "it has unsubscribed";
  EXPECT_GT(turns_at_end_of(t_, ended[1]->ref()), turns_unwatched) << "it has another subscription";
  EXPECT_GT(turns_at_end_of(t_, full[0]->ref()), turns_unwatched);
}

/// Of this process. Under sanitizers, which have an allocator of their own, it does not change.
std::size_t bytes_in_use() { return ::mallinfo2().uordblks; }

TEST_F(subscribing, of_10000_that_are_rejected_on_fresh_keys_leaves_memory_flat) {
  const auto full = fill(api_key, 3);
  const auto full_too = fill(service_key<api_message>{"other"}, 2);
  std::size_t rejections = 0;
  std::vector<actor_ref<api_news>> rejected;
  for (int i = 0; i < 10'000; ++i) {
    rejected.push_back(t_.system.spawn<api_news>("", [&rejections](const api_news& news) {
      if (std::holds_alternative<subscribe_rejected<api_message>>(news)) ++rejections;
    }));
    t_.run();
  }
  const auto before = bytes_in_use();
  for (std::size_t i = 0; i < rejected.size(); ++i) {
    receptionist_.tell(subscribe{service_key<api_message>{"fresh-" + std::to_string(i)}, rejected[i]});
    t_.run();
  }
  EXPECT_LT(bytes_in_use(), before + 10 * rejected.size()) << "they live on; kept of each is less than a pointer to it";
  EXPECT_EQ(rejections, 10'000U);
  t_.system.stop(full[0]->ref());
  t_.run();
  receptionist_.tell(subscribe{service_key<api_message>{"fresh-1"}, subscriber_.ref()});
  t_.run();
  EXPECT_EQ(heard().size(), 1U) << "a place that is free is given";
}

TEST_F(subscribing, by_a_null_ref_is_a_dead_letter) {
  receptionist_.tell(subscribe{api_key, actor_ref<listing<api_message>>{}});
  receptionist_.tell(find{api_key, actor_ref<listing<api_message>>{}});
  t_.run();
  EXPECT_EQ(t_.system.dead_letters().count(dead_letter_reason::unhandled), 2U);
  EXPECT_EQ(receptionist_.counters().messages_without_use, 2U);
}

TEST_F(subscribing, replaces_a_listing_that_still_waits_in_the_mailbox) {
  // The subscriber is slow: it gets no turn while the receptionist has several.
  std::vector<std::size_t> sizes;
  const auto slow = t_.system.spawn<std::variant<int, listing<api_message>>>(
      "slow", [&, this](std::variant<int, listing<api_message>> message) {
        if (auto* news = std::get_if<listing<api_message>>(&message)) return sizes.push_back(news->refs.size());
        // While it is busy with this, the others go on.
        for (int i = 0; i < 20; ++i) {
          receptionist_.tell(register_{api_key, spawn("")});
          for (int turns = 0; turns < 10; ++turns) (void)t_.executor->step();
        }
      });
  receptionist_.tell(subscribe{api_key, slow});
  t_.run();
  EXPECT_EQ(sizes, std::vector<std::size_t>{0});
  slow.tell(1);
  t_.run();
  ASSERT_EQ(sizes.size(), 2U);
  EXPECT_EQ(sizes.back(), 20U);
}

TEST_F(subscribing, delays_nobody_else_when_it_is_slow) {
  probe<listing<api_message>> quick{t_.system};
  std::vector<std::size_t> heard_meanwhile;
  const auto slow = t_.system.spawn<std::variant<int, listing<api_message>>>(
      "slow", [&, this](const std::variant<int, listing<api_message>>& message) {
        if (message.index() != 0) return;
        // While it is busy with this, the others go on.
        for (int i = 0; i < 3; ++i) {
          receptionist_.tell(register_{api_key, spawn("")});
          t_.run();
          for (const auto& one : quick.take()) heard_meanwhile.push_back(one.refs.size());
        }
      });
  receptionist_.tell(subscribe{api_key, slow});
  receptionist_.tell(subscribe{api_key, quick.ref()});
  t_.run();
  (void)quick.take();
  slow.tell(1);
  t_.run();
  EXPECT_EQ(heard_meanwhile, (std::vector<std::size_t>{1, 2, 3}));
}

TEST_F(subscribing, hears_the_newest_listing_last_even_if_it_also_asks) {
  std::vector<std::size_t> sizes;
  const auto both = t_.system.spawn<std::variant<int, listing<api_message>>>(
      "both", [&, this](std::variant<int, listing<api_message>> message) {
        if (auto* news = std::get_if<listing<api_message>>(&message)) return sizes.push_back(news->refs.size());
        const auto go = [&] {
          for (int turns = 0; turns < 10; ++turns) (void)t_.executor->step();
        };
        receptionist_.tell(register_{api_key, spawn("")});
        go();
        receptionist_.tell(find{api_key, asker_});
        go();
        receptionist_.tell(register_{api_key, spawn("")});
        go();
      });
  asker_ = both;
  receptionist_.tell(subscribe{api_key, both});
  t_.run();
  sizes.clear();
  both.tell(1);
  t_.run();
  EXPECT_EQ(sizes, (std::vector<std::size_t>{1, 1, 2}));
}

TEST(a_listing, that_is_found_or_looked_up_is_shared_and_never_changes) {
  test_system t;
  const auto receptionist = start(t.system, nullptr);
  const auto a = t.system.spawn<api_message>("a", [](const api_message&) {});
  receptionist.tell(register_{api_key, a});
  t.run();
  const auto before = receptionist.lookup(api_key);
  const auto same = receptionist.lookup(api_key);
  EXPECT_EQ(before.refs.view().data(), same.refs.view().data());
  receptionist.tell(deregister{api_key, a});
  t.run();
  EXPECT_EQ(shown(before.refs), paths{"/user/a"});
  EXPECT_TRUE(receptionist.lookup(api_key).refs.empty());
  EXPECT_EQ(before.key, api_key);
  EXPECT_EQ(before.refs, same.refs);
  EXPECT_NE(before.refs, receptionist.lookup(api_key).refs);
}

TEST(a_listing, keeps_those_who_stay_in_their_order) {
  test_system t;
  const auto receptionist = start(t.system, nullptr);
  std::vector<actor_ref<api_message>> all;
  for (const char* name : {"c", "a", "e", "b", "d"}) {
    all.push_back(t.system.spawn<api_message>(name, [](const api_message&) {}));
    receptionist.tell(register_{api_key, all.back()});
  }
  t.run();
  EXPECT_EQ(shown(receptionist.lookup(api_key).refs), (paths{"/user/a", "/user/b", "/user/c", "/user/d", "/user/e"}));
  receptionist.tell(deregister{api_key, all[3]});
  t.run();
  EXPECT_EQ(shown(receptionist.lookup(api_key).refs), (paths{"/user/a", "/user/c", "/user/d", "/user/e"}));
}

}  // namespace
}  // namespace muster::receptionist::testing
