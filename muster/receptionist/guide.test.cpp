// The examples of docs/guide-receptionist.md, as they stand there but for names of the actors around them.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "muster/actor/test_system.hpp"
#include "muster/receptionist/group_router.hpp"
#include "muster/receptionist/receptionist.hpp"

namespace receptionist = muster::receptionist;

namespace {

using namespace std::chrono_literals;

struct greeting {
  static constexpr std::string_view message_name = "guide.greeting";
  std::string path;
};
const muster::service_key<greeting> greeting_key{"api-service"};

struct receipt {
  int number{0};
};
struct charge {
  static constexpr std::string_view message_name = "guide.charge";
  int order{0};
  muster::actor_ref<receipt> reply_to;
};
const muster::service_key<charge> charge_key{"payments"};

TEST(the_guide_to_the_receptionist, begins_with_a_service_that_is_found_and_followed) {
  muster::testing::test_system t;
  auto& system = t.system;
  std::vector<std::string> served;
  auto desk = receptionist::start(system, nullptr);
  auto consumer = system.spawn<muster::listing<greeting>>("consumer", [](const muster::listing<greeting>& listing) {
    if (listing.refs.empty()) return;
    listing.refs[0].tell({"/index"});
  });
  desk.tell(receptionist::subscribe{greeting_key, consumer});
  t.run();
  auto api = system.spawn<greeting>("api", [&](const greeting& message) { served.push_back(message.path); });
  desk.tell(receptionist::register_{greeting_key, api}.while_alive());
  t.run();
  EXPECT_EQ(served, std::vector<std::string>{"/index"});
}

TEST(the_guide_to_the_receptionist, shows_registrations_of_every_type) {
  muster::testing::test_system t;
  auto& system = t.system;
  auto desk = receptionist::start(system, nullptr);
  auto api = system.spawn<greeting>("api", [](const greeting&) {});
  desk.tell(receptionist::register_{greeting_key, api});
  t.run();
  std::vector<std::string> lines;
  const auto show = [&](const muster::actor_address& who, const std::string& type, bool is_reachable) {
    lines.push_back(who.path + " " + type + (is_reachable ? "" : " (unreachable)"));
  };
  const muster::any_listing all = desk.lookup(muster::any_key{"api-service"});
  for (const auto& one : all.entries()) show(one.ref.address(), one.type, one.is_reachable);
  EXPECT_EQ(lines, std::vector<std::string>{"/user/api guide.greeting"});
  EXPECT_EQ(all.as<greeting>().refs.size(), 1U);
}

TEST(the_guide_to_the_receptionist, asks_for_an_outcome_and_for_a_listing) {
  muster::testing::test_system t;
  auto& system = t.system;
  auto desk = receptionist::start(system, nullptr);
  auto api = system.spawn<greeting>("api", [](const greeting&) {});
  using outcome = std::variant<receptionist::registered, receptionist::register_refused>;
  auto answer = system.ask<outcome>(
      desk.ref(),
      [&](auto reply_to) {
        return receptionist::register_{greeting_key, api, reply_to};
      },
      1s);
  auto found = system.ask<muster::listing<greeting>>(
      desk.ref(),
      [&](auto to) {
        return receptionist::find{greeting_key, to};
      },
      1s);
  t.run();
  EXPECT_TRUE(std::holds_alternative<receptionist::registered>(answer.get().value()));
  EXPECT_EQ(found.get().value().refs.size(), 1U);
}

/// Waits until three are there, then says so and follows no longer.
class starter : public muster::actor<muster::listing<greeting>> {
 public:
  starter(receptionist::handle desk, int& begun) : desk_{std::move(desk)}, begun_{begun} {}
  void on_start(context& self) override { desk_.tell(receptionist::subscribe{greeting_key, self.self()}); }
  void receive(context& self, muster::listing<greeting> listing) override {
    if (listing.refs.size() < 3) return;
    desk_.tell(receptionist::unsubscribe{greeting_key, self.self()});
    ++begun_;
  }

 private:
  receptionist::handle desk_;
  int& begun_;
};

TEST(the_guide_to_the_receptionist, waits_until_a_service_is_there) {
  muster::testing::test_system t;
  auto desk = receptionist::start(t.system, nullptr);
  int begun = 0;
  t.system.spawn<starter>("starter", desk, std::ref(begun));
  for (int i = 0; i < 5; ++i) {
    desk.tell(receptionist::register_{greeting_key, t.system.spawn<greeting>("", [](const greeting&) {})});
    t.run();
    EXPECT_EQ(begun, i < 2 ? 0 : 1);
  }
}

/// Charges by whoever is there, and watches whom it has asked.
class customer : public muster::actor<std::variant<int, muster::terminated>> {
 public:
  customer(receptionist::handle desk, std::vector<std::string>& seen) : desk_{std::move(desk)}, seen_{seen} {}
  void receive(context& self, std::variant<int, muster::terminated> message) override {
    if (std::holds_alternative<muster::terminated>(message)) return seen_.push_back("terminated");
    const int order = std::get<int>(message);
    const auto refs = desk_.lookup(charge_key).refs;
    if (refs.empty()) return seen_.push_back("nobody");
    const auto worker = refs[0];
    self.watch(worker);
    self.ask<receipt>(
        worker,
        [&](auto to) {
          return charge{order, to};
        },
        2s,
        [this](const muster::result<receipt>& got) {
          seen_.push_back(got ? "paid " + std::to_string(got->number) : "not paid: " + got.error().message);
        });
  }

 private:
  receptionist::handle desk_;
  std::vector<std::string>& seen_;
};

TEST(the_guide_to_the_receptionist, makes_sure_of_one_actor_by_watching_it) {
  muster::testing::test_system t;
  auto desk = receptionist::start(t.system, nullptr);
  std::vector<std::string> seen;
  const auto buyer = t.system.spawn<customer>("buyer", desk, std::ref(seen));
  buyer.tell(1);
  t.run();
  const auto worker = t.system.spawn<charge>("worker", [](muster::actor_context<charge>& self, const charge& what) {
    if (what.order == 3) return self.stop();
    what.reply_to.tell(receipt{what.order});
  });
  desk.tell(receptionist::register_{charge_key, worker}.while_alive());
  t.run();
  buyer.tell(2);
  t.run();
  buyer.tell(3);
  t.run();
  ASSERT_EQ(seen.size(), 4U);
  EXPECT_EQ(seen[0], "nobody");
  EXPECT_EQ(seen[1], "paid 2");
  EXPECT_NE(std::find(seen.begin(), seen.end(), "terminated"), seen.end());
  EXPECT_TRUE(desk.lookup(charge_key).refs.empty()) << "who comes next does not find it";
}

TEST(the_guide_to_the_receptionist, spreads_work_over_all_of_them) {
  muster::testing::test_system t;
  auto desk = receptionist::start(t.system, nullptr);
  std::vector<int> served(2);
  for (std::size_t i = 0; i < 2; ++i) {
    auto worker = t.system.spawn<greeting>("", [&served, i](const greeting&) { ++served[i]; });
    desk.tell(receptionist::register_{greeting_key, worker}.while_alive());
  }
  t.run();
  muster::group_router<greeting> workers{desk, greeting_key};
  for (int i = 0; i < 6; ++i) workers.tell(greeting{"/"});
  t.run();
  EXPECT_EQ(served, (std::vector{3, 3}));
}

}  // namespace
