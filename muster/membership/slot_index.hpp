#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "muster/base/invariant.hpp"
#include "muster/base/spare.hpp"

namespace muster::membership {

/// Finds slots of a table by a 64-bit key that the table can compute from a slot: four bytes a cell, nothing else,
/// since a simulation holds one for each of 10,000 participants. Eight bits of a cell are of the key, so that the table
/// is rarely asked about a slot that is not the one. Open addressing with linear probing; erasing moves later cells
/// back (Knuth, The Art of Computer Programming, volume 3, section 6.4, algorithm R), so nothing is left behind.
class slot_index {
 public:
  using slot = std::uint32_t;
  static constexpr slot none = 0xffffffffU;
  /// Slots are below it.
  static constexpr slot slots_max = 0x00ffffffU;

  /// The slot with this key for which `is_it(slot)` is true, or `none`.
  template <typename IsIt>
  [[nodiscard]] slot find(std::uint64_t key, const IsIt& is_it) const {
    if (cells_.empty()) {
      return none;
    }
    const std::uint32_t tag = tag_of(key);
    for (std::size_t at = home(key); cells_[at] != none; at = next(at)) {
      if ((cells_[at] & tag_mask) == tag && is_it(slot_of(cells_[at]))) {
        return slot_of(cells_[at]);
      }
    }
    return none;
  }

  /// For those who are going to look for many: has the memory fetched that `find` will read.
  void prefetch(std::uint64_t key) const noexcept {
    if (!cells_.empty()) {
      __builtin_prefetch(&cells_[home(key)]);
    }
  }
  /// What `find` will most likely ask about first, or `none`.
  [[nodiscard]] slot guess(std::uint64_t key) const noexcept {
    return find(key, [](slot) { return true; });
  }

  /// `key_of(slot)` gives the key of any slot that is in here.
  template <typename KeyOf>
  void insert(slot which, const KeyOf& key_of) {
    MUSTER_INVARIANT(which < slots_max, "a cell has 24 bits for the slot");
    if (4 * (used_ + 1) > 3 * cells_.size()) {
      grow(key_of);
    }
    place(which, key_of(which));
    ++used_;
  }

  template <typename KeyOf>
  void erase(slot which, const KeyOf& key_of) {
    std::size_t hole = home(key_of(which));
    while (slot_of(cells_[hole]) != which) {
      hole = next(hole);
    }
    for (std::size_t at = next(hole); cells_[at] != none; at = next(at)) {
      // A cell may move into the hole if its home does not lie between the hole and itself.
      const std::size_t from_home = (at - home(key_of(slot_of(cells_[at])))) & mask();
      const std::size_t from_hole = (at - hole) & mask();
      if (from_home >= from_hole) {
        cells_[hole] = cells_[at];
        hole = at;
      }
    }
    cells_[hole] = none;
    --used_;
  }

  void clear() noexcept {
    give_back(cells_);
    used_ = 0;
  }

 private:
  using cell = std::uint32_t;
  static constexpr cell tag_mask = 0xff000000U;

  /// The upper bits: the lower ones say where its home is.
  [[nodiscard]] static cell tag_of(std::uint64_t key) noexcept { return static_cast<cell>(key >> 32U) & tag_mask; }
  [[nodiscard]] static slot slot_of(cell of) noexcept { return of & ~tag_mask; }
  [[nodiscard]] std::size_t mask() const noexcept { return cells_.size() - 1; }
  [[nodiscard]] std::size_t home(std::uint64_t key) const noexcept { return static_cast<std::size_t>(key) & mask(); }
  [[nodiscard]] std::size_t next(std::size_t at) const noexcept { return (at + 1) & mask(); }

  void place(slot which, std::uint64_t key) {
    std::size_t at = home(key);
    while (cells_[at] != none) {
      at = next(at);
    }
    cells_[at] = tag_of(key) | which;
  }

  template <typename KeyOf>
  void grow(const KeyOf& key_of) {
    const std::vector<cell> old = std::exchange(cells_, {});
    cells_.assign(std::max<std::size_t>(8, 2 * old.size()), none);
    for (const cell one : old) {
      if (one != none) {
        place(slot_of(one), key_of(slot_of(one)));
      }
    }
  }

  std::vector<cell> cells_;  // a power of two, or empty
  std::size_t used_{0};
};

}  // namespace muster::membership
