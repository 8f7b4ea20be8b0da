#include "muster/receptionist/published.hpp"

#include <algorithm>

namespace muster::receptionist {

namespace {
constexpr std::size_t buckets_least = 16;
}

published::published() : table_{new table{buckets_least}} {}

published::~published() {
  // Nobody reads any more. What was retired lets itself go.
  const std::unique_ptr<table> last{table_.load()};
  for (auto& bucket : last->buckets) {
    for (node* one = bucket.load(); one != nullptr;) {
      release(one->rows.load());
      delete std::exchange(one, one->next.load());
    }
  }
  set_unreachable(nullptr);
  while (grace_.kept() > 0) grace_.sweep();
}

const roster* published::find_in(table& in, const any_key& key, std::memory_order order) noexcept {
  const node* one = in.bucket_of(key.hash()).load(order);
  while (one != nullptr && !is_of(*one, key, order)) one = one->next.load(order);
  return one == nullptr ? nullptr : one->rows.load(order);
}

roster_ptr published::find(const any_key& key) const {
  const grace::reading here{grace_};
  roster_ptr rows{find_in(*table_.load(std::memory_order_seq_cst), key, std::memory_order_seq_cst)};
  // After the rows: what is unreachable is published before rosters that say so.
  const unreachable_origins* const now = unreachable_.load(std::memory_order_seq_cst);
  if (!rows || !reach_differs(*rows, now)) return rows;
  return seen_with(rows, unreachable_ptr{now});
}

void published::set_unreachable(unreachable_ptr now) {
  const unreachable_origins* const before = unreachable_.exchange(now.detach(), std::memory_order_seq_cst);
  if (before != nullptr) grace_.retire([before] { (void)unreachable_ptr{before, false}; });
}

published::outdated published::find_outdated(std::size_t from_bucket, std::size_t buckets_max) const {
  outdated out;
  const table& in = *table_.load(std::memory_order_relaxed);
  const unreachable_origins* const now = unreachable_.load(std::memory_order_relaxed);
  const std::size_t end = std::min(in.buckets.size(), from_bucket + buckets_max);
  for (std::size_t i = from_bucket; i < end; ++i) {
    for (const node* one = in.buckets[i].load(std::memory_order_relaxed); one != nullptr;
         one = one->next.load(std::memory_order_relaxed)) {
      const roster& rows = *one->rows.load(std::memory_order_relaxed);
      if (reach_differs(rows, now)) out.keys.emplace_back(rows.key());
    }
  }
  out.next = end < in.buckets.size() ? end : 0;
  return out;
}

const roster* published::peek(const any_key& key) const noexcept {
  return find_in(*table_.load(std::memory_order_relaxed), key, std::memory_order_relaxed);
}

void published::put(const any_key& key, roster_ptr now) {
  table& in = *table_.load(std::memory_order_relaxed);
  std::atomic<node*>* place = &in.bucket_of(key.hash());
  node* found = place->load(std::memory_order_relaxed);
  while (found != nullptr && !is_of(*found, key, std::memory_order_relaxed)) {
    place = &found->next;
    found = place->load(std::memory_order_relaxed);
  }
  if (found == nullptr) {
    if (!now) return;
    std::atomic<node*>& first = in.bucket_of(key.hash());
    first.store(new node{key.hash(), now.detach(), first.load(std::memory_order_relaxed)}, std::memory_order_seq_cst);
    if (++keys_ > in.buckets.size()) resize(in.buckets.size() * 2);
    return;
  }
  if (now) {
    const roster* const before = found->rows.exchange(now.detach(), std::memory_order_seq_cst);
    grace_.retire([before] { release(before); });
    return;
  }
  // A reader who stands on it goes on by its `next`, which stays as it is.
  place->store(found->next.load(std::memory_order_relaxed), std::memory_order_seq_cst);
  grace_.retire([found] {
    release(found->rows.load(std::memory_order_relaxed));
    delete found;
  });
  --keys_;
  if (in.buckets.size() > buckets_least && keys_ < in.buckets.size() / 8) resize(in.buckets.size() / 4);
}

void published::resize(std::size_t buckets) {
  // New nodes for all: those who read the old table must find its chains as they were.
  auto next = std::make_unique<table>(buckets);
  table* const before = table_.load(std::memory_order_relaxed);
  for (auto& bucket : before->buckets) {
    for (const node* one = bucket.load(std::memory_order_relaxed); one != nullptr;
         one = one->next.load(std::memory_order_relaxed)) {
      std::atomic<node*>& first = next->bucket_of(one->hash);
      first.store(new node{one->hash, one->rows.load(std::memory_order_relaxed), first.load(std::memory_order_relaxed)},
                  std::memory_order_relaxed);
    }
  }
  table_.store(next.release(), std::memory_order_seq_cst);
  grace_.retire([before] {
    const std::unique_ptr<table> gone{before};
    for (auto& bucket : gone->buckets) {
      for (node* one = bucket.load(std::memory_order_relaxed); one != nullptr;) {
        delete std::exchange(one, one->next.load(std::memory_order_relaxed));
      }
    }
  });
}

}  // namespace muster::receptionist
