#include "bench/receptionist/raw_peer.hpp"

#include <condition_variable>
#include <cstdint>
#include <iostream>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "bench/receptionist/follower.hpp"
#include "muster/base/event.hpp"
#include "muster/ice/cluster_transport.hpp"
#include "muster/os/clock.hpp"

namespace muster::bench {

namespace {

// What a change of one registration takes with a key of 16 characters, all frames and layers counted.
constexpr std::size_t frame_bytes = 90;

class target final : public cluster::transport_receiver {
 public:
  void handle_frame(bytes, std::string_view) override {
    const auto time = now_ns();
    {
      const std::lock_guard lock{mutex_};
      ++count_;
      last_ = time;
    }
    changed_.notify_all();
  }
  void handle_connection_lost(std::string_view) override {}
  void handle_connection_refused(std::string_view) override {}

  [[nodiscard]] std::int64_t await(std::uint64_t count) {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return count_ >= count; });
    return last_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t count_{0};
  std::int64_t last_{0};
};

class silent final : public event_log {
 public:
  [[nodiscard]] bool wants(severity) const noexcept override { return false; }
  void write(const event&) override {}
};

}  // namespace

int serve_as_raw_peer() {
  silent log;
  ice::cluster_transport_options how;
  how.now = [] { return os::now(); };
  const auto over = ice::cluster_transport::make(how, log).value();
  const auto here = std::make_shared<target>();
  const auto address = over->start(here).value();
  const auto frame = std::make_shared<const bytes>(frame_bytes);
  std::string line;
  while (std::getline(std::cin, line)) {
    if (line == "address") {
      std::cout << "ok " << address << std::endl;
    } else if (line.starts_with("shoot ")) {
      const auto to = line.substr(6);
      const auto time = now_ns();
      const bool sent = over->send(to, cluster::channel::gossip, frame) == cluster::send_outcome::accepted;
      std::cout << (sent ? fmt::format("ok {}", time) : "error refused") << std::endl;
    } else if (line.starts_with("hit ")) {
      std::cout << fmt::format("ok {}", here->await(std::stoull(line.substr(4)))) << std::endl;
    } else {
      std::cout << "error there is no such command" << std::endl;
    }
  }
  over->stop();
  return 0;
}

}  // namespace muster::bench
