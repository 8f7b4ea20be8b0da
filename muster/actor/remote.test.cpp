#include "muster/actor/remote.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

#include "muster/actor/remote_ref.hpp"
#include "muster/actor/test_system.hpp"

namespace muster::testing {
namespace {

using namespace std::chrono_literals;

struct greeting {
  static constexpr std::string_view message_name = "test.greeting";
  std::string text;
};
struct farewell {
  static constexpr std::string_view message_name = "test.farewell";
};
using talk = std::variant<greeting, farewell>;

struct talk_codec {
  static std::string_view name(const talk& message) {
    return std::visit([]<typename A>(const A&) { return message_name<A>; }, message);
  }
  static void write(const talk& message, byte_writer& into) {
    if (const auto* said = std::get_if<greeting>(&message)) into.string(said->text);
  }
};

/// Keeps what is sent, and who watches.
class kept_route final : public remote_route {
 public:
  result<void> tell(const actor_address& to, const outbound_message& what) override {
    if (refusal) return fail(*refusal, "as the test wants it");
    byte_writer into;
    what.write(into);
    sent.push_back(fmt::format("{} {} {} bytes", to, what.name(), std::move(into).take().size()));
    return {};
  }
  void watch(const death_watch& who) override { watches.push_back(who); }
  void unwatch(const death_watch& who) override { std::erase(watches, who); }
  void stop(const actor_address& which, stop_when) override { stops.push_back(to_string(which)); }

  std::optional<errc> refusal;
  std::vector<std::string> sent;
  std::vector<death_watch> watches;
  std::vector<std::string> stops;
};

class remote : public ::testing::Test {
 protected:
  remote() {
    t_.system.set_node({"here", node_incarnation{1}});
    t_.system.set_route(route_);
  }
  actor_ref<talk> far(std::uint64_t incarnation = 9) {
    return *remote_ref<talk, talk_codec>(
        t_.system, {{"there", node_incarnation{5}}, "/user/peer", actor_incarnation{incarnation}});
  }

  std::shared_ptr<kept_route> route_{std::make_shared<kept_route>()};
  test_system t_;
};

TEST_F(remote, ref_sends_what_it_is_told_by_the_route) {
  const actor_ref<greeting> greetings = far();
  greetings.tell({"hello"});
  far().tell(farewell{});
  EXPECT_EQ(route_->sent, (std::vector<std::string>{"there/user/peer#9 test.greeting 6 bytes",
                                                    "there/user/peer#9 test.farewell 0 bytes"}));
  EXPECT_TRUE(greetings.is_remote());
  EXPECT_FALSE(t_.system.owns(greetings));
}

TEST_F(remote, refs_are_equal_by_node_path_and_incarnations) {
  EXPECT_EQ(far(), far());
  EXPECT_NE(far(9), far(10));
  EXPECT_EQ((std::unordered_set<any_ref>{far(), far(), far(10)}.size()), 2U);
  const auto other_life =
      remote_ref<talk, talk_codec>(t_.system, {{"there", node_incarnation{6}}, "/user/peer", actor_incarnation{9}});
  EXPECT_NE(far(), *other_life) << "a node restarted under its name is somebody else";
  probe<talk> near{t_.system};
  EXPECT_NE(near.ref(), far());
  EXPECT_LT(near.ref(), far()) << "the order is that of the nodes first";
}

TEST_F(remote, ref_that_cannot_be_served_makes_a_dead_letter_or_an_error) {
  route_->refusal = errc::limit_exceeded;
  far().tell(farewell{});
  EXPECT_EQ(t_.system.dead_letters().count(dead_letter_reason::mailbox_full), 1U);
  EXPECT_EQ(far().try_tell(farewell{}).error().code, errc::limit_exceeded);
  route_->refusal = errc::invalid_argument;
  far().tell(farewell{});
  EXPECT_EQ(t_.system.dead_letters().count(dead_letter_reason::unsendable), 1U);
  EXPECT_EQ(far().try_tell(farewell{}).error().message,
            "the message is larger than one for there/user/peer#9, on another node, may be (cluster.frame-bytes-max)");
  route_->refusal = errc::unavailable;
  far().tell(farewell{});
  EXPECT_EQ(far().try_tell(farewell{}).error().code, errc::unavailable);
  t_.system.set_route(nullptr);
  far().tell(farewell{});
  EXPECT_EQ(t_.system.dead_letters().count(dead_letter_reason::unreachable), 2U);
}

TEST_F(remote, actor_that_is_watched_brings_exactly_one_terminated) {
  std::vector<any_ref> heard;
  const auto watcher = t_.system.spawn<std::variant<int, terminated>>(
      "w", [&](actor_context<std::variant<int, terminated>>& self, const std::variant<int, terminated>& message) {
        if (const auto* gone = std::get_if<terminated>(&message)) return heard.push_back(gone->ref);
        if (std::get<int>(message) == 1) self.watch(far());
        if (std::get<int>(message) == 2) self.unwatch(far());
      });
  watcher.tell(1);
  watcher.tell(1);
  t_.run();
  ASSERT_EQ(route_->watches.size(), 1U);
  const auto kept = route_->watches[0];
  EXPECT_EQ(to_string(kept.target()), "there/user/peer#9");
  kept.terminated();
  kept.terminated();
  t_.run();
  EXPECT_EQ(heard, std::vector<any_ref>{far()});

  watcher.tell(1);
  watcher.tell(2);
  t_.run();
  EXPECT_TRUE(route_->watches.empty());
  kept.terminated();
  t_.run();
  EXPECT_EQ(heard.size(), 1U) << "nobody is interested any more";
}

TEST_F(remote, watches_of_an_actor_end_with_it) {
  const auto watcher = t_.system.spawn<int>("w", [&](actor_context<int>& self, int) { self.watch(far(), 1); });
  watcher.tell(1);
  t_.run();
  EXPECT_EQ(route_->watches.size(), 1U);
  t_.system.stop(watcher);
  t_.run();
  EXPECT_TRUE(route_->watches.empty());
}

TEST_F(remote, actor_that_no_way_leads_to_counts_as_terminated) {
  t_.system.set_route(nullptr);
  std::vector<int> seen;
  const auto watcher = t_.system.spawn<int>("w", [&](actor_context<int>& self, int message) {
    if (message == 0) self.watch(far(), 1);
    seen.push_back(message);
  });
  watcher.tell(0);
  t_.run();
  EXPECT_EQ(seen, (std::vector{0, 1}));
}

TEST_F(remote, question_ends_when_the_node_is_gone) {
  auto answer = t_.system.ask<int>(
      far(), [](const actor_ref<int>&) { return talk{farewell{}}; }, 1h);
  ASSERT_EQ(route_->watches.size(), 1U);
  const auto watch = route_->watches[0];
  watch.terminated();
  ASSERT_EQ(answer.wait_for(0s), std::future_status::ready);
  EXPECT_EQ(answer.get().error().code, errc::unavailable);
  EXPECT_TRUE(route_->watches.empty());
}

TEST_F(remote, stop_goes_by_the_route) {
  t_.system.stop(far());
  EXPECT_EQ(route_->stops, std::vector<std::string>{"there/user/peer#9"});
}

TEST_F(remote, address_of_this_node_leads_to_the_actor_itself) {
  probe<talk> near{t_.system, {.name = "near"}};
  const auto address = near.ref().address();
  EXPECT_EQ(to_string(address), "here/user/near#1");
  const auto back = remote_ref<talk, talk_codec>(t_.system, address);
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, near.ref());
  EXPECT_TRUE(t_.system.owns(*back));
  const auto narrow = t_.system.resolve<farewell>(address);
  ASSERT_TRUE(narrow);
  narrow->tell({});
  t_.run();
  EXPECT_EQ(near.messages().size(), 1U);
  EXPECT_EQ(t_.system.resolve<int>(address).error().code, errc::incompatible);
  EXPECT_EQ(t_.system.resolve<talk>(far().address()).error().code, errc::invalid_argument);
}

TEST_F(remote, address_of_one_that_has_stopped_gives_a_ref_of_a_stopped_one) {
  probe<talk> near{t_.system, {.name = "near"}};
  const any_ref old = near.ref();
  t_.system.stop(near.ref());
  t_.run();
  probe<talk> next{t_.system, {.name = "near"}};
  const auto back = t_.system.resolve<talk>(old.address());
  ASSERT_TRUE(back);
  EXPECT_TRUE(back->is_stopped());
  EXPECT_EQ(*back, old);
  EXPECT_EQ(back->hash(), old.hash());
  EXPECT_NE(*back, next.ref());
  const actor_ref<greeting> narrow = *back;
  narrow.tell({"hello"});
  EXPECT_EQ(t_.system.dead_letters().count(dead_letter_reason::stopped), 1U);
  EXPECT_TRUE(t_.system.resolve(old.address())->is_stopped());
}

TEST_F(remote, answer_may_come_from_another_node_by_address) {
  actor_address reply_to;
  auto answer = t_.system.ask<int>(
      far(),
      [&](const actor_ref<int>& to) {
        reply_to = to.address();
        return talk{greeting{"how many?"}};
      },
      1h);
  const auto back = t_.system.resolve<int>(reply_to);
  ASSERT_TRUE(back);
  back->tell(3);
  EXPECT_EQ(answer.get(), result<int>{3});
  EXPECT_TRUE(t_.system.resolve<int>(reply_to)->is_stopped());
}

}  // namespace
}  // namespace muster::testing
