#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "muster/base/invariant.hpp"
#include "muster/catalog/counted.hpp"
#include "muster/catalog/trie_node.hpp"

namespace muster::catalog {

/// An immutable map by value from keys to shared records: copying it costs one counter, and a copy that is changed
/// shares all but one path with its original. It is a hash trie of 32 branches (Bagwell, "Ideal Hash Trees", 2001),
/// kept canonical as in Steindorfer and Vinju, "Optimizing Hash-Array Mapped Tries" (2015): equal content iterates in
/// equal order, whatever its history.
///
/// `Index` says what is kept and how it is found: `record` (a `counted`), `key`, `key_of(record)`, `hash(key)`; keys
/// are comparable and cheap to copy (views into the record).
///
/// Any thread may read and copy its own copy; one thread changes one copy. Where nodes are not shared they are changed
/// in place, so that loading many records and the second change of a batch copy nothing.
///
/// Cost: a slot of 8 bytes a record, and about as much again for nodes; find, set and erase O(log32 n).
template <typename Index>
class persistent_map {
 public:
  using record = typename Index::record;
  using key = typename Index::key;
  class iterator;

  persistent_map() noexcept = default;
  persistent_map(const persistent_map& other) noexcept : root_{other.root_} {
    if (root_ != nullptr) root_->retain();
  }
  persistent_map(persistent_map&& other) noexcept : root_{std::exchange(other.root_, nullptr)} {}
  persistent_map& operator=(persistent_map other) noexcept {
    std::swap(root_, other.root_);
    return *this;
  }
  ~persistent_map() {
    if (root_ != nullptr) root_->release();
  }

  [[nodiscard]] std::size_t size() const noexcept { return root_ != nullptr ? root_->records() : 0; }
  [[nodiscard]] bool empty() const noexcept { return root_ == nullptr; }

  /// Null if absent. Lives as long as any map that holds it.
  [[nodiscard]] const record* find(const key& wanted) const noexcept { return lookup<false>(root_, wanted); }

  /// The record to be changed in place (never its key), if neither it nor the way to it is shared; else null: then
  /// `set` a changed copy.
  [[nodiscard]] record* find_unshared(const key& wanted) noexcept {
    return const_cast<record*>(lookup<true>(root_, wanted));
  }

  /// Inserts `one`, or replaces the record with its key, which is given back.
  ref<record> set(ref<record> one) noexcept {
    const auto hash = Index::hash(Index::key_of(*one));
    const record* leaf = one.detach();
    if (root_ == nullptr) {
      root_ = node::make(bit_at(hash, 0), 1, 1);
      root_->at(0) = slot{leaf};
      return {};
    }
    root_ = insert(root_, 0, hash, leaf);
    return ref<record>{leaf, false};
  }

  /// Takes the record out and gives it back; null if it was not there.
  ref<record> erase(const key& unwanted) noexcept {
    if (find(unwanted) == nullptr) return {};  // a miss must not copy the path
    const record* taken = nullptr;
    const slot rest = remove(root_, 0, Index::hash(unwanted), unwanted, taken);
    if (rest.is_node()) {
      root_ = rest.below();
    } else if (rest.leaf() == nullptr) {
      root_ = nullptr;
    } else {
      root_ = node::make(bit_at(Index::hash(Index::key_of(*rest.leaf())), 0), 1, 1);
      root_->at(0) = rest;
    }
    return ref<record>{taken, false};
  }

  /// The k-th record of the iteration, k < size(), in O(32 log32 n): a uniform pick.
  [[nodiscard]] const record& nth(std::size_t k) const noexcept {
    MUSTER_INVARIANT(k < size(), "only a record that is there can be picked");
    const node* at = root_;
    for (std::size_t i = 0;;) {
      const slot& here = at->at(i);
      const std::size_t records = here.records();
      if (k >= records) {
        k -= records;
        ++i;
      } else if (here.is_node()) {
        at = here.below();
        i = 0;
      } else {
        return *here.leaf();
      }
    }
  }

  [[nodiscard]] iterator begin() const noexcept { return iterator{root_}; }
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

  template <typename Visitor>
  void for_each(Visitor&& visit) const {
    for (const record& one : *this) visit(one);
  }

 private:
  using node = trie_node<record>;
  using slot = trie_slot<record>;

  static constexpr unsigned bits_per_level = 5;
  static constexpr unsigned hash_bits = 64;
  static constexpr std::size_t levels_max = hash_bits / bits_per_level + 2;  // the last is a node of equal hashes

  [[nodiscard]] static constexpr std::uint32_t bit_at(std::uint64_t hash, unsigned shift) noexcept {
    return std::uint32_t{1} << ((hash >> shift) & 31U);
  }

  template <bool OnlyUnshared>
  [[nodiscard]] static const record* lookup(const node* at, const key& wanted) noexcept {
    if (at == nullptr) return nullptr;
    const auto hash = Index::hash(wanted);
    for (unsigned shift = 0;; shift += bits_per_level) {
      if (OnlyUnshared && !at->is_unshared()) return nullptr;
      if (shift >= hash_bits) return lookup_colliding<OnlyUnshared>(*at, wanted);
      const auto bit = bit_at(hash, shift);
      if ((at->bitmap() & bit) == 0) return nullptr;
      const slot here = at->at(at->position_of(bit));
      if (!here.is_node()) return matching<OnlyUnshared>(*here.leaf(), wanted);
      at = here.below();
    }
  }

  template <bool OnlyUnshared>
  [[nodiscard]] static const record* matching(const record& leaf, const key& wanted) noexcept {
    if (!(Index::key_of(leaf) == wanted)) return nullptr;
    return OnlyUnshared && !leaf.is_unshared() ? nullptr : &leaf;
  }

  template <bool OnlyUnshared>
  [[nodiscard]] static const record* lookup_colliding(const node& at, const key& wanted) noexcept {
    for (std::size_t i = 0, end = at.slots(); i != end; ++i) {
      const record& leaf = *at.at(i).leaf();
      if (Index::key_of(leaf) == wanted) return matching<OnlyUnshared>(leaf, wanted);
    }
    return nullptr;
  }

  /// Takes over the references to `at` and to `leaf`. `leaf` becomes the record that was replaced, or null.
  [[nodiscard]] static node* insert(node* at, unsigned shift, std::uint64_t hash, const record*& leaf) noexcept {
    if (shift >= hash_bits) return insert_colliding(at, leaf);
    const auto bit = bit_at(hash, shift);
    const auto position = at->position_of(bit);
    if ((at->bitmap() & bit) == 0) return at->inserted(position, bit, slot{std::exchange(leaf, nullptr)});

    at = at->unshared();
    const slot here = at->at(position);
    const auto before = here.records();
    if (here.is_node()) {
      at->replace(position, slot{insert(here.below(), shift + bits_per_level, hash, leaf)}, before);
    } else if (Index::key_of(*here.leaf()) == Index::key_of(*leaf)) {
      at->at(position) = slot{std::exchange(leaf, here.leaf())};
    } else {
      const auto other = Index::hash(Index::key_of(*here.leaf()));
      node* both = pair(shift + bits_per_level, here.leaf(), other, std::exchange(leaf, nullptr), hash);
      at->replace(position, slot{both}, before);
    }
    return at;
  }

  [[nodiscard]] static node* insert_colliding(node* at, const record*& leaf) noexcept {
    const key added = Index::key_of(*leaf);
    std::size_t position = 0;
    while (position != at->slots() && Index::key_of(*at->at(position).leaf()) < added) ++position;
    if (position != at->slots() && Index::key_of(*at->at(position).leaf()) == added) {
      at = at->unshared();
      const record* replaced = at->at(position).leaf();
      at->at(position) = slot{std::exchange(leaf, replaced)};
      return at;
    }
    return at->inserted(position, 0, slot{std::exchange(leaf, nullptr)});
  }

  /// A node of two records whose hashes are equal below `shift`.
  [[nodiscard]] static node* pair(unsigned shift, const record* one, std::uint64_t one_hash, const record* two,
                                  std::uint64_t two_hash) noexcept {
    if (shift >= hash_bits) {
      node* both = node::make(0, 2, 2);
      if (Index::key_of(*two) < Index::key_of(*one)) std::swap(one, two);
      both->at(0) = slot{one};
      both->at(1) = slot{two};
      return both;
    }
    const auto one_bit = bit_at(one_hash, shift);
    const auto two_bit = bit_at(two_hash, shift);
    if (one_bit == two_bit) {
      node* way = node::make(one_bit, 1, 2);
      way->at(0) = slot{pair(shift + bits_per_level, one, one_hash, two, two_hash)};
      return way;
    }
    node* both = node::make(one_bit | two_bit, 2, 2);
    both->at(one_bit < two_bit ? 0 : 1) = slot{one};
    both->at(one_bit < two_bit ? 1 : 0) = slot{two};
    return both;
  }

  /// Takes over the reference to `at`, which holds `unwanted`, and gives what remains: a node, or the only record left
  /// (a node of one record would break the canonical form), or nothing.
  [[nodiscard]] static slot remove(node* at, unsigned shift, std::uint64_t hash, const key& unwanted,
                                   const record*& taken) noexcept {
    const std::uint32_t bit = shift < hash_bits ? bit_at(hash, shift) : 0;
    std::size_t position = 0;
    if (bit != 0) {
      position = at->position_of(bit);
    } else {
      while (!(Index::key_of(*at->at(position).leaf()) == unwanted)) ++position;
    }
    if (at->at(position).is_node()) {
      at = at->unshared();
      const slot here = at->at(position);
      const auto before = here.records();
      at->replace(position, remove(here.below(), shift + bits_per_level, hash, unwanted, taken), before);
    } else {
      at = at->removed(position, bit, taken);
    }
    if (at->records() > 1) return slot{at};
    const slot rest = at->records() == 1 ? at->at(0) : slot{};
    at->free_shell();
    return rest;
  }

  node* root_{nullptr};
};

/// Goes through the records in the order of their hashes. It holds no reference: the map must stay.
template <typename Index>
class persistent_map<Index>::iterator {
 public:
  using value_type = record;
  using reference = const record&;
  using pointer = const record*;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::input_iterator_tag;

  iterator() noexcept = default;

  [[nodiscard]] reference operator*() const noexcept {
    return *way_[depth_ - 1].at->at(way_[depth_ - 1].position).leaf();
  }
  [[nodiscard]] pointer operator->() const noexcept { return &**this; }
  iterator& operator++() noexcept {
    ++way_[depth_ - 1].position;
    settle();
    return *this;
  }
  void operator++(int) noexcept { ++*this; }
  [[nodiscard]] friend bool operator==(const iterator& at, std::default_sentinel_t) noexcept { return at.depth_ == 0; }

 private:
  friend class persistent_map;

  struct step {
    const node* at;
    std::size_t position;
  };

  explicit iterator(const node* root) noexcept {
    if (root == nullptr) return;
    way_[depth_++] = {root, 0};
    settle();
  }

  /// Moves on to the next record from where a slot was left or a node entered.
  void settle() noexcept {
    while (depth_ != 0) {
      const step here = way_[depth_ - 1];
      if (here.position == here.at->slots()) {
        if (--depth_ != 0) ++way_[depth_ - 1].position;
      } else if (here.at->at(here.position).is_node()) {
        way_[depth_++] = {here.at->at(here.position).below(), 0};
      } else {
        return;
      }
    }
  }

  std::array<step, levels_max> way_{};
  std::size_t depth_{0};
};

}  // namespace muster::catalog
