#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace muster::bench {

/// CLOCK_MONOTONIC, as the other processes of a measurement read it, too.
[[nodiscard]] inline std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// What a subscriber was told last of each key, and when. Any thread.
class followed_keys {
 public:
  void put(std::string_view key, std::size_t size, std::int64_t time) {
    {
      const std::lock_guard lock{mutex_};
      last_.insert_or_assign(std::string{key}, std::pair{size, time});
    }
    changed_.notify_all();
  }
  /// Waits until the last listing of the key had so many refs; when that came.
  [[nodiscard]] std::int64_t await(const std::string& key, std::size_t size) {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] {
      const auto found = last_.find(key);
      return found != last_.end() && found->second.first == size;
    });
    return last_.at(key).second;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::pair<std::size_t, std::int64_t>, std::less<>> last_;
};

}  // namespace muster::bench
