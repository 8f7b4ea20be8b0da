// Proxies and instances of Slice classes in messages between programs.

#include <MusterTest/parts.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "muster/runtime/programs.test.hpp"
#include "tests/support/gate_program.hpp"

namespace muster::cluster::testing {
namespace {

struct visit {
  static constexpr std::string_view message_name = "test.visit";
  MusterTest::Door door;
  MusterTest::House house;
  actor_ref<std::string> answer_to;
};

const service_key<visit> visit_key{"visits"};

/// Goes in by the door, looks around the house, and says what it saw.
actor_ref<visit> spawn_visitor(actor_system& system) {
  return system.spawn<visit>("visitor", [](const visit& what) {
    std::string seen;
    try {
      what.door.front->open();
      seen = "open";
    } catch (const std::exception& failed) {
      seen = failed.what();
    }
    const auto& hall = what.house.first;
    const auto& room = hall->next.at(0);
    seen += ", " + hall->name + ", " + room->name;
    if (std::dynamic_pointer_cast<MusterTest::Hall>(hall) != nullptr) seen += ", a hall";
    if (room == what.house.second) seen += ", the same room";
    if (room->next.at(0) == hall) seen += ", round";
    room->next.clear();
    what.answer_to.tell(seen);
  });
}

class visits : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(are_one_cluster(a_, b_));
    a_.desk->tell(receptionist::register_{visit_key, spawn_visitor(*a_.system)});
    ASSERT_TRUE(eventually([&] { return b_.desk->lookup(visit_key).refs.size() == 1; }));
  }

  [[nodiscard]] result<std::string> visit_from_b() {
    const auto hall = std::make_shared<MusterTest::Hall>();
    hall->name = "hall";
    const auto room = std::make_shared<MusterTest::Room>();
    room->name = "room";
    hall->next = {room};
    room->next = {hall};
    auto answer = b_.system->ask<std::string>(
        b_.desk->lookup(visit_key).refs[0],
        [&](auto answer_to) {
          return visit{{"door", gates_.proxy(), nullptr, {}, 1}, {2, hall, room, "street"}, answer_to};
        },
        generous);
    auto got = answer.get();
    room->next.clear();
    return got;
  }

  tests::gate_program gates_;
  program a_{"a", {.properties = {{"Ice.AcceptClassCycles", "1"}}}};
  program b_{"b", {.seeds = {a_.node->address()}}};
};

TEST_F(visits, bring_a_proxy_that_can_be_called_and_instances_that_hold_each_other) {
  EXPECT_EQ(visit_from_b(), result<std::string>{"open, hall, room, a hall, the same room, round"});
  EXPECT_EQ(gates_.opened(), 1);
  EXPECT_EQ(visit_from_b(), result<std::string>{"open, hall, room, a hall, the same room, round"});
  EXPECT_EQ(gates_.opened(), 2);
}

}  // namespace
}  // namespace muster::cluster::testing
