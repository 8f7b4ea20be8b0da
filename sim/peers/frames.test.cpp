#include "sim/peers/frames.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace muster::sim::peers {
namespace {

using cluster::channel;
using std::chrono::milliseconds;
using std::chrono::seconds;

class recorder final : public frames::receiver {
 public:
  void deliver(node_index at, const cluster::shared_frame& frame) override { arrived.emplace_back(at, frame->at(0)); }
  void connection_lost(node_index at, node_index to) override { lost.emplace_back(at, to); }
  void connection_refused(node_index at, node_index to) override { refused.emplace_back(at, to); }

  std::vector<std::pair<node_index, std::uint8_t>> arrived;
  std::vector<std::pair<node_index, node_index>> lost;
  std::vector<std::pair<node_index, node_index>> refused;
};

struct rig {
  explicit rig(bool keeps_order, link_quality quality = {})
      : net{{.nodes = 3, .keeps_order = keeps_order}, clock, draws, seen} {
    net.between().set_quality(quality);
    for (node_index i = 0; i < 3; ++i) net.process_started(i);
  }
  void send(node_index from, node_index to, std::uint8_t content) {
    net.send(from, to, channel::gossip, std::make_shared<const bytes>(bytes{content}));
  }
  void run(duration lasts = seconds{60}) {
    const instant end = clock.now() + lasts;
    while (clock.now() < end && clock.run_one()) {
    }
  }

  scheduler clock;
  prng draws{3};
  recorder seen;
  frames net;
};

constexpr link_quality wild{.delay_min = milliseconds{1}, .delay_max = milliseconds{100}};

TEST(frames, keep_their_order_only_where_they_are_told_to) {
  for (const bool keeps_order : {true, false}) {
    rig r{keeps_order, wild};
    for (std::uint8_t i = 0; i < 50; ++i) r.send(0, 1, i);
    r.run();
    EXPECT_EQ(r.seen.arrived.size(), 50U);
    EXPECT_EQ(std::ranges::is_sorted(r.seen.arrived), keeps_order);
  }
}

TEST(frames, in_order_die_with_the_process_that_they_were_for) {
  for (const bool keeps_order : {true, false}) {
    rig r{keeps_order, wild};
    r.send(0, 1, 1);
    r.net.process_ended(1, true);
    r.net.process_started(1);
    r.run();
    EXPECT_EQ(r.seen.arrived.size(), keeps_order ? 0U : 1U);
  }
}

TEST(frames, cross_no_cut) {
  rig r{false};
  r.net.between().set_cut(0, 1, true);
  r.send(0, 1, 1);
  r.send(1, 0, 2);
  r.run();
  EXPECT_EQ(r.seen.arrived, (std::vector<std::pair<node_index, std::uint8_t>>{{0, 2}}));
}

TEST(frames, the_end_of_a_process_is_told_to_those_that_were_connected) {
  rig r{false};
  r.send(0, 1, 1);
  r.run();
  r.net.process_ended(1, true);
  r.run();
  EXPECT_EQ(r.seen.lost, (std::vector<std::pair<node_index, node_index>>{{0, 1}}));
}

TEST(frames, to_where_nobody_listens_are_refused_unless_the_host_is_down_too) {
  for (const bool host_answers : {true, false}) {
    rig r{false};
    r.net.process_ended(1, host_answers);
    r.send(0, 1, 1);
    r.run();
    EXPECT_EQ(r.seen.refused.size(), host_answers ? 1U : 0U);
  }
}

TEST(frames, a_reset_is_told_to_both_ends) {
  rig r{false};
  r.net.break_connection(0, 2);
  r.run();
  EXPECT_EQ(r.seen.lost.size(), 2U);
}

}  // namespace
}  // namespace muster::sim::peers
