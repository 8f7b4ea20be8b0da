#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "muster/receptionist/grace.hpp"
#include "muster/receptionist/roster.hpp"
#include "muster/receptionist/service_key.hpp"

namespace muster::receptionist {

/// The rosters that are valid now, by key: a hash table with one writer, read by any thread without waiting.
///
/// It grows and shrinks a few buckets with each change, so that no change takes long: readers find in a bucket either
/// its rosters or that they have moved to the next table.
///
/// Which nodes cannot be reached is said once for all of them, so that it changes for all at once, however many they
/// are. A roster that was put when others were unreachable is seen with those of now.
class published {
 public:
  published();
  published(const published&) = delete;
  published& operator=(const published&) = delete;
  ~published();

  /// Any thread: a few loads and two counters. Null for a key that nobody is registered under. It costs a new roster,
  /// of the same chunks, where the one that was put says of some of its rows what does not hold any more.
  [[nodiscard]] roster_ptr find(const any_key& key) const;

  // --- the writer ---

  /// Likewise, without counting.
  [[nodiscard]] const roster* peek(const any_key& key) const noexcept;
  /// From now on readers find this one; null for none.
  void put(const any_key& key, roster_ptr now);
  /// From now on these are unreachable, under all keys.
  void set_unreachable(unreachable_ptr now);
  /// Keys from the given bucket on, about so many, whose rosters were put with others unreachable than are now, and
  /// show it: to be put anew, so that readers need not correct them. `next` is where to go on; 0 when that was all.
  struct outdated {
    std::vector<any_key> keys;
    std::size_t next{0};
  };
  [[nodiscard]] outdated find_outdated(std::size_t from_bucket, std::size_t buckets_max) const;
  /// Moves so many buckets, where the table is being changed for one of another size; true when none are left to be
  /// moved, which `find_outdated` needs.
  bool is_settled_after(std::size_t buckets_max);
  [[nodiscard]] std::size_t bucket_count() const noexcept {
    return table_.load(std::memory_order_relaxed)->buckets.size();
  }
  /// Lets go of what no reader can see any more.
  void sweep() { grace_.sweep(); }
  [[nodiscard]] std::size_t key_count() const noexcept { return keys_; }
  [[nodiscard]] std::size_t kept() const noexcept { return grace_.kept(); }

 private:
  struct node {
    std::uint64_t hash;               ///< of the key, which stands in the rows
    std::atomic<const roster*> rows;  ///< never null; holds one count of it
    std::atomic<node*> next;
  };
  struct table {
    explicit table(std::size_t size) : buckets(size) {}
    std::vector<std::atomic<node*>> buckets;  ///< a power of two of them
    std::atomic<table*> next{nullptr};        ///< where the first buckets have moved to
    std::size_t moved{0};                     ///< how many; the writer's

    [[nodiscard]] std::atomic<node*>& bucket_of(std::uint64_t hash) noexcept {
      return buckets[static_cast<std::size_t>(hash) & (buckets.size() - 1)];
    }
  };

  [[nodiscard]] static bool is_of(const node& one, const any_key& key, std::memory_order order) noexcept {
    return one.hash == key.hash() && one.rows.load(order)->key() == key.text();
  }
  /// Stands in a bucket that has moved.
  static inline node has_moved{0, nullptr, nullptr};

  [[nodiscard]] static const roster* find_in(table& in, const any_key& key, std::memory_order order) noexcept;
  /// The bucket where a key is to be found now.
  [[nodiscard]] static std::atomic<node*>& bucket_for(table& in, std::uint64_t hash, std::memory_order order) noexcept;
  void resize(std::size_t buckets);
  void move_buckets(std::size_t most);
  static void delete_chain(node* first) noexcept;
  static void release(const roster* rows) noexcept { (void)roster_ptr{rows, false}; }

  mutable grace grace_;
  std::atomic<table*> table_;
  std::atomic<const unreachable_origins*> unreachable_{nullptr};  ///< holds one count of it
  std::size_t keys_{0};
};

}  // namespace muster::receptionist
