#include <algorithm>
#include <atomic>
#include <cstdio>
#include <semaphore>

#include "muster/ice/cluster_transport.hpp"
#include "muster/os/clock.hpp"
#include "muster/runtime/programs.test.hpp"

namespace muster::cluster::testing {
namespace {

struct product {
  static constexpr std::string_view message_name = "test.product";
  std::string name;
};

const service_key<product> product_key{"products"};

double median_us(std::vector<duration>& times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  return std::chrono::duration<double, std::micro>{*middle}.count();
}

/// Sends back what comes, or tells that it has come.
class echo final : public transport_receiver {
 public:
  void handle_frame(bytes frame, std::string_view) override {
    if (to.empty()) {
      arrived = os::now();
      has_come.release();
    } else {
      (void)over->send(to, channel::gossip, std::make_shared<const bytes>(std::move(frame)));
    }
  }
  void handle_connection_lost(std::string_view) override {}
  void handle_connection_refused(std::string_view) override {}

  std::shared_ptr<transport> over;
  std::string to;
  std::atomic<instant> arrived{};
  std::binary_semaphore has_come{0};
};

/// From one process's transport to the other's, half of there and back.
double one_way_us() {
  tests::event_recorder log;
  const auto here = std::make_shared<echo>();
  const auto there = std::make_shared<echo>();
  std::string here_at;
  for (const auto& end : {here, there}) {
    end->over = *ice::cluster_transport::make({.now = os::now}, log);
    const auto at = end->over->start(end);
    if (end == here) {
      here_at = *at;
    } else {
      here->to = {};
      there->to = here_at;
      here_at = *at;
    }
  }
  const auto frame = std::make_shared<const bytes>(100);
  std::vector<duration> times;
  for (int i = 0; i < 3000; ++i) {
    const instant begin = os::now();
    (void)here->over->send(here_at, channel::gossip, frame);
    here->has_come.acquire();
    times.push_back((here->arrived.load() - begin) / 2);
  }
  for (const auto& end : {here, there}) {
    end->over->stop();
    end->over = nullptr;
  }
  return median_us(times);
}

/// From telling one node's receptionist of an actor to the listing at another node's subscriber.
double register_to_listing_us() {
  std::atomic<instant> arrived{};
  std::atomic<std::size_t> wanted{0};
  std::counting_semaphore<> has_come{0};
  program a{"a"};
  program b{"b", {.seeds = {a.node->address()}}};
  EXPECT_TRUE(are_one_cluster(a, b));
  const auto subscriber = b.system->spawn<listing<product>>("", [&](const listing<product>& now) {
    if (now.refs.size() != wanted) return;
    arrived = os::now();
    has_come.release();
  });
  b.desk->tell(receptionist::subscribe{product_key, subscriber});
  has_come.acquire();
  const auto offer = a.system->spawn<product>("", [](const product&) {});
  std::vector<duration> times;
  for (int i = 0; i < 2000; ++i) {
    wanted = 1;
    const instant begin = os::now();
    a.desk->tell(receptionist::register_{product_key, offer});
    has_come.acquire();
    times.push_back(arrived.load() - begin);
    wanted = 0;
    a.desk->tell(receptionist::deregister{product_key, offer});
    has_come.acquire();
  }
  return median_us(times);
}

// What it is on an idle machine, ./dev bench measures. Here: that nothing waits for a timer on the way.
TEST(speed, a_registration_is_in_the_listing_of_another_node_without_waiting_for_any_interval) {
  const double raw = one_way_us();
  const double whole = register_to_listing_us();
  std::printf("one way of the transport: %.1f us; register to listing elsewhere: %.1f us (p50); ratio %.2f\n", raw,
              whole, whole / raw);
  RecordProperty("one_way_us", std::to_string(raw));
  RecordProperty("register_to_listing_us", std::to_string(whole));
  EXPECT_LT(whole, 20'000.0);
}

}  // namespace
}  // namespace muster::cluster::testing
