#include <gtest/gtest.h>

#include <future>
#include <optional>
#include <string>
#include <variant>

#include "muster/actor/test_system.hpp"

namespace muster::testing {
namespace {

using namespace std::chrono_literals;

struct question {
  int number{0};
  actor_ref<int> reply_to;
};

class ask : public ::testing::Test {
 protected:
  static auto about(int number) {
    return [number](actor_ref<int> reply_to) { return question{number, std::move(reply_to)}; };
  }
  static std::optional<result<int>> now_in(std::future<result<int>>& answer) {
    if (answer.wait_for(0s) != std::future_status::ready) return std::nullopt;
    return answer.get();
  }
  static int value_in(std::future<result<int>>& answer) { return now_in(answer).value().value(); }

  test_system t_;
  actor_ref<question> doubler_{
      t_.system.spawn<question>("doubler", [](const question& asked) { asked.reply_to.tell(asked.number * 2); })};
  probe<question> silent_{t_.system, {.name = "silent"}};
};

TEST_F(ask, from_outside_gives_a_future_of_the_answer) {
  auto answer = t_.system.ask<int>(doubler_, about(21), 1s);
  EXPECT_FALSE(now_in(answer));
  t_.run();
  EXPECT_EQ(value_in(answer), 42);
}

TEST_F(ask, takes_the_first_answer_and_leaves_later_ones_to_the_dead_letters) {
  auto answer = t_.system.ask<int>(silent_.ref(), about(1), 1s);
  t_.run();
  const auto reply_to = silent_.messages().at(0).reply_to;
  reply_to.tell(1);
  EXPECT_TRUE(reply_to.is_stopped());
  reply_to.tell(2);
  EXPECT_EQ(value_in(answer), 1);
  EXPECT_EQ(t_.system.dead_letters().count(dead_letter_reason::stopped), 1U);
  EXPECT_EQ(reply_to.try_tell(3).error().code, errc::unavailable);
}

TEST_F(ask, ends_with_timed_out_when_no_answer_comes) {
  auto answer = t_.system.ask<int>(silent_.ref(), about(1), 1s);
  t_.advance(999ms);
  EXPECT_FALSE(now_in(answer));
  t_.advance(1ms);
  const auto ended = now_in(answer);
  ASSERT_TRUE(ended && !*ended);
  EXPECT_EQ(ended->error().code, errc::timed_out);
  EXPECT_TRUE(ended->error().message.starts_with("no answer from test/user/silent#")) << ended->error().message;
  EXPECT_TRUE(ended->error().message.ends_with("within 1000 ms"));
}

TEST_F(ask, ends_at_once_when_whom_is_asked_has_stopped_or_stops) {
  auto waiting = t_.system.ask<int>(silent_.ref(), about(1), 1h);
  t_.run();
  t_.system.stop(silent_.ref());
  t_.run();
  const auto stopped_meanwhile = now_in(waiting);
  ASSERT_TRUE(stopped_meanwhile && !*stopped_meanwhile);
  EXPECT_EQ(stopped_meanwhile->error().code, errc::unavailable);

  auto late = t_.system.ask<int>(silent_.ref(), about(1), 1h);
  const auto stopped_before = now_in(late);
  ASSERT_TRUE(stopped_before && !*stopped_before);
  EXPECT_EQ(stopped_before->error().code, errc::unavailable);
  EXPECT_EQ(t_.system.dead_letters().count(), 0U) << "the one who asked knows";
}

TEST_F(ask, of_a_null_ref_or_a_full_mailbox_ends_at_once) {
  auto null = t_.system.ask<int>(actor_ref<question>{}, about(1), 1h);
  const auto nobody = now_in(null);
  ASSERT_TRUE(nobody && !*nobody);
  EXPECT_EQ(nobody->error().code, errc::invalid_argument);

  probe<question> small{t_.system,
                        {.name = "small", .mailbox = {.capacity = 1, .when_full = mailbox_options::overflow::refuse}}};
  auto first = t_.system.ask<int>(small.ref(), about(1), 1h);
  auto second = t_.system.ask<int>(small.ref(), about(2), 1h);
  EXPECT_FALSE(now_in(first));
  const auto full = now_in(second);
  ASSERT_TRUE(full && !*full);
  EXPECT_EQ(full->error().code, errc::limit_exceeded);
}

TEST_F(ask, within_an_actor_brings_the_answer_on_its_turn) {
  struct asker : actor<int> {
    asker(actor_ref<question> whom, std::vector<std::string>& seen) : whom_{std::move(whom)}, seen_{seen} {}
    void receive(context& self, int number) override {
      ++turns_;
      self.ask<int>(whom_, about(number), 1s, [this, number](const result<int>& answer) {
        seen_.push_back(fmt::format("{}: {} after {}", number,
                                    answer ? std::to_string(*answer) : std::string{to_string(answer.error().code)},
                                    turns_));
      });
    }
    const actor_ref<question> whom_;
    std::vector<std::string>& seen_;
    int turns_{0};
  };
  std::vector<std::string> seen;
  const auto one = t_.system.spawn<asker>("one", doubler_, std::ref(seen));
  one.tell(1);
  one.tell(2);
  t_.run();
  EXPECT_EQ(seen, (std::vector<std::string>{"1: 2 after 2", "2: 4 after 2"}));

  seen.clear();
  const auto other = t_.system.spawn<asker>("other", silent_.ref(), std::ref(seen));
  other.tell(3);
  t_.advance(1s);
  EXPECT_EQ(seen, std::vector<std::string>{"3: timed_out after 1"});
}

TEST_F(ask, of_an_actor_that_stops_calls_nothing_afterwards) {
  int called = 0;
  const auto asker = t_.system.spawn<int>("asker", [&](actor_context<int>& self, int) {
    self.ask<int>(doubler_, about(1), 1s, [&called](const result<int>&) { ++called; });
    self.stop();
  });
  asker.tell(1);
  t_.advance(2s);
  EXPECT_EQ(called, 0);
}

TEST_F(ask, may_have_one_of_several_answers) {
  using reply = std::variant<int, std::string>;
  struct open_question {
    actor_ref<reply> reply_to;
  };
  const auto clerk = t_.system.spawn<open_question>("clerk", [](const open_question& asked) {
    const actor_ref<std::string> words = asked.reply_to;
    words.tell("closed today");
  });
  auto answer = t_.system.ask<reply>(
      clerk, [](actor_ref<reply> reply_to) { return open_question{std::move(reply_to)}; }, 1s);
  t_.run();
  ASSERT_EQ(answer.wait_for(0s), std::future_status::ready);
  EXPECT_EQ(answer.get(), (result<reply>{reply{std::string{"closed today"}}}));
}

TEST_F(ask, that_waits_when_the_system_ends_is_ended_too) {
  auto waiting = t_.system.ask<int>(silent_.ref(), about(1), 1h);
  // It keeps its question, so that nothing but the end of all ends it.
  ASSERT_TRUE(t_.system.shutdown(1min));
  const auto ended = now_in(waiting);
  ASSERT_TRUE(ended && !*ended);
  EXPECT_EQ(ended->error().code, errc::unavailable);
  auto late = t_.system.ask<int>(doubler_, about(1), 1h);
  EXPECT_TRUE(now_in(late));
}

}  // namespace
}  // namespace muster::testing
