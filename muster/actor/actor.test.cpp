#include "muster/actor/actor.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include "muster/actor/test_system.hpp"

namespace muster::testing {
namespace {

struct api_message {
  std::string path;
};
struct credit {
  int amount{0};
};
struct query {
  actor_ref<int> reply_to;
};
using account_message = std::variant<credit, query>;

struct named {
  static constexpr std::string_view message_name = "shop.named";
};

/// An account, the usual example of state that nobody guards.
class account : public actor<account_message> {
 public:
  explicit account(int opening) : balance_{opening} {}
  void receive(context&, account_message message) override {
    if (const auto* paid = std::get_if<credit>(&message)) {
      balance_ += paid->amount;
    } else {
      std::get<query>(message).reply_to.tell(balance_);
    }
  }

 private:
  int balance_;
};

TEST(actor, handles_what_it_is_told_in_the_order_of_telling) {
  test_system t;
  probe<int> p{t.system};
  for (int i = 0; i < 500; ++i) {
    p.ref().tell(i);
  }
  EXPECT_TRUE(p.messages().empty()) << "nothing runs inside a tell";
  t.run();
  ASSERT_EQ(p.messages().size(), 500U);
  EXPECT_TRUE(std::is_sorted(p.messages().begin(), p.messages().end()));
}

TEST(actor, of_a_variant_takes_each_alternative_by_its_own_ref) {
  test_system t;
  const auto all = t.system.spawn<account>("savings", 100);
  const actor_ref<credit> payments = all;
  const actor_ref<query> questions = all;
  probe<int> answers{t.system};
  payments.tell(credit{5});
  all.tell(credit{2});
  questions.tell(query{answers.ref()});
  t.run();
  EXPECT_EQ(answers.messages(), std::vector{107});
  EXPECT_EQ(payments, all) << "it is the same actor";
  EXPECT_EQ(payments.path(), "/user/savings");
}

TEST(actor, of_a_wide_variant_may_stand_where_a_narrower_one_is_asked_for) {
  test_system t;
  using wide = std::variant<int, std::string, credit>;
  using narrow = std::variant<credit, int>;
  probe<wide> p{t.system};
  const actor_ref<narrow> some = p.ref();
  const actor_ref<int> one = some;
  some.tell(narrow{credit{7}});
  some.tell(3);
  one.tell(4);
  t.run();
  ASSERT_EQ(p.messages().size(), 3U);
  EXPECT_EQ(std::get<credit>(p.messages()[0]).amount, 7);
  EXPECT_EQ(std::get<int>(p.messages()[1]), 3);
  EXPECT_EQ(std::get<int>(p.messages()[2]), 4);
}

TEST(actor, says_at_run_time_whether_it_takes_another_type) {
  test_system t;
  const actor_ref<credit> payments = t.system.spawn<account>("savings", 0);
  EXPECT_TRUE(payments.as<query>());
  EXPECT_TRUE(payments.as<account_message>());
  EXPECT_FALSE(payments.as<int>());
  EXPECT_FALSE((payments.as<std::variant<credit, int>>()));
  EXPECT_FALSE(actor_ref<int>{}.as<int>());
}

TEST(actor, that_is_a_function_gets_its_context_and_stops_itself) {
  test_system t;
  std::vector<std::string> seen;
  const auto ref = t.system.spawn<api_message>("api", [&seen](actor_context<api_message>& self, api_message message) {
    seen.push_back(self.path() + message.path);
    if (message.path == "/last") self.stop();
  });
  ref.tell({"/first"});
  ref.tell({"/last"});
  ref.tell({"/late"});
  t.run();
  EXPECT_EQ(seen, (std::vector<std::string>{"/user/api/first", "/user/api/last"}));
  EXPECT_TRUE(ref.is_stopped());
  EXPECT_EQ(t.system.dead_letters().count(dead_letter_reason::stopped), 1U);
}

struct counted_moves {
  int copies{0};
  int moves{0};
  counted_moves() = default;
  counted_moves(const counted_moves& other) : copies{other.copies + 1}, moves{other.moves} {}
  counted_moves(counted_moves&& other) noexcept : copies{other.copies}, moves{other.moves + 1} {}
  counted_moves& operator=(const counted_moves&) = delete;
  counted_moves& operator=(counted_moves&&) = delete;
  ~counted_moves() = default;
};

TEST(actor, gets_a_message_by_moves_and_never_by_a_copy) {
  test_system t;
  counted_moves seen;
  const auto ref = t.system.spawn<counted_moves>("c", [&seen](const counted_moves& message) {
    seen.copies = message.copies;
    seen.moves = message.moves;
  });
  ref.tell(counted_moves{});
  t.run();
  EXPECT_EQ(seen.copies, 0);
  EXPECT_LE(seen.moves, 3);
}

struct ball {
  int left{0};
  actor_ref<ball> back{};
};

TEST(actor, takes_messages_with_refs_for_their_own_type) {
  test_system t;
  int last = -1;
  const auto player = [&last](actor_context<ball>& self, const ball& got) {
    last = got.left;
    if (got.left > 0) got.back.tell({got.left - 1, self.self()});
  };
  const auto ping = t.system.spawn<ball>("ping", player);
  const ball first{10, t.system.spawn<ball>("pong", player)};
  ping.tell(first);
  t.run();
  EXPECT_EQ(last, 0);
}

TEST(actor, takes_messages_that_can_only_be_moved) {
  test_system t;
  int seen = 0;
  const auto ref =
      t.system.spawn<std::unique_ptr<int>>("moved", [&seen](std::unique_ptr<int> message) { seen = *message; });
  ref.tell(std::make_unique<int>(7));
  ASSERT_TRUE(ref.try_tell(std::make_unique<int>(8)));
  t.run();
  EXPECT_EQ(seen, 8);
}

TEST(actor, with_much_to_do_leaves_a_turn_to_others_after_each_batch) {
  test_system t;
  std::vector<char> order;
  const spawn_options two_at_once{.name = "greedy", .batch_max = 2};
  const auto greedy = t.system.spawn<int>(two_at_once, [&order](int) { order.push_back('g'); });
  const auto modest = t.system.spawn<int>("modest", [&order](int) { order.push_back('m'); });
  for (int i = 0; i < 5; ++i) {
    greedy.tell(i);
  }
  modest.tell(1);
  t.run();
  EXPECT_EQ(std::string(order.begin(), order.end()).find('m'), 1U) << "its first turn also made the instance";
  EXPECT_EQ(order.size(), 6U);
}

TEST(actor, has_children_below_its_path_who_stop_before_it) {
  test_system t;
  std::vector<std::string> stopped;
  struct noting : actor<int> {
    noting(std::vector<std::string>& stopped, int depth) : stopped_{stopped}, depth_{depth} {}
    void on_start(context& self) override {
      if (depth_ > 0) self.spawn<noting>("child", std::ref(stopped_), depth_ - 1);
    }
    void receive(context&, int) override {}
    void on_stop(context& self) override { stopped_.push_back(self.path()); }
    std::vector<std::string>& stopped_;
    const int depth_;
  };
  const auto top = t.system.spawn<noting>("top", std::ref(stopped), 2);
  t.run();
  EXPECT_TRUE(t.system.find("/user/top/child/child"));
  t.system.stop(top);
  t.run();
  EXPECT_EQ(stopped, (std::vector<std::string>{"/user/top/child/child", "/user/top/child", "/user/top"}));
  EXPECT_EQ(t.system.actor_count(), 0U);
}

TEST(actor, asked_to_stop_handles_first_what_it_was_told_before) {
  test_system t;
  probe<int> p{t.system};
  p.ref().tell(1);
  p.ref().tell(2);
  t.system.stop(p.ref());
  p.ref().tell(3);
  t.run();
  EXPECT_EQ(p.messages(), (std::vector{1, 2}));
  EXPECT_EQ(t.system.dead_letters().count(), 1U);
}

TEST(actor, asked_to_stop_now_leaves_what_waits_to_the_dead_letters) {
  test_system t;
  probe<int> p{t.system};
  t.run();
  p.ref().tell(1);
  p.ref().tell(2);
  t.system.stop(p.ref(), stop_when::now);
  t.run();
  EXPECT_TRUE(p.messages().empty());
  EXPECT_EQ(t.system.dead_letters().count(dead_letter_reason::stopped), 2U);
}

struct note {
  static constexpr bool dies_with_actor = true;
};

// Its log warned of them each time a system ended.
TEST(actor, leaves_no_dead_letters_of_notes_that_mean_nothing_after_its_end) {
  test_system t;
  probe<std::variant<int, note>> p{t.system};
  t.run();
  p.ref().tell(note{});
  p.ref().tell(1);
  t.system.stop(p.ref(), stop_when::now);
  t.run();
  p.ref().tell(note{});
  EXPECT_EQ(t.system.dead_letters().count(), 1U) << "the number alone";
}

TEST(actor, that_waits_for_its_children_hurries_them_when_it_is_hurried) {
  test_system t;
  int handled = 0;
  struct parent : actor<int> {
    explicit parent(int& handled) : handled_{handled} {}
    void on_start(context& self) override {
      child_ =
          self.spawn<int>(spawn_options{.name = "child", .batch_max = 1}, [&handled = handled_](int) { ++handled; });
    }
    void receive(context&, int message) override { child_.tell(message); }
    int& handled_;
    actor_ref<int> child_;
  };
  const auto ref = t.system.spawn<parent>("parent", std::ref(handled));
  for (int i = 0; i < 50; ++i) {
    ref.tell(i);
  }
  t.system.stop(ref);
  // The parent has handed all on and waits; the child has hardly begun.
  for (int turns = 0; turns < 6; ++turns) {
    (void)t.executor->step();
  }
  const int before = handled;
  t.system.stop(ref, stop_when::now);
  t.run();
  EXPECT_TRUE(ref.is_stopped());
  EXPECT_LE(handled, before + 2);
  EXPECT_EQ(t.system.dead_letters().count(dead_letter_reason::stopped), 50U - static_cast<std::size_t>(handled));
}

TEST(spawn, refuses_a_name_that_a_living_brother_has) {
  test_system t;
  probe<int> first{t.system, {.name = "api"}};
  const auto second = t.system.try_spawn<int>("api", [](int) {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, errc::already_exists);
  EXPECT_EQ(second.error().message, "an actor lives at /user/api already");
  EXPECT_THROW((void)t.system.spawn<int>("api", [](int) {}), refused);
  t.system.spawn_system<int>("api", [](int) {});
  EXPECT_TRUE(t.system.find("/system/api")) << "another level, another name";
}

TEST(spawn, makes_another_actor_under_a_name_that_is_free_again) {
  test_system t;
  probe<int> first{t.system, {.name = "api"}};
  t.system.stop(first.ref());
  t.run();
  probe<int> second{t.system, {.name = "api"}};
  EXPECT_NE(first.ref(), second.ref());
  EXPECT_EQ(first.ref().path(), second.ref().path());
  first.ref().tell(1);
  t.run();
  EXPECT_TRUE(second.messages().empty()) << "an old ref never reaches a new actor";
  EXPECT_EQ(t.system.dead_letters().count(dead_letter_reason::stopped), 1U);
}

TEST(spawn, refuses_names_that_would_make_strange_paths) {
  test_system t;
  for (const auto& name : std::vector<std::string>{"a/b", "$1", "a b", std::string(256, 'x')}) {
    const auto made = t.system.try_spawn<int>(name, [](int) {});
    ASSERT_FALSE(made) << name;
    EXPECT_EQ(made.error().code, errc::invalid_argument);
  }
  EXPECT_TRUE(t.system.try_spawn_system<int>({.name = "cluster/receptionist"}, [](int) {}));
  EXPECT_FALSE(t.system.try_spawn_system<int>({.name = "cluster//receptionist"}, [](int) {}));
  EXPECT_EQ(t.system.try_spawn<int>("a/b", [](int) {}).error().message,
            "the name of an actor 'a/b' must be 1 to 255 letters, digits or any of _-.:@");
}

TEST(spawn, makes_up_a_name_where_none_is_given) {
  test_system t;
  const auto a = t.system.spawn<int>("", [](int) {});
  const auto b = t.system.spawn<int>("", [](int) {});
  EXPECT_NE(a.path(), b.path());
  EXPECT_TRUE(a.path().starts_with("/user/$"));
}

TEST(spawn, says_that_an_actor_cannot_restart_whose_arguments_cannot_be_copied) {
  test_system t;
  struct owner : actor<int> {
    explicit owner(std::unique_ptr<int> owned) : owned_{std::move(owned)} {}
    void receive(context&, int) override {}
    std::unique_ptr<int> owned_;
  };
  EXPECT_TRUE(t.system.try_spawn<owner>("one", std::make_unique<int>(1)));
  const auto made = t.system.try_spawn<owner>(
      {.name = "two", .on_failure = {.on_failure = supervision::action::restart}}, std::make_unique<int>(1));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, errc::invalid_argument);
}

TEST(actor_system, refuses_a_name_or_options_that_cannot_be) {
  EXPECT_THROW(actor_system("a b", {.runs_on = std::make_shared<manual_executor>()}), refused);
  EXPECT_THROW(actor_system("shop", {}), refused);
  EXPECT_THROW(actor_system("shop", {.runs_on = std::make_shared<manual_executor>(), .batch_max = 0}), refused);
}

TEST(mailbox_bound, drops_the_newest_to_the_dead_letters) {
  test_system t;
  probe<int> p{t.system, {.name = "small", .mailbox = {.capacity = 2}}};
  for (int i = 0; i < 4; ++i) {
    p.ref().tell(i);
  }
  EXPECT_TRUE(p.ref().try_tell(4)) << "the policy is to say nothing";
  t.run();
  EXPECT_EQ(p.messages(), (std::vector{0, 1}));
  EXPECT_EQ(t.system.dead_letters().count(dead_letter_reason::mailbox_full), 3U);
  p.ref().tell(5);
  t.run();
  EXPECT_EQ(p.take().back(), 5) << "there is room again";
}

TEST(mailbox_bound, refuses_with_an_error_where_that_is_the_policy) {
  test_system t;
  probe<int> p{t.system, {.name = "small", .mailbox = {.capacity = 1, .when_full = mailbox_options::overflow::refuse}}};
  ASSERT_TRUE(p.ref().try_tell(1));
  const auto outcome = p.ref().try_tell(2);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, errc::limit_exceeded);
  EXPECT_EQ(t.system.dead_letters().count(), 0U) << "the teller knows";
  p.ref().tell(3);
  EXPECT_EQ(t.system.dead_letters().count(dead_letter_reason::mailbox_full), 1U) << "a tell cannot say so";
  t.system.stop(p.ref());
  t.run();
  EXPECT_TRUE(p.ref().is_stopped()) << "no signal is refused";
}

TEST(conflated_ref, replaces_what_still_waits_where_it_stands) {
  test_system t;
  using message = std::variant<int, std::string>;
  probe<message> p{t.system};
  const conflated_ref<int> a{p.ref()};
  const conflated_ref<int> b{p.ref()};
  a.tell(1);
  p.ref().tell("between");
  a.tell(2);
  b.tell(10);
  a.tell(3);
  t.run();
  ASSERT_EQ(p.messages().size(), 3U);
  EXPECT_EQ(std::get<int>(p.messages()[0]), 3);
  EXPECT_EQ(std::get<std::string>(p.messages()[1]), "between");
  EXPECT_EQ(std::get<int>(p.messages()[2]), 10) << "another slot is another matter";
  a.tell(4);
  t.run();
  EXPECT_EQ(std::get<int>(p.messages().back()), 4);
  EXPECT_EQ(t.system.dead_letters().count(), 0U) << "replaced is not lost";
}

TEST(conflated_ref, takes_one_place_of_a_bounded_mailbox_and_recovers_from_a_full_one) {
  test_system t;
  probe<int> p{t.system, {.name = "small", .mailbox = {.capacity = 1}}};
  const conflated_ref<int> news{p.ref()};
  for (int i = 0; i < 100; ++i) {
    news.tell(i);
  }
  t.run();
  EXPECT_EQ(p.take(), std::vector{99});
  p.ref().tell(-1);
  news.tell(100);
  t.run();
  EXPECT_EQ(p.take(), std::vector{-1});
  EXPECT_EQ(t.system.dead_letters().count(dead_letter_reason::mailbox_full), 1U);
  news.tell(101);
  t.run();
  EXPECT_EQ(p.take(), std::vector{101}) << "the one that found no room does not block its successors";
}

TEST(conflated_ref, to_an_actor_that_stops_counts_what_waited_as_a_dead_letter) {
  test_system t;
  probe<int> p{t.system};
  const conflated_ref<int> news{p.ref()};
  t.run();
  news.tell(1);
  t.system.stop(p.ref(), stop_when::now);
  t.run();
  news.tell(2);
  news.tell(3);
  EXPECT_EQ(t.system.dead_letters().count(dead_letter_reason::stopped), 3U);
  conflated_ref<int>{}.tell(1);
}

TEST(actor_ref, that_is_null_names_nobody_and_takes_nothing) {
  test_system t;
  const actor_ref<int> null;
  EXPECT_FALSE(null);
  EXPECT_EQ(null.path(), "(null)");
  EXPECT_TRUE(null.is_stopped());
  null.tell(1);
  EXPECT_EQ(null.try_tell(1).error().code, errc::invalid_argument);
  EXPECT_EQ(null, actor_ref<int>{});
  probe<int> p{t.system};
  EXPECT_LT(null, p.ref());
  t.system.stop(null);
}

TEST(actor_ref, may_be_a_key_and_is_ordered_and_printed) {
  test_system t{"shop"};
  probe<int> a{t.system, {.name = "a"}};
  probe<std::variant<int, credit>> b{t.system, {.name = "b"}};
  const std::unordered_set<any_ref> both{a.ref(), b.ref(), actor_ref<credit>{b.ref()}};
  EXPECT_EQ(both.size(), 2U);
  const boost::unordered_flat_set<actor_ref<int>> of_boost{a.ref(), b.ref(), b.ref()};
  EXPECT_EQ(of_boost.size(), 2U);
  EXPECT_LT(a.ref(), b.ref());
  EXPECT_EQ(fmt::format("{}", a.ref()), "/user/a");
  EXPECT_EQ(fmt::format("{}", a.ref().address()), "shop/user/a#1");
}

TEST(actor_ref, outlives_its_system) {
  actor_ref<int> kept;
  {
    test_system t;
    kept = t.system.spawn<int>("short", [](int) {});
    t.run();
  }
  kept.tell(1);
  EXPECT_TRUE(kept.is_stopped());
  EXPECT_EQ(kept.path(), "/user/short");
  EXPECT_EQ(kept.try_tell(2).error().code, errc::unavailable);
}

TEST(message_name, is_given_with_the_type_or_beside_it_and_never_made_up) {
  EXPECT_EQ(message_name<named>, "shop.named");
  EXPECT_TRUE(named_message<named>);
  EXPECT_FALSE(named_message<credit>);
  EXPECT_EQ(actor_kernel::type_of<named>.in_log, "shop.named");
  EXPECT_NE(actor_kernel::type_of<credit>.in_log.find("credit"), std::string_view::npos) << "for the log only";
}

RC_GTEST_PROP(actor, keeps_the_order_of_each_sender_whatever_turn_comes_first, (std::uint64_t seed)) {
  test_system t{"t", seed};
  using from = std::pair<int, int>;
  probe<from> p{t.system};
  std::vector<actor_ref<int>> senders;
  for (int sender = 0; sender < 4; ++sender) {
    senders.push_back(t.system.spawn<int>({.batch_max = 3}, [to = p.ref(), sender](int number) {
      to.tell({sender, number});
    }));
  }
  for (int number = 0; number < 20; ++number) {
    for (const auto& sender : senders) {
      sender.tell(number);
    }
  }
  t.run();
  std::vector<int> next(senders.size(), 0);
  for (const auto& [sender, number] : p.messages()) {
    RC_ASSERT(number == next[static_cast<std::size_t>(sender)]++);
  }
  RC_ASSERT(p.messages().size() == 80U);
}

}  // namespace
}  // namespace muster::testing
