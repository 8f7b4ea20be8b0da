#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <limits>
#include <memory>
#include <string>

#include <fmt/ranges.h>

#include "muster/receptionist/test_receptionist.hpp"
#include "tests/support/sanitized.hpp"

namespace muster::receptionist::testing {
namespace {

using namespace std::chrono_literals;

class registering : public ::testing::Test {
 protected:
  test_system t_;
  handle receptionist_{start(t_.system, nullptr)};
  probe<api_message> api_{t_.system, {.name = "api"}};
  probe<outcome> answers_{t_.system};

  [[nodiscard]] register_refused refused_one() {
    t_.run();
    const auto all = answers_.take();
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? register_refused{} : std::get<register_refused>(all.front());
  }
  [[nodiscard]] paths found() {
    probe<listing<api_message>> asker{t_.system};
    receptionist_.tell(find{api_key, asker.ref()});
    t_.run();
    EXPECT_EQ(asker.messages().size(), 1U);
    return shown(asker.messages().at(0).refs);
  }
};

TEST_F(registering, is_done_by_an_actor_at_its_well_known_path) {
  t_.run();
  EXPECT_EQ(receptionist_.ref().path(), "/system/cluster/receptionist");
  EXPECT_EQ(t_.system.find("/system/cluster/receptionist"), receptionist_.ref());
}

TEST_F(registering, is_answered_once_the_actor_can_be_found_by_any_way) {
  receptionist_.tell(register_{api_key, api_.ref(), answers_.ref()});
  t_.run();
  ASSERT_EQ(answers_.messages().size(), 1U);
  const auto& answer = std::get<registered>(answers_.messages()[0]);
  EXPECT_EQ(answer.key, api_key);
  EXPECT_EQ(answer.ref, api_.ref());
  EXPECT_EQ(found(), paths{"/user/api"});
  EXPECT_EQ(shown(receptionist_.lookup(api_key).refs), paths{"/user/api"});
  EXPECT_EQ(receptionist_.counters().registered, 1U);
}

TEST_F(registering, answers_not_before_the_lookup_shows_it) {
  std::size_t seen = 0;
  const auto asker = t_.system.spawn<registered>(
      "asker", [&](const registered&) { seen = receptionist_.lookup(api_key).refs.size(); });
  receptionist_.tell(register_{api_key, api_.ref(), asker});
  t_.run();
  EXPECT_EQ(seen, 1U);
}

/// Looks around at the very moment at which a message becomes a dead letter: within the `tell`, where an actor would
/// look at its next turn only.
class letters_seen final : public event_log {
 public:
  [[nodiscard]] bool wants(severity) const noexcept override { return true; }
  void write(const event& what) override {
    if (what.name == "dead_letter") look();
  }
  std::function<void()> look;
};

TEST(an_acknowledgement, is_told_when_other_nodes_and_lookups_know_and_no_sooner) {
  letters_seen letters;
  const auto executor = std::make_shared<muster::testing::manual_executor>();
  const auto cluster = std::make_shared<told_directory>();
  actor_system system{"test", {.runs_on = executor, .log = &letters}};
  const auto receptionist = start(system, cluster);
  const auto api = system.spawn<api_message>("api", [](const api_message&) {});
  const auto gone = system.spawn<std::variant<registered, deregistered>>("gone", [](const auto&) {});
  system.stop(gone);
  executor->run();
  paths seen;
  letters.look = [&] {
    const auto rows = receptionist.lookup(api_key).refs.size();
    seen.push_back(fmt::format("{}, and {} in the lookup", fmt::join(cluster->log, ", "), rows));
  };
  receptionist.tell(register_{api_key, api, gone});
  executor->run();
  EXPECT_EQ(seen, paths{"add api-service /user/api, commit, and 1 in the lookup"});
  seen.clear();
  cluster->log.clear();
  receptionist.tell(deregister{api_key, api, gone});
  executor->run();
  EXPECT_EQ(seen, paths{"remove api-service /user/api, commit, and 0 in the lookup"});
}

TEST_F(registering, may_be_asked_for_from_outside) {
  auto answer = t_.system.ask<outcome>(
      receptionist_.ref(),
      [&](auto reply_to) {
        return register_{api_key, api_.ref(), reply_to};
      },
      1s);
  t_.run();
  EXPECT_TRUE(std::holds_alternative<registered>(*answer.get()));
}

TEST_F(registering, without_a_reply_to_is_silent) {
  receptionist_.tell(register_{api_key, api_.ref()});
  t_.run();
  EXPECT_EQ(found(), paths{"/user/api"});
  EXPECT_EQ(t_.system.dead_letters().count(), 0U);
}

TEST_F(registering, is_visible_to_the_next_find_without_any_turn_in_between) {
  probe<listing<api_message>> asker{t_.system};
  receptionist_.tell(register_{api_key, api_.ref()});
  receptionist_.tell(find{api_key, asker.ref()});
  receptionist_.tell(deregister{api_key, api_.ref()});
  receptionist_.tell(find{api_key, asker.ref()});
  t_.run();
  ASSERT_EQ(asker.messages().size(), 2U);
  EXPECT_EQ(shown(asker.messages()[0].refs), paths{"/user/api"});
  EXPECT_TRUE(asker.messages()[1].refs.empty());
}

TEST_F(registering, what_is_known_already_makes_no_listing_and_is_acknowledged) {
  probe<listing<api_message>> subscriber{t_.system};
  receptionist_.tell(register_{api_key, api_.ref()});
  receptionist_.tell(subscribe{api_key, subscriber.ref()});
  t_.run();
  EXPECT_EQ(subscriber.take().size(), 1U);
  receptionist_.tell(register_{api_key, api_.ref(), answers_.ref()});
  t_.run();
  EXPECT_TRUE(subscriber.messages().empty());
  EXPECT_EQ(answers_.messages().size(), 1U);
}

TEST_F(registering, takes_many_actors_a_key_and_many_keys_an_actor) {
  const service_key<api_message> other{"other"};
  probe<api_message> second{t_.system, {.name = "second"}};
  for (const auto& key : {api_key, other}) {
    receptionist_.tell(register_{key, api_.ref()});
    receptionist_.tell(register_{key, second.ref()});
  }
  t_.run();
  EXPECT_EQ(shown(receptionist_.lookup(api_key).refs), (paths{"/user/api", "/user/second"}));
  EXPECT_EQ(shown(receptionist_.lookup(other).refs), (paths{"/user/api", "/user/second"}));
}

TEST_F(registering, takes_an_actor_of_several_messages_by_the_one_that_matters) {
  using wide = std::variant<int, api_message>;
  probe<wide> actor{t_.system, {.name = "wide"}};
  receptionist_.tell(register_{api_key, actor.ref()});
  t_.run();
  const auto listing = receptionist_.lookup(api_key);
  ASSERT_EQ(listing.refs.size(), 1U);
  listing.refs[0].tell(api_message{7});
  t_.run();
  ASSERT_EQ(actor.messages().size(), 1U);
  EXPECT_EQ(std::get<api_message>(actor.messages()[0]).number, 7);
}

TEST_F(registering, ends_by_deregister_while_the_actor_lives_on) {
  probe<deregistered> answers{t_.system};
  receptionist_.tell(register_{api_key, api_.ref()});
  receptionist_.tell(deregister{api_key, api_.ref(), answers.ref()});
  t_.run();
  EXPECT_TRUE(receptionist_.lookup(api_key).all_refs.empty());
  EXPECT_FALSE(api_.ref().is_stopped());
  ASSERT_EQ(answers.messages().size(), 1U);
  EXPECT_EQ(answers.messages()[0].ref, api_.ref());
  receptionist_.tell(register_{api_key, api_.ref()});
  t_.run();
  EXPECT_EQ(found(), paths{"/user/api"}) << "a registration after a deregistration is not held up by it";
}

TEST_F(registering, deregister_of_what_is_not_there_does_nothing_and_is_acknowledged) {
  probe<deregistered> answers{t_.system};
  receptionist_.tell(deregister{api_key, api_.ref(), answers.ref()});
  receptionist_.tell(deregister{any_key{}, any_ref{}, answers.ref()});
  t_.run();
  EXPECT_EQ(answers.messages().size(), 2U);
  EXPECT_EQ(receptionist_.counters().deregistered, 0U);
}

TEST_F(registering, refuses_a_null_ref) {
  receptionist_.tell(register_{api_key, actor_ref<api_message>{}, answers_.ref()});
  const auto answer = refused_one();
  EXPECT_EQ(answer.reason, refusal::null_ref);
  EXPECT_EQ(answer.key, api_key);
  EXPECT_EQ(answer.sentence, "a null ref cannot be registered under 'api-service'");
}

TEST_F(registering, refuses_an_actor_that_has_stopped) {
  t_.system.stop(api_.ref());
  t_.run();
  receptionist_.tell(register_{api_key, api_.ref(), answers_.ref()});
  const auto answer = refused_one();
  EXPECT_EQ(answer.reason, refusal::stopped);
  EXPECT_NE(answer.sentence.find("test/user/api#"), std::string::npos) << answer.sentence;
}

TEST_F(registering, refuses_an_actor_of_another_system_or_node) {
  test_system other{"elsewhere"};
  probe<api_message> there{other.system, {.name = "there"}};
  receptionist_.tell(register_{api_key, there.ref(), answers_.ref()});
  EXPECT_EQ(refused_one().reason, refusal::remote);
  const auto far = muster::message::remote_ref_of<api_message>(
      t_.system.core(), {{"far", node_incarnation{1}}, "/user/x", actor_incarnation{9}});
  receptionist_.tell(register_{api_key, far, answers_.ref()});
  EXPECT_EQ(refused_one().reason, refusal::remote);
  EXPECT_TRUE(found().empty());
}

TEST_F(registering, refuses_a_key_without_an_id_or_over_the_bound) {
  receptionist_.tell(register_{service_key<api_message>{""}, api_.ref(), answers_.ref()});
  EXPECT_EQ(refused_one().reason, refusal::invalid_key);
  receptionist_.tell(register_{service_key<api_message>{std::string(5000, 'k')}, api_.ref(), answers_.ref()});
  const auto answer = refused_one();
  EXPECT_EQ(answer.reason, refusal::over_bound);
  EXPECT_FALSE(answer.sentence.empty());
  EXPECT_EQ(receptionist_.counters().refused, 2U);
}

TEST_F(registering, that_is_refused_without_a_reply_to_is_a_dead_letter_and_counted) {
  probe<dead_letter> letters{t_.system};
  t_.system.dead_letters().subscribe(letters.ref());
  receptionist_.tell(register_{api_key, actor_ref<api_message>{}});
  t_.run();
  ASSERT_EQ(letters.messages().size(), 1U);
  EXPECT_EQ(letters.messages()[0].reason, dead_letter_reason::unhandled);
  EXPECT_EQ(letters.messages()[0].to, receptionist_.ref());
  EXPECT_EQ(receptionist_.counters().refused, 1U);
}

TEST_F(registering, that_is_refused_to_one_with_no_place_for_it_is_an_error_in_the_log_and_a_dead_letter) {
  probe<registered> deaf{t_.system};
  receptionist_.tell(register_{api_key, actor_ref<api_message>{}, deaf.ref()});
  t_.run();
  EXPECT_EQ(t_.log.values("registration_refused", "reason"), paths{"null_ref"});
  EXPECT_EQ(t_.system.dead_letters().count(dead_letter_reason::unhandled), 1U);
}

TEST_F(registering, outlives_the_actor_by_default_and_what_is_told_to_it_becomes_dead_letters) {
  receptionist_.tell(register_{api_key, api_.ref()});
  t_.system.stop(api_.ref());
  t_.run();
  const auto listing = receptionist_.lookup(api_key);
  ASSERT_EQ(listing.refs.size(), 1U);
  EXPECT_EQ(listing.refs[0], api_.ref());
  listing.refs[0].tell(api_message{});
  EXPECT_EQ(t_.system.dead_letters().count(dead_letter_reason::stopped), 1U);
}

TEST_F(registering, while_alive_ends_with_the_actor) {
  probe<listing<api_message>> subscriber{t_.system};
  receptionist_.tell(register_{api_key, api_.ref()}.while_alive());
  receptionist_.tell(register_{service_key<api_message>{"other"}, api_.ref()}.while_alive());
  receptionist_.tell(subscribe{api_key, subscriber.ref()});
  t_.run();
  EXPECT_EQ(shown(subscriber.take().at(0).refs), paths{"/user/api"});
  t_.system.stop(api_.ref());
  t_.run();
  ASSERT_EQ(subscriber.messages().size(), 1U);
  EXPECT_TRUE(subscriber.messages()[0].all_refs.empty());
  EXPECT_TRUE(receptionist_.lookup(service_key<api_message>{"other"}).all_refs.empty());
}

TEST_F(registering, while_alive_and_then_deregistered_leaves_no_watch_and_a_later_one_outlives_the_actor) {
  probe<api_message> stranger{t_.system};
  probe<api_message> deregistered_one{t_.system};
  for (const auto& one : {api_.ref(), deregistered_one.ref()}) {
    receptionist_.tell(register_{api_key, one}.while_alive());
    receptionist_.tell(deregister{api_key, one});
  }
  receptionist_.tell(register_{api_key, api_.ref()});
  t_.run();
  t_.system.stop(api_.ref());
  t_.run();
  EXPECT_EQ(found(), paths{"/user/api"});
  EXPECT_EQ(turns_at_end_of(t_, deregistered_one.ref()), turns_at_end_of(t_, stranger.ref()));
}

TEST_F(registering, of_one_that_registers_again_while_alive_becomes_so) {
  receptionist_.tell(register_{api_key, api_.ref()});
  receptionist_.tell(register_{api_key, api_.ref()}.while_alive());
  t_.run();
  t_.system.stop(api_.ref());
  t_.run();
  EXPECT_TRUE(found().empty());
}

TEST_F(registering, a_respawned_name_registers_anew) {
  receptionist_.tell(register_{api_key, api_.ref()}.while_alive());
  t_.run();
  t_.system.stop(api_.ref());
  t_.run();
  probe<api_message> next{t_.system, {.name = "api"}};
  receptionist_.tell(register_{api_key, next.ref()}.while_alive());
  t_.run();
  const auto listing = receptionist_.lookup(api_key);
  ASSERT_EQ(listing.refs.size(), 1U);
  EXPECT_EQ(listing.refs[0], next.ref());
  EXPECT_NE(listing.refs[0], api_.ref());
}

TEST(registering_by_option, watches_all_who_register) {
  test_system t;
  const auto receptionist = start(t.system, nullptr, options{}.watch_registered(true));
  probe<api_message> api{t.system};
  receptionist.tell(register_{api_key, api.ref()});
  t.run();
  EXPECT_EQ(receptionist.lookup(api_key).refs.size(), 1U);
  t.system.stop(api.ref());
  t.run();
  EXPECT_TRUE(receptionist.lookup(api_key).all_refs.empty());
}

TEST_F(registering, 100000_actors_under_one_key_takes_a_time_that_grows_no_faster_than_their_number) {
  constexpr std::size_t count = tests::sanitized ? 10'000 : 100'000;
  probe<listing<api_message>> subscriber{t_.system};
  receptionist_.tell(subscribe{api_key, subscriber.ref()});
  t_.run();
  EXPECT_EQ(subscriber.take().size(), 1U);
  std::vector<actor_ref<api_message>> all;
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(t_.system.spawn<api_message>("", [](const api_message&) {}));
    t_.run();
  }
  for (const auto& one : all) receptionist_.tell(register_{api_key, one});
  t_.run();
  const auto listings = subscriber.take();
  ASSERT_FALSE(listings.empty());
  EXPECT_LE(listings.size(), 100U) << "many changes make one listing, and those that wait are replaced";
  EXPECT_EQ(listings.back().refs.size(), count);
  EXPECT_EQ(receptionist_.counters().registered, count);
}

// --- starting ---

TEST(starting_a_receptionist, twice_gives_the_same) {
  test_system t;
  const auto first = start(t.system, nullptr);
  const auto second = start(t.system, nullptr);
  EXPECT_EQ(first, second);
  probe<api_message> api{t.system};
  first.tell(register_{api_key, api.ref()});
  t.run();
  EXPECT_EQ(second.lookup(api_key).refs.size(), 1U);
}

TEST(starting_a_receptionist, in_each_of_two_systems_gives_two) {
  test_system one{"one"};
  test_system other{"other"};
  EXPECT_NE(start(one.system, nullptr), start(other.system, nullptr));
}

TEST(starting_a_receptionist, for_one_node_and_then_with_a_cluster_is_an_error_that_says_so) {
  test_system t;
  const auto first = start(t.system, nullptr);
  const auto second = try_start(t.system, std::make_shared<told_directory>());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, errc::conflict);
  EXPECT_EQ(second.error().message,
            "the receptionist of 'test' was started for this node alone and cannot join a cluster now: start it with "
            "the cluster first");
  EXPECT_THROW(start(t.system, std::make_shared<told_directory>()), muster::refused);
}

TEST(starting_a_receptionist, with_a_cluster_and_then_without_or_with_the_same_gives_the_same) {
  test_system t;
  const auto cluster = std::make_shared<told_directory>();
  const auto first = start(t.system, cluster);
  EXPECT_EQ(start(t.system, cluster), first);
  EXPECT_EQ(start(t.system, nullptr), first);
  EXPECT_FALSE(try_start(t.system, std::make_shared<told_directory>()));
}

TEST(starting_a_receptionist, with_options_that_cannot_be_fails_in_one_sentence_and_leaves_nothing) {
  test_system t;
  const auto started = try_start(t.system, nullptr, options{}.max_subscribers_total(0));
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, errc::invalid_argument);
  EXPECT_FALSE(t.system.find("/system/cluster/receptionist"));
  EXPECT_TRUE(try_start(t.system, nullptr));
}

TEST(starting_a_receptionist, after_it_was_stopped_gives_a_new_one) {
  test_system t;
  const auto first = start(t.system, nullptr);
  t.run();
  t.system.stop(first.ref());
  t.run();
  const auto second = start(t.system, nullptr);
  EXPECT_NE(first, second);
  EXPECT_FALSE(second.ref().is_stopped());
}

TEST(starting_a_receptionist, keeps_nothing_of_a_system_that_has_ended) {
  std::weak_ptr<actor_kernel::system_core> gone;
  {
    test_system t;
    gone = t.system.core();
    const auto receptionist = start(t.system, nullptr);
    probe<listing<api_message>> subscriber{t.system};
    receptionist.tell(subscribe{api_key, subscriber.ref()});
    receptionist.tell(register_{api_key, t.system.spawn<api_message>("a", [](const api_message&) {})});
    t.run();
    EXPECT_EQ(subscriber.messages().size(), 1U);
  }
  EXPECT_TRUE(gone.expired());
}

}  // namespace
}  // namespace muster::receptionist::testing
