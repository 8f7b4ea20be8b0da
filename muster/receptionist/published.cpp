#include "muster/receptionist/published.hpp"

#include <algorithm>

namespace muster::receptionist {

namespace {
constexpr std::size_t buckets_least = 16;
}

published::published() : table_{new table{buckets_least}} {}

published::~published() {
  // Nobody reads any more. What was retired lets itself go.
  for (table* one = table_.load(); one != nullptr;) {
    const std::unique_ptr<table> last{std::exchange(one, one->next.load())};
    for (auto& bucket : last->buckets) {
      for (node* each = bucket.load(); each != nullptr && each != &has_moved; each = each->next.load()) {
        release(each->rows.load());
      }
      delete_chain(bucket.load());
    }
  }
  set_unreachable(nullptr);
  while (grace_.kept() > 0) grace_.sweep();
}

void published::delete_chain(node* first) noexcept {
  if (first == &has_moved) return;
  while (first != nullptr) delete std::exchange(first, first->next.load(std::memory_order_relaxed));
}

std::atomic<published::node*>& published::bucket_for(table& in, std::uint64_t hash, std::memory_order order) noexcept {
  table* present = &in;
  while (true) {
    std::atomic<node*>& bucket = present->bucket_of(hash);
    if (bucket.load(order) != &has_moved) return bucket;
    present = present->next.load(order);
  }
}

const roster* published::find_in(table& in, const any_key& key, std::memory_order order) noexcept {
  const node* one = nullptr;
  // It may move between the two looks.
  do {
    one = bucket_for(in, key.hash(), order).load(order);
  } while (one == &has_moved);
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
  // More than are needed for it to be done before the next change of size.
  constexpr std::size_t moved_with_each_put = 16;
  move_buckets(moved_with_each_put);
  table& in = *table_.load(std::memory_order_relaxed);
  std::atomic<node*>& first = bucket_for(in, key.hash(), std::memory_order_relaxed);
  std::atomic<node*>* place = &first;
  node* found = place->load(std::memory_order_relaxed);
  while (found != nullptr && !is_of(*found, key, std::memory_order_relaxed)) {
    place = &found->next;
    found = place->load(std::memory_order_relaxed);
  }
  if (found == nullptr) {
    if (!now) return;
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
  table& present = *table_.load(std::memory_order_relaxed);
  // Not done yet with the last one: it will come to it.
  if (present.next.load(std::memory_order_relaxed) != nullptr) return;
  present.next.store(new table{buckets}, std::memory_order_seq_cst);
}

bool published::is_settled_after(std::size_t buckets_max) {
  move_buckets(buckets_max);
  return table_.load(std::memory_order_relaxed)->next.load(std::memory_order_relaxed) == nullptr;
}

void published::move_buckets(std::size_t most) {
  table* const from = table_.load(std::memory_order_relaxed);
  table* const to = from->next.load(std::memory_order_relaxed);
  if (to == nullptr) return;
  const std::size_t end = std::min(from->buckets.size(), from->moved + most);
  for (; from->moved < end; ++from->moved) {
    std::atomic<node*>& bucket = from->buckets[from->moved];
    node* const chain = bucket.load(std::memory_order_relaxed);
    // New nodes for all: those who read the old chain must find it as it was. Each holds the roster in the old one's
    // place.
    for (const node* one = chain; one != nullptr; one = one->next.load(std::memory_order_relaxed)) {
      std::atomic<node*>& first = to->bucket_of(one->hash);
      first.store(new node{one->hash, one->rows.load(std::memory_order_relaxed), first.load(std::memory_order_relaxed)},
                  std::memory_order_seq_cst);
    }
    bucket.store(&has_moved, std::memory_order_seq_cst);
    if (chain != nullptr) grace_.retire([chain] { delete_chain(chain); });
  }
  if (end < from->buckets.size()) return;
  table_.store(to, std::memory_order_seq_cst);
  grace_.retire([from] { const std::unique_ptr<table> gone{from}; });
}

}  // namespace muster::receptionist
