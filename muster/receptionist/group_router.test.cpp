#include "muster/receptionist/group_router.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "muster/receptionist/test_receptionist.hpp"

namespace muster::receptionist::testing {
namespace {

class routing : public ::testing::Test {
 protected:
  test_system t_;
  std::shared_ptr<told_directory> cluster_{std::make_shared<told_directory>()};
  handle receptionist_{start(t_.system, cluster_)};
  std::vector<std::unique_ptr<probe<api_message>>> workers_;

  void SetUp() override { t_.run(); }
  void add_worker() {
    workers_.push_back(
        std::make_unique<probe<api_message>>(t_.system, spawn_options{.name = "w" + std::to_string(workers_.size())}));
    receptionist_.tell(register_{api_key, workers_.back()->ref()}.while_alive());
    t_.run();
  }
  std::vector<std::size_t> loads() {
    t_.run();
    std::vector<std::size_t> out;
    for (const auto& one : workers_) out.push_back(one->take().size());
    return out;
  }
  [[nodiscard]] static auto by_number() {
    return group_router<api_message>::by_hash([](const api_message& m) { return std::to_string(m.number); });
  }
};

TEST_F(routing, by_round_robin_gives_each_its_share_and_follows_the_listing) {
  const group_router<api_message> router{receptionist_, api_key};
  for (int i = 0; i < 2; ++i) add_worker();
  for (int i = 0; i < 10; ++i) router.tell(api_message{i});
  EXPECT_EQ(loads(), (std::vector<std::size_t>{5, 5}));
  add_worker();
  for (int i = 0; i < 9; ++i) router.tell(api_message{i});
  EXPECT_EQ(loads(), (std::vector<std::size_t>{3, 3, 3}));
  t_.system.stop(workers_[0]->ref());
  t_.run();
  for (int i = 0; i < 6; ++i) router.tell(api_message{i});
  EXPECT_EQ(loads(), (std::vector<std::size_t>{0, 3, 3}));
}

TEST_F(routing, at_random_gives_each_about_its_share) {
  const group_router<api_message> router{receptionist_, api_key, group_router<api_message>::random(7)};
  for (int i = 0; i < 4; ++i) add_worker();
  for (int i = 0; i < 4000; ++i) router.tell(api_message{i});
  for (const std::size_t one : loads()) {
    EXPECT_GT(one, 900U);
    EXPECT_LT(one, 1100U);
  }
}

TEST_F(routing, by_broadcast_tells_all) {
  const group_router<api_message> router{receptionist_, api_key};
  for (int i = 0; i < 3; ++i) add_worker();
  EXPECT_EQ(router.broadcast(api_message{1}), 3U);
  EXPECT_EQ(loads(), (std::vector<std::size_t>{1, 1, 1}));
}

TEST_F(routing, by_hash_gives_equal_keys_to_the_same_actor_and_moves_only_those_of_one_that_left) {
  const group_router<api_message> router{receptionist_, api_key, by_number()};
  for (int i = 0; i < 5; ++i) add_worker();
  std::map<int, actor_ref<api_message>> before;
  std::set<any_ref> used;
  for (int i = 0; i < 500; ++i) {
    before[i] = router.pick(api_message{i});
    used.insert(before[i]);
    EXPECT_EQ(router.pick(api_message{i}), before[i]);
  }
  EXPECT_EQ(used.size(), 5U);
  const any_ref gone = workers_[2]->ref();
  t_.system.stop(gone);
  t_.run();
  for (const auto& [number, whom] : before) {
    if (whom == gone) {
      EXPECT_NE(router.pick(api_message{number}), gone);
    } else {
      EXPECT_EQ(router.pick(api_message{number}), whom);
    }
  }
}

TEST_F(routing, by_hash_gives_an_actor_that_comes_back_under_its_name_the_keys_that_it_had) {
  const group_router<api_message> router{receptionist_, api_key, by_number()};
  for (int i = 0; i < 5; ++i) add_worker();
  std::vector<std::string> before;
  for (int i = 0; i < 500; ++i) before.push_back(router.pick(api_message{i}).path());
  const any_ref gone = workers_[2]->ref();
  t_.system.stop(gone);
  t_.run();
  const probe<api_message> again{t_.system, {.name = "w2"}};
  receptionist_.tell(register_{api_key, again.ref()});
  t_.run();
  ASSERT_NE(any_ref{again.ref()}, gone);
  std::vector<std::string> after;
  for (int i = 0; i < 500; ++i) after.push_back(router.pick(api_message{i}).path());
  EXPECT_EQ(after, before);
}

TEST_F(routing, by_hash_chooses_alike_whatever_the_order) {
  for (int i = 0; i < 5; ++i) add_worker();
  const auto refs = receptionist_.lookup(api_key).refs;
  std::vector<actor_ref<api_message>> turned{refs.begin(), refs.end()};
  std::rotate(turned.begin(), turned.begin() + 2, turned.end());
  std::swap(turned[0], turned[3]);
  for (int i = 0; i < 500; ++i) {
    EXPECT_EQ(turned[by_number()(turned, api_message{i})], refs[by_number()(refs.view(), api_message{i})]);
  }
}

TEST(rendezvous_rank, is_of_a_node_and_a_path_in_whatever_life) {
  const auto rank = [](const char* node, std::uint64_t life, const char* path, std::uint64_t actor) {
    return rendezvous_rank(7, {{node, node_incarnation{life}}, path, actor_incarnation{actor}});
  };
  EXPECT_EQ(rank("n1", 1, "/user/a", 5), rank("n1", 2, "/user/a", 6));
  EXPECT_NE(rank("n1", 1, "/user/a", 5), rank("n2", 1, "/user/a", 5));
  EXPECT_NE(rank("n1", 1, "/user/a", 5), rank("n1", 1, "/user/b", 5));
}

TEST_F(routing, by_least_in_flight_chooses_who_has_least_to_do) {
  const group_router<api_message> router{receptionist_, api_key};
  for (int i = 0; i < 3; ++i) add_worker();
  auto first = router.pick_least_in_flight();
  auto second = router.pick_least_in_flight();
  auto third = router.pick_least_in_flight();
  EXPECT_EQ((std::set<any_ref>{first.first, second.first, third.first}).size(), 3U);
  EXPECT_EQ(router.in_flight_to(second.first), 1U);
  second.second.reset();
  EXPECT_EQ(router.in_flight_to(second.first), 0U);
  EXPECT_EQ(router.pick_least_in_flight().first, second.first);
}

TEST_F(routing, leaves_out_who_cannot_be_reached) {
  add_worker();
  cluster_->tell("api-service", "n2", "/user/x");
  cluster_->tell("n2", reachability::state::unreachable);
  t_.run();
  const group_router<api_message> router{receptionist_, api_key};
  for (int i = 0; i < 4; ++i) router.tell(api_message{i});
  EXPECT_EQ(loads(), std::vector<std::size_t>{4});
}

TEST_F(routing, to_nobody_is_a_dead_letter_or_an_error_for_who_wants_to_know) {
  const group_router<api_message> router{receptionist_, api_key};
  router.tell(api_message{1});
  EXPECT_EQ(router.broadcast(api_message{1}), 0U);
  EXPECT_EQ(t_.system.dead_letters().count(dead_letter_reason::unreachable), 2U);
  const auto told = router.try_tell(api_message{1});
  ASSERT_FALSE(told);
  EXPECT_EQ(told.error().code, errc::unavailable);
  EXPECT_EQ(told.error().message, "nobody who can be reached is registered under 'api-service'");
  EXPECT_FALSE(router.pick(api_message{1}));
  EXPECT_FALSE(router.pick_least_in_flight().first);
}

}  // namespace
}  // namespace muster::receptionist::testing
