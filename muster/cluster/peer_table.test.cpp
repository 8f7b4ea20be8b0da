#include "muster/cluster/peer_table.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace muster::cluster {
namespace {

using std::chrono::seconds;

membership::member_ptr member_of(const std::string& name, std::uint64_t life) {
  return membership::make_member(name, membership::incarnation{life}, "at-" + name, {});
}

TEST(peer_table, finds_members_by_name_and_by_incarnation) {
  peer_table all;
  all.add(make_known_node(member_of("a", 7)));
  ASSERT_NE(all.find("a"), nullptr);
  EXPECT_EQ(all.find("a")->address(), "at-a");
  EXPECT_EQ(all.find("a")->origin, gossip::make_origin("a", 7));
  EXPECT_EQ(all.find(actor_node{"a", node_incarnation{8}}), nullptr);
  EXPECT_EQ(all.find("b"), nullptr);
}

TEST(peer_table, forgets_all_that_it_noted_of_one_who_is_taken_out) {
  peer_table all;
  all.add(make_known_node(member_of("a", 7)));
  all.set_reachable("a", false);
  all.set_old("a", instant{seconds{3}});
  EXPECT_EQ(all.take("a")->node.name, "a");
  EXPECT_TRUE(all.empty());
  all.add(make_known_node(member_of("a", 8)));
  EXPECT_TRUE(all.is_reachable("a"));
  EXPECT_FALSE(all.is_old("a"));
  EXPECT_EQ(all.next_old(), instant_never);
}

TEST(peer_table, names_the_old_ones_when_they_are_due) {
  peer_table all;
  for (const auto* const name : {"a", "b", "c"}) all.add(make_known_node(member_of(name, 1)));
  all.set_old("a", instant{seconds{3}});
  all.set_old("b", instant{seconds{5}});
  all.set_old("c", instant{seconds{2}});
  all.set_met("c");
  EXPECT_EQ(all.next_old(), instant{seconds{3}});
  EXPECT_EQ(all.due_old(instant{seconds{4}}), (std::vector<std::string>{"a"}));
  EXPECT_EQ(all.due_old(instant{seconds{5}}), (std::vector<std::string>{"a", "b"}));
}

TEST(known_node_pool, gives_one_object_for_one_member_and_a_new_one_for_the_next) {
  known_node_pool pool;
  auto who = member_of("a", 1);
  auto first = pool.share(who);
  EXPECT_EQ(pool.share(who), first);
  first.reset();
  who = member_of("b", 2);  // perhaps at the same place in memory
  EXPECT_EQ(pool.share(who)->node.name, "b");
}

}  // namespace
}  // namespace muster::cluster
