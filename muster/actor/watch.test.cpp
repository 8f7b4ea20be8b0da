#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "muster/actor/test_system.hpp"

namespace muster::testing {
namespace {

using namespace std::chrono_literals;

struct begin_watch {
  any_ref whom;
};
struct end_watch {
  any_ref whom;
};
using watcher_message = std::variant<begin_watch, end_watch, int, terminated>;

/// Watches whom it is told to, and notes of whose end it hears.
class noting_watcher : public actor<watcher_message> {
 public:
  explicit noting_watcher(std::vector<std::string>& heard) : heard_{heard} {}
  void receive(context& self, watcher_message message) override {
    if (const auto* begun = std::get_if<begin_watch>(&message)) self.watch(begun->whom);
    if (const auto* ended = std::get_if<end_watch>(&message)) self.unwatch(ended->whom);
    if (const auto* number = std::get_if<int>(&message)) heard_.push_back(std::to_string(*number));
    if (const auto* gone = std::get_if<terminated>(&message)) heard_.push_back(gone->ref.path());
  }

 private:
  std::vector<std::string>& heard_;
};

class watch : public ::testing::Test {
 protected:
  std::vector<std::string> heard_;
  test_system t_;
  actor_ref<watcher_message> watcher_{t_.system.spawn<noting_watcher>("watcher", std::ref(heard_))};
  probe<int> watched_{t_.system, {.name = "watched"}};
  const std::vector<std::string> once_{"/user/watched"};
};

TEST_F(watch, brings_exactly_one_terminated_when_the_watched_one_stops) {
  watcher_.tell(begin_watch{watched_.ref()});
  t_.run();
  EXPECT_TRUE(heard_.empty());
  t_.system.stop(watched_.ref());
  t_.system.stop(watched_.ref());
  t_.run();
  EXPECT_EQ(heard_, once_);
}

TEST_F(watch, of_one_that_has_stopped_brings_terminated_at_once) {
  t_.system.stop(watched_.ref());
  t_.run();
  watcher_.tell(begin_watch{watched_.ref()});
  t_.run();
  EXPECT_EQ(heard_, once_);
}

TEST_F(watch, of_a_null_ref_brings_terminated_at_once) {
  watcher_.tell(begin_watch{});
  t_.run();
  EXPECT_EQ(heard_, std::vector<std::string>{"(null)"});
}

TEST_F(watch, twice_is_watch_once) {
  watcher_.tell(begin_watch{watched_.ref()});
  watcher_.tell(begin_watch{watched_.ref()});
  t_.system.stop(watched_.ref());
  t_.run();
  EXPECT_EQ(heard_, once_);
}

TEST_F(watch, that_was_ended_brings_nothing) {
  watcher_.tell(begin_watch{watched_.ref()});
  watcher_.tell(end_watch{watched_.ref()});
  t_.run();
  t_.system.stop(watched_.ref());
  t_.run();
  EXPECT_TRUE(heard_.empty());
}

TEST_F(watch, that_is_ended_while_the_news_is_on_its_way_brings_nothing) {
  watcher_.tell(begin_watch{watched_.ref()});
  t_.run();
  watcher_.tell(end_watch{watched_.ref()});
  // The watched one's end is put behind the message above; both are waiting when the watcher has its turn.
  t_.system.stop(watched_.ref());
  t_.run();
  EXPECT_TRUE(heard_.empty());
}

TEST_F(watch, begun_again_after_its_end_brings_exactly_one) {
  watcher_.tell(begin_watch{watched_.ref()});
  watcher_.tell(end_watch{watched_.ref()});
  watcher_.tell(begin_watch{watched_.ref()});
  t_.system.stop(watched_.ref());
  t_.run();
  EXPECT_EQ(heard_, once_);
}

TEST_F(watch, of_a_failing_actor_brings_terminated_too) {
  const auto failing = t_.system.spawn<int>("failing", [](int) { throw std::runtime_error{"no"}; });
  watcher_.tell(begin_watch{failing});
  failing.tell(1);
  t_.run();
  EXPECT_EQ(heard_, std::vector<std::string>{"/user/failing"});
}

TEST_F(watch, brings_the_news_after_all_that_the_other_has_told) {
  const auto talker = t_.system.spawn<int>("talker", [to = watcher_](actor_context<int>& self, int message) {
    to.tell(message);
    to.tell(message + 1);
    self.stop();
  });
  watcher_.tell(begin_watch{talker});
  talker.tell(1);
  t_.run();
  EXPECT_EQ(heard_, (std::vector<std::string>{"1", "2", "/user/talker"}));
}

TEST_F(watch, may_respawn_the_name_as_soon_as_it_has_the_news) {
  struct keeper : actor<std::variant<int, terminated>> {
    explicit keeper(int& spawned) : spawned_{spawned} {}
    void on_start(context& self) override { respawn(self); }
    void receive(context& self, std::variant<int, terminated> message) override {
      if (std::holds_alternative<terminated>(message)) return respawn(self);
      self.stop(child_);
    }
    void respawn(context& self) {
      child_ = self.spawn<int>("child", [](int) {});
      self.watch(child_);
      ++spawned_;
    }
    int& spawned_;
    actor_ref<int> child_;
  };
  int spawned = 0;
  const auto ref = t_.system.spawn<keeper>("keeper", std::ref(spawned));
  for (int i = 0; i < 3; ++i) {
    ref.tell(1);
    t_.run();
  }
  EXPECT_EQ(spawned, 4);
  EXPECT_FALSE(ref.is_stopped());
}

TEST_F(watch, with_a_message_of_ones_own_brings_that) {
  std::vector<int> seen;
  const auto ref = t_.system.spawn<int>("w", [&](actor_context<int>& self, int message) {
    if (message == 0) self.watch(watched_.ref(), 42);
    seen.push_back(message);
  });
  ref.tell(0);
  t_.run();
  t_.system.stop(watched_.ref());
  t_.run();
  EXPECT_EQ(seen, (std::vector{0, 42}));
}

TEST_F(watch, news_that_an_actor_has_no_place_for_is_a_dead_letter) {
  const auto ref = t_.system.spawn<int>("deaf", [&](actor_context<int>& self, int) { self.watch(watched_.ref()); });
  ref.tell(0);
  t_.system.stop(watched_.ref());
  t_.run();
  EXPECT_FALSE(ref.is_stopped());
  EXPECT_EQ(t_.system.dead_letters().count(dead_letter_reason::unhandled), 1U);
}

TEST_F(watch, keeps_nothing_of_a_watcher_that_has_stopped) {
  std::weak_ptr<int> gone;
  {
    auto owned = std::make_shared<int>(1);
    gone = owned;
    const auto ref = t_.system.spawn<int>("short", [&, owned = std::move(owned)](actor_context<int>& self, int) {
      self.watch(watched_.ref());
      self.stop();
    });
    ref.tell(0);
    t_.run();
  }
  EXPECT_TRUE(gone.expired());
}

RC_GTEST_PROP(watching, brings_one_terminated_whatever_turn_comes_first, (std::uint64_t seed)) {
  std::vector<std::string> heard;
  test_system t{"t", seed};
  probe<int> watched{t.system, {.name = "watched"}};
  constexpr int watchers = 5;
  for (int i = 0; i < watchers; ++i) {
    const auto watcher = t.system.spawn<noting_watcher>("", std::ref(heard));
    watcher.tell(begin_watch{watched.ref()});
    if (i % 2 == 0) watcher.tell(end_watch{watched.ref()});
    watcher.tell(begin_watch{watched.ref()});
  }
  t.system.stop(watched.ref());
  t.run();
  RC_ASSERT(heard == std::vector<std::string>(watchers, "/user/watched"));
}

}  // namespace
}  // namespace muster::testing
