// Much of everything: what it costs in memory, and that nothing is quadratic.

#include <gtest/gtest.h>
#include <malloc.h>

#include "muster/gossip/test_network.hpp"

namespace muster::gossip::testing {
namespace {

using std::chrono::seconds;

constexpr int many = 100'000;

[[nodiscard]] std::size_t heap_bytes() {
  const struct mallinfo2 all = mallinfo2();
  return all.uordblks + all.hblkhd;
}

[[nodiscard]] std::string key_of(int i) { return fmt::format("service-{:08}", i); }  // 16 characters

/// What a registration costs beyond what the first thousand did, which fill the log's tables.
class memory : public ::testing::Test {
 protected:
  memory() { g_.start_all(2); }
  void register_all(bool own_path_each) {
    for (int i = 0; i < many; ++i) {
      const entry what = own_path_each ? some_entry(fmt::format("/user/worker-{:06}", i))
                                       : some_entry("/user/worker", 1, "::Demo::Api");
      ASSERT_TRUE(g_.gossip("A").add(key_of(i), what));
    }
  }
  void expect_below(std::size_t local_bytes_max, std::size_t remote_bytes_max, bool own_path_each) {
    const std::size_t before = heap_bytes();
    register_all(own_path_each);
    std::vector<bytes> sent;
    {
      ready effects = g_.gossip("A").poll_ready();
      for (const outgoing& one : effects.messages) {
        sent.push_back(encode(one.what));
        sent.back().shrink_to_fit();
      }
    }
    std::size_t sent_bytes = 0;
    for (const bytes& one : sent) {
      sent_bytes += one.size();
    }
    const std::size_t local = heap_bytes() - before;
    for (const bytes& one : sent) {
      g_.gossip("B").handle_message(g_.at("A").id, *decode(one), g_.now());
      (void)g_.gossip("B").poll_ready();
    }
    ASSERT_EQ(g_.gossip("B").registration_count(), static_cast<std::size_t>(many));
    const std::size_t remote = heap_bytes() - before - local;
    RecordProperty("local_bytes", static_cast<int>((local - sent_bytes) / many));
    RecordProperty("remote_bytes", static_cast<int>(remote / many));
    RecordProperty("wire_bytes", static_cast<int>(sent_bytes / many));
    EXPECT_LT((local - sent_bytes) / many, local_bytes_max);
    EXPECT_LT(remote / many, remote_bytes_max);
  }
  network g_;
};

TEST_F(memory, of_a_registration_is_small_where_each_has_its_own_path) { expect_below(200, 200, true); }

TEST_F(memory, of_a_registration_is_smaller_where_actors_have_many_keys) { expect_below(165, 165, false); }

TEST_F(memory, is_given_back_when_an_origin_goes) {
  register_all(true);
  std::vector<bytes> sent;
  for (const outgoing& one : g_.gossip("A").poll_ready().messages) {
    sent.push_back(encode(one.what));
  }
  const std::size_t before = heap_bytes();
  for (const bytes& one : sent) {
    g_.gossip("B").handle_message(g_.at("A").id, *decode(one), g_.now());
    (void)g_.gossip("B").poll_ready();
  }
  const std::size_t full = heap_bytes() - before;
  g_.gossip("B").forget(g_.at("A").id, g_.now());
  EXPECT_EQ(g_.gossip("B").poll_ready().changes.size(), static_cast<std::size_t>(many));
  // What stays is the log.
  EXPECT_LT(heap_bytes() - before, full / 4);
}

TEST(scale, a_hundred_thousand_entries_under_one_key_are_added_and_removed_one_by_one) {
  network g;
  g.start_all(2);
  for (int i = 0; i < many; ++i) {
    ASSERT_TRUE(g.gossip("A").add("one", some_entry("/user/worker", static_cast<std::uint64_t>(i))));
  }
  g.pump(g.at("A"));
  g.settle();
  EXPECT_EQ(g.gossip("B").entry_count("one"), static_cast<std::size_t>(many));
  for (int i = 0; i < many; ++i) {
    ASSERT_TRUE(g.gossip("A").remove("one", some_entry("/user/worker", static_cast<std::uint64_t>(i))));
  }
  g.pump(g.at("A"));
  g.settle();
  EXPECT_EQ(g.gossip("B").entry_count("one"), 0U);
  EXPECT_EQ(g.gossip("B").key_count(), 0U);
}

TEST(scale, a_hundred_thousand_changes_of_one_turn_that_cancel_each_other_are_no_change) {
  network g;
  g.start_all(2);
  for (int i = 0; i < many; ++i) {
    ASSERT_TRUE(g.gossip("A").add(key_of(i), some_entry("/user/worker")));
  }
  for (int i = 0; i < many; ++i) {
    ASSERT_TRUE(g.gossip("A").remove(key_of(i), some_entry("/user/worker")));
  }
  EXPECT_TRUE(g.gossip("A").poll_ready().changes.empty());
}

TEST(scale, a_node_that_joins_many_with_much_gets_all_within_a_few_rounds) {
  network g;
  g.start_all(40);
  for (auto& [name, one] : g.nodes()) {
    for (int i = 0; i < 200; ++i) {
      ASSERT_TRUE(one.gossip->add(key_of(i), some_entry("/user/worker")));
    }
    g.pump(one);
  }
  g.run(seconds{2});
  g.start("newcomer");
  for (auto& [name, one] : g.nodes()) {
    if (name != "newcomer") {
      g.introduce("newcomer", name);
      g.introduce(name, "newcomer");
    }
  }
  g.settle();
  EXPECT_EQ(g.gossip("newcomer").registration_count(), 8000U);
}

}  // namespace
}  // namespace muster::gossip::testing
