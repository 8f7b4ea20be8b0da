#include "muster/cluster/registrar.hpp"

#include "muster/cluster/test_cluster.hpp"

namespace muster::cluster::testing {
namespace {

gossip::entry entry_at(std::string_view path) { return {gossip::shared_text{path}, 1, gossip::shared_text{"test"}}; }
gossip::shared_text text(std::string_view what) { return gossip::shared_text{what}; }

TEST(registrar, commits_what_was_changed_as_one) {
  test_cluster c;
  c.start_all(2);
  c.run(seconds{1});
  registrar own{c.at("A").handle};
  const auto before = c.sees("B").news;
  EXPECT_TRUE(own.add(text("one"), entry_at("/user/a")));
  EXPECT_TRUE(own.add(text("two"), entry_at("/user/b")));
  own.remove(text("one"), entry_at("/user/a"));
  c.run(milliseconds{10});
  EXPECT_EQ(c.sees("B").news, before) << "nothing leaves before the commit";
  own.commit();
  own.commit();
  EXPECT_TRUE(c.run_until([&] { return c.everywhere("two", 1); }, milliseconds{10}));
  EXPECT_EQ(c.sees("B").news, before + 1);
  EXPECT_TRUE(c.everywhere("one", 0));
}

TEST(registrar, refuses_at_once_what_is_over_the_bounds_of_a_node) {
  test_cluster c;
  c.how.gossip.registrations_per_origin_max = 2;
  c.how.gossip.key_bytes_max = 10;
  c.start("A");
  registrar own{c.at("A").handle};
  EXPECT_EQ(own.add(text(""), entry_at("/user/a")).error().code, errc::invalid_argument);
  EXPECT_EQ(own.add(text("a key too long"), entry_at("/user/a")).error().message,
            "the key of a registration has 14 bytes; at most 10 are taken");
  EXPECT_TRUE(own.add(text("one"), entry_at("/user/a")));
  EXPECT_TRUE(own.add(text("two"), entry_at("/user/a")));
  EXPECT_EQ(own.add(text("three"), entry_at("/user/a")).error().code, errc::limit_exceeded);
  own.remove(text("one"), entry_at("/user/a"));
  EXPECT_TRUE(own.add(text("three"), entry_at("/user/a"))) << "there is room again";
}

TEST(registrar, hears_later_of_what_is_over_the_bounds_of_all_nodes) {
  test_cluster c;
  c.how.gossip.keys_max = 2;
  c.start_all(2);
  c.add("B", "theirs");
  ASSERT_TRUE(c.run_until([&] { return c.everywhere("theirs", 1); }, seconds{1}));
  std::vector<std::string> refused;
  registrar own{c.at("A").handle, [&](const gossip::registration& what, const error& why) {
                  EXPECT_EQ(why.code, errc::limit_exceeded);
                  refused.emplace_back(what.key.view());
                }};
  EXPECT_TRUE(own.add(text("one"), entry_at("/user/a")));
  EXPECT_TRUE(own.add(text("two"), entry_at("/user/a")));
  own.commit();
  EXPECT_TRUE(c.run_until([&] { return !refused.empty(); }, seconds{1}));
  EXPECT_EQ(refused, std::vector<std::string>{"two"});
}

}  // namespace
}  // namespace muster::cluster::testing
