#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "muster/base/instant.hpp"

namespace muster::metrics {

/// Counts up. `add` is one relaxed addition in a cache line that this thread shares with few others, so that the locate
/// path may count each request; reading adds the shards up and is for scrapes.
class counter {
 public:
  void add(std::uint64_t amount = 1) noexcept {
    shards_[shard_of_this_thread()].count.fetch_add(amount, std::memory_order_relaxed);
  }

  [[nodiscard]] std::uint64_t value() const noexcept;

 private:
  static constexpr std::size_t shard_count = 8;
  struct alignas(64) shard {
    std::atomic<std::uint64_t> count{0};
  };

  [[nodiscard]] static std::size_t shard_of_this_thread() noexcept {
    thread_local const std::size_t mine = next_shard();
    return mine;
  }
  static std::size_t next_shard() noexcept;

  std::array<shard, shard_count> shards_;
};

/// A level: set by whoever owns the figure, on any thread.
class gauge {
 public:
  void set(std::int64_t level) noexcept { level_.store(level, std::memory_order_relaxed); }
  void add(std::int64_t amount) noexcept { level_.fetch_add(amount, std::memory_order_relaxed); }
  /// For figures kept as std::size_t or a 64-bit serial; what does not fit shows as the largest level.
  void set_count(std::uint64_t level) noexcept;

  [[nodiscard]] std::int64_t value() const noexcept { return level_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> level_{0};
};

/// Counts observations by size in fixed buckets. Meant for a thing that happens at most some ten thousand times a
/// second (a commit, not a locate request).
class histogram {
 public:
  /// Upper bounds of the buckets, rising, in the unit of what is observed; one more bucket takes all beyond the last.
  explicit histogram(std::vector<std::uint64_t> bounds);

  void observe(std::uint64_t amount) noexcept;
  /// For bounds in nanoseconds. Negative durations count as zero.
  void observe(duration taken) noexcept;

  struct snapshot {
    std::vector<std::uint64_t> bounds;
    std::vector<std::uint64_t> cumulative;  ///< one per bound, then one for all
    std::uint64_t sum{};
  };
  [[nodiscard]] snapshot read() const;

 private:
  std::vector<std::uint64_t> bounds_;
  std::vector<std::atomic<std::uint64_t>> counts_;
  std::atomic<std::uint64_t> sum_{0};
};

}  // namespace muster::metrics
