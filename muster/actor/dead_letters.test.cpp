#include "muster/actor/dead_letters.hpp"

#include <gtest/gtest.h>

#include <variant>
#include <vector>

#include "muster/actor/test_system.hpp"

namespace muster::testing {
namespace {

using namespace std::chrono_literals;

struct order {
  static constexpr std::string_view message_name = "shop.order";
  int number{0};
};

class dead_letter_office : public ::testing::Test {
 protected:
  dead_letter_office() {
    t_.system.stop(gone_.ref());
    t_.run();
  }
  test_system t_;
  probe<order> gone_{t_.system, {.name = "gone"}};
};

TEST_F(dead_letter_office, tells_its_subscribers_what_was_for_whom_and_why) {
  probe<dead_letter> reader{t_.system};
  t_.system.dead_letters().subscribe(reader.ref());
  t_.system.dead_letters().subscribe(reader.ref());
  gone_.ref().tell({1});
  t_.run();
  ASSERT_EQ(reader.messages().size(), 1U) << "twice subscribed is once subscribed";
  EXPECT_EQ(reader.messages()[0].to, gone_.ref());
  EXPECT_EQ(reader.messages()[0].type, "shop.order");
  EXPECT_EQ(reader.messages()[0].reason, dead_letter_reason::stopped);
  t_.system.dead_letters().unsubscribe(reader.ref());
  gone_.ref().tell({2});
  t_.run();
  EXPECT_EQ(reader.messages().size(), 1U);
  EXPECT_EQ(t_.system.dead_letters().count(), 2U);
}

TEST_F(dead_letter_office, names_the_alternative_that_a_variant_held) {
  probe<dead_letter> reader{t_.system};
  t_.system.dead_letters().subscribe(reader.ref());
  const auto ref = t_.system.spawn<std::variant<int, order>>("v", [](const std::variant<int, order>&) {});
  t_.run();
  ref.tell(order{1});
  t_.system.stop(ref, stop_when::now);
  t_.run();
  ASSERT_EQ(reader.messages().size(), 1U);
  EXPECT_EQ(reader.messages()[0].type, "shop.order");
}

TEST_F(dead_letter_office, forgets_a_subscriber_that_has_stopped_and_never_chases_its_own_letters) {
  probe<dead_letter> reader{t_.system};
  t_.system.dead_letters().subscribe(reader.ref());
  t_.system.stop(reader.ref());
  t_.run();
  gone_.ref().tell({1});
  t_.run();
  EXPECT_EQ(t_.system.dead_letters().count(), 1U);

  probe<dead_letter> full{t_.system, {.name = "full", .mailbox = {.capacity = 1}}};
  t_.system.dead_letters().subscribe(full.ref());
  gone_.ref().tell({2});
  gone_.ref().tell({3});
  t_.run();
  EXPECT_EQ(full.messages().size(), 1U);
  EXPECT_EQ(t_.system.dead_letters().count(dead_letter_reason::mailbox_full), 1U);
}

TEST_F(dead_letter_office, logs_some_lines_of_a_storm_and_says_how_many_it_left_out) {
  for (int i = 0; i < 1000; ++i) {
    gone_.ref().tell({i});
  }
  EXPECT_EQ(t_.log.values("dead_letter", "to").size(), 10U);
  EXPECT_EQ(t_.log.values("dead_letter", "to")[0], "test/user/gone#1");
  EXPECT_EQ(t_.log.values("dead_letter", "reason")[0], "stopped");
  t_.advance(10s);
  gone_.ref().tell({1000});
  EXPECT_EQ(t_.log.values("dead_letter", "to").size(), 11U);
  EXPECT_EQ(t_.log.values("dead_letter", "left_out_before"), std::vector<std::string>{"990"});
  EXPECT_EQ(t_.system.dead_letters().count(), 1001U);
}

}  // namespace
}  // namespace muster::testing
