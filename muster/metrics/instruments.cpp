#include "muster/metrics/instruments.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "muster/base/invariant.hpp"

namespace muster::metrics {

std::uint64_t counter::value() const noexcept {
  std::uint64_t total = 0;
  for (const shard& part : shards_) total += part.count.load(std::memory_order_relaxed);
  return total;
}

std::size_t counter::next_shard() noexcept {
  // Round robin over threads: the first eight threads that count anything share nothing.
  static std::atomic<std::size_t> next{0};
  return next.fetch_add(1, std::memory_order_relaxed) % shard_count;
}

void gauge::set_count(std::uint64_t level) noexcept {
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  set(static_cast<std::int64_t>(std::min(level, largest)));
}

histogram::histogram(std::vector<std::uint64_t> bounds) : bounds_{std::move(bounds)}, counts_(bounds_.size() + 1) {
  MUSTER_INVARIANT(std::is_sorted(bounds_.begin(), bounds_.end()), "buckets are found by binary search");
}

void histogram::observe(std::uint64_t amount) noexcept {
  const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), amount) - bounds_.begin();
  counts_[static_cast<std::size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(amount, std::memory_order_relaxed);
}

void histogram::observe(duration taken) noexcept {
  observe(taken.count() > 0 ? static_cast<std::uint64_t>(taken.count()) : std::uint64_t{0});
}

histogram::snapshot histogram::read() const {
  snapshot out{bounds_, {}, sum_.load(std::memory_order_relaxed)};
  out.cumulative.reserve(counts_.size());
  std::uint64_t total = 0;
  for (const auto& count : counts_) {
    total += count.load(std::memory_order_relaxed);
    out.cumulative.push_back(total);
  }
  return out;
}

}  // namespace muster::metrics
