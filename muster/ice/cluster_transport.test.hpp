#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "muster/ice/cluster_transport.hpp"
#include "tests/support/event_recorder.hpp"
#include "tests/support/eventually.hpp"

namespace muster::ice::testing {

using cluster::channel;

inline constexpr std::chrono::seconds generous{20};

inline instant steady_now() {
  return instant{std::chrono::duration_cast<duration>(std::chrono::steady_clock::now().time_since_epoch())};
}

using tests::eventually;

/// Keeps what a transport hands over, and lets a test wait for it.
class inbox final : public cluster::transport_receiver {
 public:
  struct letter {
    bytes frame;
    std::string name;
  };

  void handle_frame(bytes frame, std::string_view authenticated_name) override {
    change([&] { letters_.push_back({std::move(frame), std::string{authenticated_name}}); });
  }
  void handle_connection_lost(std::string_view address) override {
    change([&] { lost_.emplace_back(address); });
  }
  void handle_connection_refused(std::string_view address) override {
    change([&] { refused_.emplace_back(address); });
  }

  [[nodiscard]] bool wait_for_frames(std::size_t count) const {
    return wait([&] { return letters_.size() >= count; });
  }
  [[nodiscard]] bool wait_for_loss(const std::string& address) const {
    return wait([&] { return std::ranges::find(lost_, address) != lost_.end(); });
  }
  [[nodiscard]] bool wait_for_refusal(const std::string& address) const {
    return wait([&] { return std::ranges::find(refused_, address) != refused_.end(); });
  }
  [[nodiscard]] std::vector<letter> letters() const {
    const std::lock_guard lock{mutex_};
    return letters_;
  }
  [[nodiscard]] std::size_t refusals() const {
    const std::lock_guard lock{mutex_};
    return refused_.size();
  }
  [[nodiscard]] std::size_t losses() const {
    const std::lock_guard lock{mutex_};
    return lost_.size();
  }

 private:
  template <typename Change>
  void change(const Change& what) {
    const std::lock_guard lock{mutex_};
    what();
    changed_.notify_all();
  }
  template <typename Condition>
  bool wait(const Condition& holds) const {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, generous, holds);
  }

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<letter> letters_;
  std::vector<std::string> lost_;
  std::vector<std::string> refused_;
};

/// A transport that listens, with what it hands over and what it logs.
struct station {
  explicit station(cluster_transport_options how = {}) {
    if (!how.now) how.now = steady_now;
    auto made = cluster_transport::make(std::move(how), log);
    if (!made) {
      ADD_FAILURE() << made.error().message;
      return;
    }
    wire = *std::move(made);
    auto at = wire->start(in);
    EXPECT_TRUE(at) << (at ? "" : at.error().message);
    if (at) address = *at;
  }

  cluster::send_outcome send(const std::string& to, const std::string& text, channel on = channel::gossip) const {
    return wire->send(to, on, frame_of(text));
  }
  static cluster::shared_frame frame_of(const std::string& text) {
    return std::make_shared<const bytes>(text.begin(), text.end());
  }

  tests::event_recorder log;
  std::shared_ptr<inbox> in = std::make_shared<inbox>();
  std::shared_ptr<cluster_transport> wire;
  std::string address;
};

inline std::string text_of(const inbox::letter& one) { return {one.frame.begin(), one.frame.end()}; }

/// A peer that accepts a connection and then does only what the test says.
class raw_peer {
 public:
  raw_peer() : listener_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&at), size), 0);
    EXPECT_EQ(::listen(listener_, 8), 0);
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size), 0);
    address_ = fmt::format("tcp -h 127.0.0.1 -p {}", ntohs(at.sin_port));
  }
  raw_peer(const raw_peer&) = delete;
  raw_peer& operator=(const raw_peer&) = delete;
  ~raw_peer() {
    hang_up();
    stop_listening();
  }

  [[nodiscard]] const std::string& address() const noexcept { return address_; }

  /// Waits for a connection; says what Ice's protocol wants to hear from who has accepted it.
  void accept() {
    hang_up();
    connection_ = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    ASSERT_GE(connection_, 0);
    // Ice protocol 1.0, "validate connection": magic, versions of protocol and encoding, type 3, no compression,
    // size 14.
    static constexpr std::array<std::uint8_t, 14> hello{'I', 'c', 'e', 'P', 1, 0, 1, 0, 3, 0, 14, 0, 0, 0};
    ASSERT_EQ(::send(connection_, hello.data(), hello.size(), 0), 14);
  }
  /// As the end of a process does, without a word.
  void hang_up() {
    if (connection_ >= 0) ::close(std::exchange(connection_, -1));
  }
  void stop_listening() {
    if (listener_ >= 0) ::close(std::exchange(listener_, -1));
  }

 private:
  int listener_{-1};
  int connection_{-1};
  std::string address_;
};

}  // namespace muster::ice::testing
