#include "muster/ice/link_context.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>

namespace muster::ice {
namespace {

constexpr std::chrono::seconds gate_bound{30};

/// Says when somebody is inside, and is told what to do there.
struct gate_receiver final : cluster::transport_receiver {
  explicit gate_receiver(std::function<void()> inside) : does{std::move(inside)} {}
  void handle_frame(bytes, std::string_view) override {
    ++frames;
    does();
  }
  void handle_connection_lost(std::string_view) override { ++losses; }
  void handle_connection_refused(std::string_view) override {}

  const std::function<void()> does;
  int frames{0};
  int losses{0};
};

TEST(receiver_gate, closes_when_nobody_is_inside_any_more) {
  receiver_gate gate;
  std::promise<void> is_inside;
  std::promise<void> may_leave;
  const auto to = std::make_shared<gate_receiver>([&] {
    is_inside.set_value();
    may_leave.get_future().wait();
  });
  gate.open(to);
  std::jthread in{[&] { gate.frame({}, {}); }};
  ASSERT_EQ(is_inside.get_future().wait_for(gate_bound), std::future_status::ready);
  auto closed = std::async(std::launch::async, [&] { gate.close(); });
  EXPECT_EQ(closed.wait_for(std::chrono::milliseconds{20}), std::future_status::timeout);
  may_leave.set_value();
  EXPECT_EQ(closed.wait_for(gate_bound), std::future_status::ready);
  gate.frame({}, {});
  EXPECT_EQ(to->frames, 1);
}

TEST(receiver_gate, lets_in_once_more_who_is_inside_and_never_blocks_him_by_closing) {
  receiver_gate gate;
  const gate_receiver* to_watch = nullptr;
  std::future<void> closed;
  const auto to = std::make_shared<gate_receiver>([&] {
    gate.lost("first");
    closed = std::async(std::launch::async, [&] { gate.close(); });
    // From some moment on it is closed to all who come.
    while (closed.wait_for(std::chrono::seconds{0}) != std::future_status::ready) {
      const int before = to_watch->losses;
      gate.lost("again");
      if (to_watch->losses == before) return;
    }
  });
  to_watch = to.get();
  gate.open(to);
  gate.frame({}, {});
  ASSERT_EQ(closed.wait_for(gate_bound), std::future_status::ready);
  EXPECT_GE(to->losses, 1);
}

}  // namespace
}  // namespace muster::ice
