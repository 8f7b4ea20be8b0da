#include "sim/replicas/network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace muster::sim::replicas {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class recorder final : public network::receiver {
 public:
  void deliver(node_index at, peer_id from, bytes content) override { arrived.push_back({at, from, content.at(0)}); }
  void gone(node_index at, peer_id which) override { lost.emplace_back(at, which); }

  struct arrival {
    node_index at;
    peer_id from;
    std::uint8_t content;
  };
  std::vector<arrival> arrived;
  std::vector<std::pair<node_index, peer_id>> lost;
};

struct rig {
  explicit rig(network::style style, link_quality quality = {})
      : net{{.nodes = 3, .style = style}, clock, draws, log, seen} {
    net.between().set_quality(quality);
    for (node_index i = 0; i < 3; ++i) net.process_started(i);
  }
  void run(duration lasts = seconds{60}) {
    const instant end = clock.now() + lasts;
    while (clock.now() < end && clock.run_one()) {
    }
  }
  [[nodiscard]] std::vector<std::uint8_t> contents() const {
    std::vector<std::uint8_t> out;
    for (const auto& one : seen.arrived) out.push_back(one.content);
    return out;
  }

  scheduler clock;
  prng draws{3};
  trace log;
  recorder seen;
  network net;
};

constexpr link_quality wild{.delay_min = milliseconds{1}, .delay_max = milliseconds{100}};

TEST(network, what_answers_on_a_way_reaches_the_one_who_opened_it) {
  rig r{network::style::datagrams};
  const peer_id way = r.net.connect(0, 1);
  r.net.send(way, {1});
  r.run();
  ASSERT_EQ(r.seen.arrived.size(), 1U);
  EXPECT_EQ(r.seen.arrived[0].at, 1U);
  r.net.send(r.seen.arrived[0].from, {2});
  r.run();
  ASSERT_EQ(r.seen.arrived.size(), 2U);
  EXPECT_EQ(r.seen.arrived[1].at, 0U);
  EXPECT_EQ(r.seen.arrived[1].from, way);
}

TEST(network, streams_keep_the_order_and_datagrams_do_not) {
  for (const auto style : {network::style::streams, network::style::datagrams}) {
    rig r{style, wild};
    const peer_id way = r.net.connect(0, 1);
    for (std::uint8_t i = 0; i < 50; ++i) r.net.send(way, {i});
    r.run();
    const auto got = r.contents();
    EXPECT_EQ(got.size(), 50U);
    EXPECT_EQ(std::ranges::is_sorted(got), style == network::style::streams);
  }
}

TEST(network, datagrams_are_lost_and_doubled_as_often_as_told) {
  rig r{network::style::datagrams, {.lost_per_thousand = 300, .doubled_per_thousand = 500}};
  const peer_id way = r.net.connect(0, 1);
  for (int i = 0; i < 2000; ++i) r.net.send(way, {1});
  r.run();
  EXPECT_NEAR(static_cast<double>(r.seen.arrived.size()), 2000 * 0.7 * 1.5, 150);
}

TEST(network, a_cut_loses_datagrams_and_holds_streams_back) {
  for (const auto style : {network::style::streams, network::style::datagrams}) {
    rig r{style};
    const peer_id way = r.net.connect(0, 1);
    r.net.between().set_cut(0, 1, true);
    r.net.send(way, {1});
    r.run(seconds{2});
    EXPECT_TRUE(r.seen.arrived.empty());
    r.net.between().heal_all();
    r.run(seconds{2});
    EXPECT_EQ(r.seen.arrived.size(), style == network::style::streams ? 1U : 0U);
  }
}

TEST(network, a_stream_that_is_cut_for_long_breaks_and_both_ends_learn_it) {
  rig r{network::style::streams};
  const peer_id way = r.net.connect(0, 1);
  r.net.send(way, {1});
  r.run(seconds{1});
  r.net.between().set_cut(0, 1, true);
  r.net.send(way, {2});
  r.run(seconds{30});
  EXPECT_FALSE(r.net.is_open(way));
  EXPECT_EQ(r.seen.lost.size(), 2U);
  r.net.between().heal_all();
  r.run();
  EXPECT_EQ(r.seen.arrived.size(), 1U);
}

TEST(network, the_end_of_a_process_is_told_at_the_other_end) {
  rig r{network::style::datagrams};
  const peer_id way = r.net.connect(0, 1);
  r.net.send(way, {1});
  r.run();
  r.net.process_ended(1);
  r.run();
  ASSERT_EQ(r.seen.lost.size(), 1U);
  EXPECT_EQ(r.seen.lost[0], (std::pair<node_index, peer_id>{0, way}));
}

TEST(network, a_way_to_a_process_that_does_not_run_is_gone) {
  rig r{network::style::streams};
  r.net.process_ended(1);
  const peer_id way = r.net.connect(0, 1);
  r.net.send(way, {1});
  r.run();
  ASSERT_EQ(r.seen.lost.size(), 1U);
  EXPECT_EQ(r.seen.lost[0].second, way);
}

TEST(network, a_way_does_not_lead_to_the_next_process_on_the_same_machine) {
  rig r{network::style::datagrams, wild};
  const peer_id way = r.net.connect(0, 1);
  r.net.send(way, {1});
  r.run();
  r.net.send(way, {2});
  r.net.process_ended(1);
  r.net.process_started(1);
  r.net.send(way, {3});
  r.run();
  EXPECT_EQ(r.contents(), std::vector<std::uint8_t>{1});
}

}  // namespace
}  // namespace muster::sim::replicas
