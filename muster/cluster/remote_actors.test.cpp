#include "muster/cluster/remote_actors.hpp"

#include "muster/cluster/test_cluster.hpp"

namespace muster::cluster::testing {
namespace {

using muster::testing::probe;
using kind = member_event_kind;

/// Watches what it is told to, and keeps what it hears.
struct watch_it {
  any_ref whom;
};
struct forget_it {
  any_ref whom;
};
using watch_talk = std::variant<watch_it, forget_it, terminated>;

class watcher {
 public:
  explicit watcher(actor_system& in)
      : ref_{in.spawn<watch_talk>(spawn_options{},
                                  [heard = heard_](actor_context<watch_talk>& self, const watch_talk& message) {
                                    if (const auto* begin = std::get_if<watch_it>(&message)) self.watch(begin->whom);
                                    if (const auto* end = std::get_if<forget_it>(&message)) self.unwatch(end->whom);
                                    if (const auto* gone = std::get_if<terminated>(&message))
                                      heard->push_back(gone->ref);
                                  })} {}

  void watch(const any_ref& whom) const { ref_.tell(watch_it{whom}); }
  void unwatch(const any_ref& whom) const { ref_.tell(forget_it{whom}); }
  [[nodiscard]] const std::vector<any_ref>& heard() const { return *heard_; }

 private:
  std::shared_ptr<std::vector<any_ref>> heard_{std::make_shared<std::vector<any_ref>>()};
  actor_ref<watch_talk> ref_;
};

std::size_t dead_letters(test_cluster& c, const std::string& on, dead_letter_reason why) {
  return c.system(on).dead_letters().count(why);
}

TEST(remote_tell, arrives_in_order_and_once_though_the_network_reorders_and_doubles) {
  test_cluster c;
  c.start_all(2);
  const probe<word> receiver{c.system("B")};
  const auto there = c.far("A", receiver.ref());
  c.network.weather = {.lost_percent = 0, .doubled_percent = 30, .delay_max = milliseconds{20}, .in_order = false};
  constexpr std::size_t count = 1000;
  for (std::size_t i = 0; i < count; ++i) {
    there.tell({std::to_string(i)});
    c.run(std::chrono::microseconds{200});
  }
  EXPECT_TRUE(c.run_until([&] { return receiver.messages().size() == count; }, seconds{1}));
  c.run(seconds{1});
  ASSERT_EQ(receiver.messages().size(), count);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(receiver.messages()[i].text, std::to_string(i));
  }
}

TEST(remote_tell, keeps_its_order_where_frames_are_lost) {
  test_cluster c;
  c.start_all(2);
  const probe<word> receiver{c.system("B")};
  const auto there = c.far("A", receiver.ref());
  c.network.weather = {.lost_percent = 10, .doubled_percent = 10, .delay_max = milliseconds{5}, .in_order = false};
  for (std::size_t i = 0; i < 500; ++i) {
    there.tell({std::to_string(i)});
    c.run(milliseconds{1});
  }
  c.run(seconds{2});
  std::optional<int> last;
  for (const word& one : receiver.messages()) {
    const int number = std::stoi(one.text);
    ASSERT_TRUE(!last || number > *last);
    last = number;
  }
  EXPECT_GT(receiver.messages().size(), 400U);
  EXPECT_LT(receiver.messages().size(), 500U);
}

TEST(remote_tell, is_answered_by_the_address_in_it) {
  test_cluster c;
  c.start_all(2);
  auto& b = c.system("B");
  const auto server = b.spawn<word>(
      "server", [&b](const word& asked) { remote_ref<word, word_codec>(b, asked.reply_to)->tell({asked.text + "!"}); });
  auto answer = c.system("A").ask<word>(
      c.far("A", server),
      [](const actor_ref<word>& to) {
        return word{"hello", to.address()};
      },
      seconds{5});
  ASSERT_TRUE(c.run_until([&] { return answer.wait_for(seconds{0}) == std::future_status::ready; }, seconds{1}));
  EXPECT_EQ(answer.get()->text, "hello!");
}

TEST(remote_tell, to_one_that_is_no_more_is_a_dead_letter_of_the_sender) {
  test_cluster c;
  c.start_all(2);
  const probe<word> receiver{c.system("B")};
  const auto there = c.far("A", receiver.ref());
  c.system("B").stop(receiver.ref());
  probe<dead_letter> letters{c.system("A")};
  c.system("A").dead_letters().subscribe(letters.ref());
  c.run(milliseconds{1});
  there.tell({"too late"});
  c.run(milliseconds{10});
  EXPECT_EQ(dead_letters(c, "A", dead_letter_reason::stopped), 1U);
  ASSERT_EQ(letters.messages().size(), 1U);
  EXPECT_EQ(letters.messages()[0].type, "test.word");
  EXPECT_EQ(c.look("B", [](const node_core& n) { return n.counted().actors.undelivered; }), 1U);
}

struct unheard_of {
  static constexpr std::string_view message_name = "test.unheard_of";
};
struct unheard_of_codec {
  static std::string_view name(const unheard_of&) { return unheard_of::message_name; }
  static void write(const unheard_of&, byte_writer&) {}
};
/// Writes what `word_codec` cannot read.
struct garbled_codec {
  static std::string_view name(const word&) { return word::message_name; }
  static void write(const word&, byte_writer& into) { into.size(1'000'000); }
};

TEST(remote_tell, of_what_the_receiver_cannot_read_or_does_not_take_harms_nobody) {
  test_cluster c;
  c.start_all(2);
  const probe<word> receiver{c.system("B")};
  const probe<int> other{c.system("B")};
  const auto to = receiver.ref().address();
  remote_ref<unheard_of, unheard_of_codec>(c.system("A"), to)->tell({});
  remote_ref<word, garbled_codec>(c.system("A"), to)->tell({"x"});
  remote_ref<word, word_codec>(c.system("A"), other.ref().address())->tell({"an int is wanted"});
  c.far("A", receiver.ref()).tell({"fine"});
  c.run(milliseconds{10});
  ASSERT_EQ(receiver.messages().size(), 1U);
  EXPECT_EQ(receiver.messages()[0].text, "fine");
  EXPECT_EQ(dead_letters(c, "A", dead_letter_reason::unhandled), 3U);
}

TEST(remote_tell, to_a_node_that_is_no_member_fails_at_once) {
  test_cluster c;
  c.start_all(2);
  const probe<word> receiver{c.system("B")};
  auto address = receiver.ref().address();
  address.node.incarnation = node_incarnation{address.node.incarnation.value() - 1};
  const auto ghost = *remote_ref<word, word_codec>(c.system("A"), address);
  EXPECT_EQ(ghost.try_tell({"anybody?"}).error().code, errc::unavailable);
  c.leave("A");
  c.run(seconds{3});
  EXPECT_EQ(c.far("A", receiver.ref()).try_tell({"bye"}).error().code, errc::unavailable);
}

TEST(remote_tell, is_bounded_by_what_is_on_its_way_to_the_node) {
  test_cluster c;
  c.how.frame_bytes_max = 64 * 1024;
  c.how.waiting_bytes_max = 256 * 1024;
  c.start_all(3);
  const probe<word> receiver{c.system("B")};
  const probe<word> elsewhere{c.system("C")};
  const auto there = c.far("A", receiver.ref());
  const auto too_long = there.try_tell({std::string(100'000, 'x')});
  EXPECT_EQ(too_long.error().code, errc::limit_exceeded);
  EXPECT_NE(too_long.error().message.find("larger than"), std::string::npos) << "to wait would not help";
  there.tell({std::string(100'000, 'x')});
  EXPECT_EQ(dead_letters(c, "A", dead_letter_reason::unsendable), 1U);
  std::size_t taken = 0;
  while (taken < 100 && there.try_tell({std::string(10'000, 'x')})) ++taken;
  EXPECT_GE(taken, 20U);
  EXPECT_LE(taken, 26U);
  EXPECT_TRUE(c.far("A", elsewhere.ref()).try_tell({"another node is not held up"}));
  c.run(seconds{1});
  EXPECT_EQ(receiver.messages().size(), taken);
  EXPECT_TRUE(there.try_tell({"there is room again"}));
}

TEST(remote_tell, is_bounded_by_what_the_transport_has_in_flight) {
  test_cluster c;
  c.start_all(2);
  const probe<word> receiver{c.system("B")};
  const auto there = c.far("A", receiver.ref());
  c.network.in_flight_bytes_max = 30'000;
  c.network.weather.delay_min = c.network.weather.delay_max = milliseconds{50};
  for (int i = 0; i < 10; ++i) there.tell({std::string(10'000, 'x')});
  c.run(milliseconds{1});
  EXPECT_EQ(dead_letters(c, "A", dead_letter_reason::mailbox_full), 8U);
  c.run(seconds{1});
  EXPECT_EQ(receiver.messages().size(), 2U);
  there.tell({"next"});
  EXPECT_TRUE(c.run_until([&] { return receiver.messages().size() == 3; }, milliseconds{60}))
      << "what was refused leaves no gap to be waited for";
}

TEST(remote_stop, reaches_actors_of_users_only) {
  test_cluster c;
  c.start_all(2);
  const probe<word> receiver{c.system("B")};
  const auto there = c.far("A", receiver.ref());
  c.system("A").stop(there);
  c.run(milliseconds{10});
  EXPECT_TRUE(receiver.ref().is_stopped());
  const auto node_of_b = c.system("B").find("/system/cluster/node");
  c.system("A").stop(c.far("A", node_of_b));
  c.run(milliseconds{10});
  EXPECT_FALSE(node_of_b.is_stopped());
}

TEST(remote_watch, tells_of_a_stop_once_and_after_all_that_the_actor_said) {
  test_cluster c;
  c.start_all(2);
  std::vector<std::string> heard;
  using talk = std::variant<word, watch_it, terminated>;
  const auto listener = c.system("A").spawn<talk>("ear", [&](actor_context<talk>& self, const talk& message) {
    if (const auto* begin = std::get_if<watch_it>(&message)) self.watch(begin->whom);
    if (const auto* said = std::get_if<word>(&message)) heard.push_back(said->text);
    if (std::holds_alternative<terminated>(message)) heard.push_back("terminated");
  });
  const auto back = *remote_ref<word, word_codec>(c.system("B"), listener.address());
  const auto speaker = c.system("B").spawn<word>("speaker", [&](actor_context<word>& self, const word& what) {
    back.tell({what.text});
    if (what.text == "last") self.stop();
  });
  listener.tell(watch_it{c.far("A", speaker)});
  c.run(milliseconds{10});
  c.network.weather = {.delay_max = milliseconds{10}, .in_order = false};
  for (const auto* text : {"one", "two", "last"}) c.far("A", speaker).tell({text});
  c.run(seconds{5});
  EXPECT_EQ(heard, (std::vector<std::string>{"one", "two", "last", "terminated"}));
}

TEST(remote_watch, of_one_that_has_stopped_already_tells_at_once) {
  test_cluster c;
  c.start_all(2);
  const probe<word> target{c.system("B")};
  const auto there = c.far("A", target.ref());
  c.system("B").stop(target.ref());
  const watcher w{c.system("A")};
  c.run(milliseconds{1});
  w.watch(there);
  EXPECT_TRUE(c.run_until([&] { return w.heard().size() == 1; }, milliseconds{10}));
  w.watch(there);
  EXPECT_TRUE(c.run_until([&] { return w.heard().size() == 2; }, milliseconds{10})) << "and whoever asks again";
  c.run(seconds{5});
  EXPECT_EQ(w.heard().size(), 2U);
}

TEST(remote_watch, tells_of_the_crash_of_the_node_when_it_is_removed) {
  test_cluster c;
  c.start_all(3);
  const probe<word> target{c.system("B")};
  const watcher w{c.system("A")};
  const watcher also{c.system("A")};
  const auto there = c.far("A", target.ref());
  w.watch(there);
  also.watch(there);
  c.run(seconds{1});
  c.kill("B");
  c.run(seconds{5});
  EXPECT_TRUE(w.heard().empty()) << "unreachable is not gone";
  c.run(c.how.membership.removal_timeout + seconds{5});
  EXPECT_EQ(w.heard(), std::vector<any_ref>{there});
  EXPECT_EQ(also.heard().size(), 1U);
  w.watch(there);
  EXPECT_TRUE(c.run_until([&] { return w.heard().size() == 2; }, milliseconds{10})) << "it is known to be gone";
}

TEST(remote_watch, tells_of_a_node_that_was_restarted_as_soon_as_its_successor_is_met) {
  test_cluster c;
  c.start_all(3);
  const probe<word> target{c.system("B")};
  const watcher w{c.system("A")};
  w.watch(c.far("A", target.ref()));
  c.run(seconds{1});
  c.kill("B", true);
  c.start("B", {"A"});
  EXPECT_TRUE(c.run_until([&] { return w.heard().size() == 1; }, seconds{1}));
}

TEST(remote_watch, tells_of_a_node_that_leaves) {
  test_cluster c;
  c.start_all(3);
  const probe<word> target{c.system("B")};
  const watcher w{c.system("A")};
  w.watch(c.far("A", target.ref()));
  const probe<word> other{c.system("A")};
  const watcher there{c.system("B")};
  there.watch(c.far("B", other.ref()));
  c.run(seconds{1});
  c.leave("B");
  EXPECT_TRUE(c.run_until([&] { return w.heard().size() == 1; }, c.how.membership.leave_timeout + seconds{1}));
  EXPECT_TRUE(c.run_until([&] { return there.heard().size() == 1; }, seconds{3}))
      << "whoever has left hears nothing of the others any more";
}

TEST(remote_watch, goes_on_after_a_short_partition) {
  test_cluster c;
  c.start_all(3);
  const probe<word> target{c.system("B")};
  const watcher w{c.system("A")};
  w.watch(c.far("A", target.ref()));
  c.run(seconds{1});
  c.split({"B"});
  c.run(seconds{5});
  c.system("B").stop(target.ref());
  c.run(milliseconds{100});
  EXPECT_TRUE(w.heard().empty());
  c.network.mend_all();
  EXPECT_TRUE(c.run_until([&] { return w.heard().size() == 1; }, seconds{30})) << "the end is told when it can be";
  c.run(seconds{30});
  EXPECT_EQ(w.heard().size(), 1U);
}

TEST(remote_watch, that_was_taken_back_tells_nothing_and_leaves_nothing_behind) {
  test_cluster c;
  c.start_all(2);
  const probe<word> target{c.system("B")};
  const watcher w{c.system("A")};
  const auto there = c.far("A", target.ref());
  w.watch(there);
  c.run(seconds{1});
  EXPECT_EQ(c.look("B", [](const node_core& n) { return n.actors().watched_count(); }), 1U);
  w.unwatch(there);
  c.run(seconds{1});
  EXPECT_EQ(c.look("A", [](const node_core& n) { return n.actors().watch_count(); }), 0U);
  EXPECT_EQ(c.look("B", [](const node_core& n) { return n.actors().watched_count(); }), 0U);
  c.system("B").stop(target.ref());
  c.run(seconds{5});
  EXPECT_TRUE(w.heard().empty());
}

TEST(remote_watch, over_the_bound_counts_as_ended_and_is_named) {
  test_cluster c;
  c.how.watches_per_node_max = 3;
  c.start_all(2);
  std::vector<probe<word>> targets;
  const watcher w{c.system("A")};
  for (int i = 0; i < 5; ++i) {
    targets.emplace_back(c.system("B"));
    w.watch(c.far("A", targets.back().ref()));
  }
  c.run(seconds{1});
  EXPECT_EQ(w.heard().size(), 2U);
  EXPECT_EQ(c.at("A").log.values("offence_in_cluster", "offence"), std::vector<std::string>{"too_many_watches"});
}

TEST(remote_watch, of_an_actor_on_a_node_that_nobody_knows_ends_after_a_while) {
  test_cluster c;
  c.start_all(2);
  const watcher w{c.system("A")};
  w.watch(
      *remote_ref<word, word_codec>(c.system("A"), {{"Nobody", node_incarnation{5}}, "/user/x", actor_incarnation{1}}));
  c.run(c.how.unknown_node_timeout - seconds{1});
  EXPECT_TRUE(w.heard().empty()) << "news of the node may be on its way";
  c.run(seconds{2});
  EXPECT_EQ(w.heard().size(), 1U);
}

TEST(remote_watch, of_an_actor_on_a_node_that_nobody_knows_ends_when_the_watchers_own_node_leaves) {
  test_cluster c;
  c.start_all(2);
  const watcher w{c.system("A")};
  w.watch(
      *remote_ref<word, word_codec>(c.system("A"), {{"Nobody", node_incarnation{5}}, "/user/x", actor_incarnation{1}}));
  c.run(seconds{1});
  c.leave("A");
  ASSERT_TRUE(c.run_until([&] { return c.at("A").last_phase == phase::ended; }, seconds{5}));
  c.run(milliseconds{10});
  EXPECT_EQ(w.heard().size(), 1U) << "nobody can tell it of that node any more";
  c.run(c.how.unknown_node_timeout * 2);
  EXPECT_EQ(w.heard().size(), 1U);
}

TEST(remote_watch, of_an_actor_on_a_node_that_was_not_met_again_ends_after_a_while) {
  test_cluster c;
  c.start_all(2);
  const probe<word> target{c.system("B")};
  const watcher before{c.system("A")};
  before.watch(c.far("A", target.ref()));
  c.run(seconds{1});
  // A comes back where nobody hears of it: it finds B no more, though nobody has removed B.
  c.split({"A"});
  c.refuse("A", "B");
  ASSERT_TRUE(c.run_until([&] { return c.at("A").count(kind::removed, "B") == 1; },
                          c.how.reunion_timeout + c.how.membership.removal_timeout + seconds{1}));
  c.run(milliseconds{10});
  EXPECT_EQ(before.heard().size(), 1U);
  const watcher after{c.system("A")};
  after.watch(c.far("A", target.ref()));
  c.run(c.how.unknown_node_timeout + seconds{1});
  EXPECT_EQ(after.heard().size(), 1U) << "it waited for a node that was let go";
}

/// The number-th frame that A sends to B's actors is lost, and no other.
void lose_one(test_cluster& c, std::size_t number) {
  c.network.on_send = [&c, left = number](const auto& from, const auto&, channel on, const bytes&) mutable {
    if (on == channel::actors && from == "at-A" && --left == 0) c.network.cut("at-A", "at-B");
  };
}
/// Less than any frame takes; then the way is free again.
void take_a_turn(test_cluster& c) {
  c.run(std::chrono::microseconds{10});
  c.network.mend("at-A", "at-B");
}

TEST(remote_watch, is_not_taken_for_confirmed_by_a_late_answer_to_one_before) {
  test_cluster c;
  c.start_all(2);
  const probe<word> target{c.system("B")};
  const watcher before{c.system("A")};
  const watcher after{c.system("A")};
  lose_one(c, 3);
  before.watch(c.far("A", target.ref()));
  take_a_turn(c);
  before.unwatch(c.far("A", target.ref()));
  take_a_turn(c);
  after.watch(c.far("A", target.ref()));
  take_a_turn(c);
  c.run(seconds{2});
  c.system("B").stop(target.ref());
  c.run(seconds{2});
  EXPECT_EQ(after.heard().size(), 1U) << "B was never asked a second time";
  EXPECT_TRUE(before.heard().empty());
}

TEST(remote_watch, that_was_taken_back_is_not_forgotten_for_a_late_answer_to_one_before) {
  test_cluster c;
  c.start_all(2);
  const probe<word> target{c.system("B")};
  const watcher w{c.system("A")};
  w.watch(c.far("A", target.ref()));
  c.run(seconds{1});
  lose_one(c, 3);
  w.unwatch(c.far("A", target.ref()));
  take_a_turn(c);
  w.watch(c.far("A", target.ref()));
  take_a_turn(c);
  w.unwatch(c.far("A", target.ref()));
  take_a_turn(c);
  c.run(seconds{2});
  const auto remembered = [&](const std::string& name) {
    return c.look(name, [](const node_core& n) { return n.actors().watch_count() + n.actors().watched_count(); });
  };
  EXPECT_EQ(remembered("A"), 0U);
  EXPECT_EQ(remembered("B"), 0U) << "nobody told B that the last watch was taken back";
}

TEST(remote_watch, brings_exactly_one_terminated_whatever_is_lost) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    test_cluster c{seed};
    c.start_all(2);
    std::vector<probe<word>> targets;
    const watcher w{c.system("A")};
    c.network.weather = {.lost_percent = 20, .doubled_percent = 20, .delay_max = milliseconds{30}, .in_order = false};
    std::vector<any_ref> expected;
    for (int i = 0; i < 20; ++i) {
      targets.emplace_back(c.system("B"));
      const auto there = c.far("A", targets.back().ref());
      w.watch(there);
      if (i % 3 == 0) w.unwatch(there);
      if (i % 3 != 0) expected.push_back(there);
      c.run(milliseconds{20});
    }
    for (const auto& one : targets) {
      c.system("B").stop(one.ref());
      c.run(milliseconds{20});
    }
    EXPECT_TRUE(c.run_until([&] { return w.heard().size() == expected.size(); }, seconds{30})) << "seed " << seed;
    c.run(seconds{5});
    auto heard = w.heard();
    std::ranges::sort(heard);
    std::ranges::sort(expected);
    EXPECT_EQ(heard, expected) << "seed " << seed;
    EXPECT_EQ(c.look("B", [](const node_core& n) { return n.actors().watched_count(); }), 0U) << "seed " << seed;
  }
}

}  // namespace
}  // namespace muster::cluster::testing
