#include "muster/receptionist/any_listing.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "muster/receptionist/test_receptionist.hpp"

namespace muster::receptionist::testing {
namespace {

struct odd_message {
  static constexpr std::string_view message_name = "test.odd";
};
struct nameless_message {};

const service_key<odd_message> odd_key{"api-service"};
const any_key every_type{"api-service"};

using all_news = std::variant<any_listing, any_subscribe_rejected, listing<api_message>, terminated>;

/// `n2/user/x:test.api`, and `-` before it where that cannot be reached.
std::vector<std::string> all_shown(const any_listing& what) {
  std::vector<std::string> out;
  for (const auto& one : what.entries()) {
    out.push_back((one.is_reachable ? "" : "-") + (one.ref.is_remote() ? one.ref.address().node.name : "") +
                  one.ref.path() + ":" + one.type);
  }
  return out;
}

class an_any_listing : public ::testing::Test {
 protected:
  void SetUp() override { t_.run(); }

  template <typename M>
  actor_ref<M> spawn(const std::string& name) {
    return t_.system.spawn<M>(name, [](const M&) {});
  }
  std::vector<std::vector<std::string>> heard() {
    std::vector<std::vector<std::string>> out;
    for (const auto& one : operator_.take()) out.push_back(all_shown(std::get<any_listing>(one)));
    return out;
  }
  using lines = std::vector<std::vector<std::string>>;

  test_system t_;
  std::shared_ptr<told_directory> cluster_{std::make_shared<told_directory>()};
  handle receptionist_{start(t_.system, cluster_, options{}.max_subscribers_per_key(2))};
  probe<all_news> operator_{t_.system, {.name = "operator"}};
};

TEST_F(an_any_listing, has_registrations_of_every_type_in_the_order_of_all_listings) {
  const auto api = spawn<api_message>("api");
  const auto odd = spawn<odd_message>("odd");
  receptionist_.tell(register_{odd_key, odd});
  receptionist_.tell(register_{api_key, api});
  receptionist_.tell(register_{service_key<nameless_message>{"api-service"}, spawn<nameless_message>("plain")});
  cluster_->tell("api-service", "n2", "/user/x", false, "far.away");
  t_.run();
  const auto found = receptionist_.lookup(every_type);
  EXPECT_EQ(all_shown(found),
            (paths{"n2/user/x:far.away", "/user/api:test.api", "/user/odd:test.odd", "/user/plain:"}));
  EXPECT_EQ(found.size(), 4U);
  EXPECT_EQ(found.key, api_key);
  const auto entries = found.entries();
  EXPECT_EQ(entries[0].ref.address(), (actor_address{{"n2", node_incarnation{1}}, "/user/x", actor_incarnation{5}}));
  EXPECT_EQ(entries[1].ref, api);
  EXPECT_EQ(entries[2].ref, odd);
  EXPECT_EQ(receptionist_.counters().mismatched_types, 0U) << "it leaves nobody out";
}

TEST_F(an_any_listing, of_a_key_that_nobody_has_is_empty) {
  const auto found = receptionist_.lookup(any_key{"nobody"});
  EXPECT_TRUE(found.empty());
  EXPECT_EQ(found.size(), 0U);
  EXPECT_TRUE(found.entries().empty());
  EXPECT_TRUE(any_listing{}.entries().empty());
}

TEST_F(an_any_listing, says_who_cannot_be_reached_and_who_has_stopped) {
  const auto gone = spawn<api_message>("gone");
  receptionist_.tell(register_{api_key, gone});
  cluster_->tell("api-service", "n2", "/user/x");
  cluster_->tell("n2", reachability::state::unreachable);
  t_.run();
  t_.system.stop(gone);
  t_.run();
  const auto found = receptionist_.lookup(every_type);
  EXPECT_EQ(all_shown(found), (paths{"-n2/user/x:test.api", "/user/gone:test.api"}));
  EXPECT_TRUE(found.entries()[1].ref.is_stopped());
  EXPECT_EQ(found.entries()[1].ref, gone);
}

TEST_F(an_any_listing, has_the_typed_listing_of_its_moment_in_it) {
  receptionist_.tell(register_{api_key, spawn<api_message>("api")});
  receptionist_.tell(register_{odd_key, spawn<odd_message>("odd")});
  t_.run();
  const auto found = receptionist_.lookup(every_type);
  receptionist_.tell(register_{api_key, spawn<api_message>("late")});
  t_.run();
  EXPECT_EQ(testing::shown(found.as<api_message>().refs), paths{"/user/api"});
  EXPECT_EQ(testing::shown(found.as<odd_message>().all_refs), paths{"/user/odd"});
  EXPECT_EQ(receptionist_.counters().mismatched_types, 2U) << "as for whoever asks for a typed listing";
}

TEST_F(an_any_listing, lets_its_actors_be_watched) {
  const auto odd = spawn<odd_message>("odd");
  receptionist_.tell(register_{odd_key, odd});
  t_.run();
  const auto watcher = t_.system.spawn<std::variant<any_ref, terminated>>(
      "watcher", [to = operator_.ref()](auto& self, const std::variant<any_ref, terminated>& message) {
        if (const auto* whom = std::get_if<any_ref>(&message)) return self.watch(*whom);
        to.tell(all_news{std::get<terminated>(message)});
      });
  watcher.tell(receptionist_.lookup(every_type).entries()[0].ref);
  t_.run();
  t_.system.stop(odd);
  t_.run();
  ASSERT_EQ(operator_.messages().size(), 1U);
  EXPECT_EQ(std::get<terminated>(operator_.messages()[0]).ref, odd);
}

TEST_F(an_any_listing, answers_a_find_by_key_alone) {
  receptionist_.tell(register_{odd_key, spawn<odd_message>("odd")});
  receptionist_.tell(find{every_type, operator_.ref()});
  t_.run();
  EXPECT_EQ(heard(), lines{{"/user/odd:test.odd"}});
  receptionist_.tell(find{every_type, actor_ref<any_listing>{}});
  t_.run();
  EXPECT_EQ(receptionist_.counters().messages_without_use, 1U);
}

TEST_F(an_any_listing, is_for_those_who_ask_for_it_and_a_typed_key_asks_for_its_type) {
  receptionist_.tell(register_{odd_key, spawn<odd_message>("odd")});
  receptionist_.tell(find{api_key, operator_.ref()});
  t_.run();
  ASSERT_EQ(operator_.messages().size(), 1U);
  EXPECT_TRUE(std::get<listing<api_message>>(operator_.messages()[0]).refs.empty());
}

TEST_F(an_any_listing, comes_at_each_change_whatever_its_type_and_at_none_that_is_none) {
  const auto odd = spawn<odd_message>("odd");
  receptionist_.tell(subscribe{every_type, operator_.ref()});
  t_.run();
  EXPECT_EQ(heard(), lines{{}});
  receptionist_.tell(register_{odd_key, odd});
  receptionist_.tell(register_{api_key, spawn<api_message>("api")});
  t_.run();
  EXPECT_EQ(heard(), (lines{{"/user/api:test.api", "/user/odd:test.odd"}})) << "changes of one turn make one";
  receptionist_.tell(register_{odd_key, odd});
  t_.run();
  EXPECT_TRUE(heard().empty());
  receptionist_.tell(unsubscribe{every_type, operator_.ref()});
  receptionist_.tell(deregister{odd_key, odd});
  t_.run();
  EXPECT_TRUE(heard().empty());
}

TEST_F(an_any_listing, is_subscribed_to_within_the_bounds_of_its_key) {
  const probe<api_news> first{t_.system};
  const probe<any_listing> second{t_.system};
  receptionist_.tell(subscribe{api_key, first.ref()});
  receptionist_.tell(subscribe{every_type, second.ref()});
  receptionist_.tell(subscribe{every_type, operator_.ref()});
  t_.run();
  EXPECT_EQ(second.messages().size(), 1U);
  ASSERT_EQ(operator_.messages().size(), 1U);
  const auto rejected = std::get<any_subscribe_rejected>(operator_.take()[0]);
  EXPECT_EQ(rejected.key, every_type);
  EXPECT_EQ(rejected.reason, rejection::max_subscribers_per_key);
  EXPECT_EQ(rejected.limit, 2U);
  t_.system.stop(second.ref());
  t_.run();
  receptionist_.tell(subscribe{every_type, operator_.ref()});
  t_.run();
  EXPECT_EQ(heard(), lines{{}}) << "the place of one that has stopped is free at once";
}

TEST_F(an_any_listing, takes_no_second_place_beside_a_typed_one_of_the_same_subscriber) {
  receptionist_.tell(subscribe{every_type, operator_.ref()});
  receptionist_.tell(subscribe{api_key, operator_.ref()});
  const probe<api_news> second{t_.system};
  receptionist_.tell(subscribe{api_key, second.ref()});
  t_.run();
  EXPECT_EQ(second.messages().size(), 1U);
  EXPECT_EQ(receptionist_.counters().subscriptions_rejected, 0U);
  (void)operator_.take();
  receptionist_.tell(register_{api_key, spawn<api_message>("api")});
  t_.run();
  ASSERT_EQ(operator_.messages().size(), 1U) << "of the kind that it asked for last";
  EXPECT_EQ(std::get<listing<api_message>>(operator_.messages()[0]).refs.size(), 1U);
}

TEST_F(an_any_listing, replaces_one_that_still_waits_in_the_mailbox) {
  std::vector<std::size_t> sizes;
  const auto slow = t_.system.spawn<std::variant<int, any_listing>>("slow", [&, this](const auto& message) {
    if (const auto* news = std::get_if<any_listing>(&message)) return sizes.push_back(news->size());
    // While it is busy with this, the others go on.
    for (int i = 0; i < 5; ++i) {
      receptionist_.tell(register_{odd_key, spawn<odd_message>("")});
      for (int turns = 0; turns < 10; ++turns) (void)t_.executor->step();
    }
  });
  receptionist_.tell(subscribe{every_type, slow});
  t_.run();
  slow.tell(1);
  t_.run();
  EXPECT_EQ(sizes, (std::vector<std::size_t>{0, 5}));
}

}  // namespace
}  // namespace muster::receptionist::testing
