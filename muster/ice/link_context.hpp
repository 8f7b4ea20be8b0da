#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "muster/base/bytes.hpp"
#include "muster/base/event.hpp"
#include "muster/base/instant.hpp"
#include "muster/cluster/transport.hpp"

namespace muster::ice {

/// The way in to the receiver. When `close` has returned nobody is inside, and nobody comes in any more. Who is inside
/// may come in once more, and does not close it.
class receiver_gate {
 public:
  void open(std::shared_ptr<cluster::transport_receiver> to);
  void close();

  void frame(bytes what, std::string_view authenticated_name) const;
  void lost(std::string_view address) const;
  void refused(std::string_view address) const;

 private:
  /// Calls `function(receiver)`, if there is one.
  template <typename Function>
  void enter(Function&& function) const;

  mutable std::mutex mutex_;  // a leaf
  mutable std::condition_variable left_;
  mutable std::size_t inside_{0};
  std::shared_ptr<cluster::transport_receiver> receiver_;
};

/// What the connections of one transport share. Any thread. Inside the folder only.
struct link_context {
  struct counters {
    std::atomic<std::uint64_t> connections{0};
    std::atomic<std::uint64_t> refused{0};
    std::atomic<std::uint64_t> lost{0};
    std::atomic<std::uint64_t> oversized{0};
    std::atomic<std::uint64_t> unreadable_addresses{0};
    std::atomic<std::uint64_t> unnamed{0};
    std::atomic<std::uint64_t> misnamed{0};
    std::atomic<std::uint64_t> signs_of_life{0};
  };

  link_context(event_log& to, std::function<instant()> clock) : log{to}, now{std::move(clock)} {}

  /// The name that is expected at an address; empty: none in particular.
  [[nodiscard]] std::string expected_at(const std::string& address) const;
  void expect(const std::string& address, std::string_view name);

  /// Says once of each address that something is wrong there, until `note_success` has been called for it.
  void note_failure(std::string_view name, const std::string& address, std::string_view why);
  void note_success(const std::string& address);

  /// Connections that are there, or are being made.
  void note_busy();
  void note_idle();
  /// Until there are none; false when that takes longer.
  [[nodiscard]] bool wait_until_idle(std::chrono::milliseconds bound);

  event_log& log;
  const std::function<instant()> now;
  bool is_secure{false};
  std::size_t frame_bytes_max{0};
  duration silence_timeout{};
  receiver_gate receiver;
  counters counted;
  std::atomic<bool> is_stopped{false};

 private:
  mutable std::mutex mutex_;  // a leaf
  std::unordered_map<std::string, std::string> expected_;
  std::set<std::string, std::less<>> complained_of_;
  std::size_t busy_{0};
  std::condition_variable idle_;
};

}  // namespace muster::ice
