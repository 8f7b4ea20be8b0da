#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include <boost/smart_ptr/intrusive_ptr.hpp>

namespace muster::catalog {

template <typename Record>
class trie_node;

/// One slot of a trie's node: a record or a node below, which the lowest bit of the pointer tells. It owns nothing by
/// itself; the node that it lies in does.
template <typename Record>
class trie_slot {
 public:
  trie_slot() noexcept = default;
  explicit trie_slot(const Record* leaf) noexcept : bits_{reinterpret_cast<std::uintptr_t>(leaf)} {}
  explicit trie_slot(trie_node<Record>* below) noexcept : bits_{reinterpret_cast<std::uintptr_t>(below) | 1U} {}

  [[nodiscard]] bool is_node() const noexcept { return (bits_ & 1U) != 0; }
  [[nodiscard]] const Record* leaf() const noexcept { return reinterpret_cast<const Record*>(bits_); }
  [[nodiscard]] trie_node<Record>* below() const noexcept {
    return reinterpret_cast<trie_node<Record>*>(bits_ & ~std::uintptr_t{1});
  }
  [[nodiscard]] std::size_t records() const noexcept { return is_node() ? below()->records() : 1; }

  void retain() const noexcept {
    if (is_node()) {
      below()->retain();
    } else {
      intrusive_ptr_add_ref(leaf());
    }
  }
  void release() const noexcept {
    if (is_node()) {
      below()->release();
    } else {
      intrusive_ptr_release(leaf());
    }
  }

 private:
  std::uintptr_t bits_{0};
};

/// A node of the trie inside `persistent_map`: 16 bytes and its slots, in one heap block.
///
/// A node with a bitmap has a slot for each bit set, in the order of the bits. A node without one holds records whose
/// whole hashes are equal, in the order of their keys. Functions that change a node take over the caller's reference
/// and give one back: to the node itself if the caller's was the only one, else to a changed copy.
template <typename Record>
class trie_node {
 public:
  using slot = trie_slot<Record>;

  /// Of `slots` slots, not yet filled, with one reference. Running out of memory ends the process: half a change is
  /// worse.
  [[nodiscard]] static trie_node* make(std::uint32_t bitmap, std::size_t slots, std::size_t records) noexcept {
    // The allocator deals in steps of 16 bytes, so with the header an odd number of slots wastes nothing.
    const auto capacity = static_cast<std::uint32_t>(slots | 1U);
    void* memory = ::operator new(sizeof(trie_node) + capacity * sizeof(slot));
    return new (memory) trie_node{bitmap, static_cast<std::uint32_t>(records), capacity};
  }

  [[nodiscard]] std::uint32_t bitmap() const noexcept { return bitmap_; }
  [[nodiscard]] std::size_t records() const noexcept { return records_; }
  [[nodiscard]] std::size_t slots() const noexcept {
    return bitmap_ != 0 ? static_cast<std::size_t>(std::popcount(bitmap_)) : records_;
  }
  [[nodiscard]] slot* begin() noexcept { return reinterpret_cast<slot*>(this + 1); }
  [[nodiscard]] const slot* begin() const noexcept { return reinterpret_cast<const slot*>(this + 1); }
  [[nodiscard]] slot& at(std::size_t position) noexcept { return begin()[position]; }
  [[nodiscard]] const slot& at(std::size_t position) const noexcept { return begin()[position]; }
  [[nodiscard]] std::size_t position_of(std::uint32_t bit) const noexcept {
    return static_cast<std::size_t>(std::popcount(bitmap_ & (bit - 1)));
  }

  [[nodiscard]] bool is_unshared() const noexcept { return references_.load(std::memory_order_acquire) == 1; }
  void retain() const noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (!is_unshared() && references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    for (std::size_t i = 0, end = slots(); i != end; ++i) at(i).release();
    free_shell();
  }

  [[nodiscard]] trie_node* unshared() noexcept {
    return is_unshared() ? this : moved_to(make(bitmap_, slots(), records_));
  }

  /// Puts `added`, whose reference it takes over, at `position`; `bit` is 0 in a node of equal hashes.
  [[nodiscard]] trie_node* inserted(std::size_t position, std::uint32_t bit, slot added) noexcept {
    const std::size_t before = slots();
    trie_node* result = this;
    if (!is_unshared() || before == capacity_) {
      result = moved_to(make(bitmap_, before + 1, records_));
    }
    std::memmove(static_cast<void*>(result->begin() + position + 1), result->begin() + position,
                 (before - position) * sizeof(slot));
    result->at(position) = added;
    result->bitmap_ |= bit;
    result->records_ += static_cast<std::uint32_t>(added.records());
    return result;
  }

  /// Takes the record at `position` out; its reference becomes the caller's.
  [[nodiscard]] trie_node* removed(std::size_t position, std::uint32_t bit, const Record*& taken) noexcept {
    trie_node* result = unshared();
    const std::size_t before = result->slots();
    taken = result->at(position).leaf();
    std::memmove(static_cast<void*>(result->begin() + position), result->begin() + position + 1,
                 (before - position - 1) * sizeof(slot));
    result->bitmap_ &= ~bit;
    result->records_ -= 1;
    return result;
  }

  /// Replaces what hangs at `position` of an unshared node. References are the caller's business.
  void replace(std::size_t position, slot by, std::size_t records_before) noexcept {
    at(position) = by;
    records_ = static_cast<std::uint32_t>(records_ - records_before + by.records());
  }

  /// Frees the node alone; its slots' references have gone elsewhere.
  void free_shell() noexcept {
    this->~trie_node();
    ::operator delete(static_cast<void*>(this));
  }

 private:
  trie_node(std::uint32_t bitmap, std::uint32_t records, std::uint32_t capacity) noexcept
      : bitmap_{bitmap}, records_{records}, capacity_{capacity} {}
  ~trie_node() = default;

  /// Fills `target`, which has room, with this node's slots and gives up the caller's reference to this node.
  trie_node* moved_to(trie_node* target) noexcept {
    const std::size_t count = slots();
    std::memcpy(static_cast<void*>(target->begin()), begin(), count * sizeof(slot));
    if (is_unshared()) {
      free_shell();
    } else {
      for (std::size_t i = 0; i != count; ++i) target->at(i).retain();
      release();
    }
    return target;
  }

  mutable std::atomic<std::uint32_t> references_{1};
  std::uint32_t bitmap_;
  std::uint32_t records_;  // in this node and below it
  std::uint32_t capacity_;
};

}  // namespace muster::catalog
