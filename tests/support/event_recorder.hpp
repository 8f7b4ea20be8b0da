#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "muster/base/event.hpp"

namespace muster::tests {

/// Keeps what is logged, and lets a test wait for it.
class event_recorder final : public event_log {
 public:
  [[nodiscard]] bool wants(severity) const noexcept override { return true; }

  void write(const event& what) override {
    std::string line{what.name};
    for (const auto& field : what.fields) line += ' ' + std::string{field.key} + '=' + field.value;
    const std::lock_guard lock{mutex_};
    lines_.push_back(std::move(line));
    written_.notify_all();
  }

  /// True once a line holds all of `parts`; false if none does in a generous time.
  template <typename... Parts>
  [[nodiscard]] bool wait_for(const Parts&... parts) const {
    const auto holds_all = [&](const std::string& line) {
      return ((line.find(std::string_view{parts}) != std::string::npos) && ...);
    };
    std::unique_lock lock{mutex_};
    return written_.wait_for(lock, std::chrono::seconds{20}, [&] {
      for (const auto& line : lines_) {
        if (holds_all(line)) return true;
      }
      return false;
    });
  }

  [[nodiscard]] std::vector<std::string> lines() const {
    const std::lock_guard lock{mutex_};
    return lines_;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable written_;
  std::vector<std::string> lines_;
};

}  // namespace muster::tests
