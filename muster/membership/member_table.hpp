#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "muster/base/prng.hpp"
#include "muster/membership/member.hpp"
#include "muster/membership/messages.hpp"
#include "muster/membership/slot_index.hpp"

namespace muster::membership {

/// The living members as one participant knows them, itself included (in slot 0), with their digest and the order in
/// which they are probed. About 45 bytes a member beside the shared member object. Inside the folder only.
///
/// Always holds: names and addresses are unique; the digest is that of the present content.
class member_table {
 public:
  using slot = slot_index::slot;
  static constexpr slot none = slot_index::none;
  static constexpr slot self = 0;

  struct entry {
    member_ptr who;  ///< none: the slot is free
    std::uint32_t counter{0};
    membership::standing standing{standing::alive};
    bool knows_us{false};  ///< it has answered this incarnation, so a plain ping will do
  };

  [[nodiscard]] const entry& at(slot which) const { return entries_[which]; }
  /// Neither the name nor the address may be in the table.
  slot add(member_ptr who, standing how, std::uint32_t counter, prng& random);
  void remove(slot which);
  void set(slot which, standing how, std::uint32_t counter);
  void set_knows_us(slot which, bool value) { entries_[which].knows_us = value; }

  [[nodiscard]] slot find_name(std::string_view name) const;
  [[nodiscard]] slot find_address(std::string_view address) const;
  /// This very incarnation.
  [[nodiscard]] slot find(std::string_view name, incarnation of) const;
  [[nodiscard]] slot find(const member& who) const { return find(who.name, who.incarnation); }
  /// Before each of them is looked for: has the memory fetched that this will take, for all of them at the same time.
  /// A large table is not in the processor's cache.
  void prefetch(std::span<const claim> claims) const;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Not unreachable.
  [[nodiscard]] std::size_t reachable() const noexcept { return size_ - unreachable_; }
  [[nodiscard]] std::size_t unreachable() const noexcept { return unreachable_; }
  [[nodiscard]] std::size_t suspected() const noexcept { return suspected_; }

  /// Calls `visit(slot)` for every member.
  template <typename Visit>
  void each(const Visit& visit) const {
    for (slot which = 0; which < entries_.size(); ++which) {
      if (entries_[which].who) {
        visit(which);
      }
    }
  }

  /// One of those other than this participant for which `fits(slot)`, each with the same chance; `none` without any.
  template <typename Fits>
  [[nodiscard]] slot pick(prng& random, const Fits& fits) const {
    // Most slots fit in most tables; where a few tries do not find one, the first from a random place on will do.
    constexpr int tries = 16;
    for (int i = 0; i < tries; ++i) {
      const auto which = static_cast<slot>(random.below(entries_.size()));
      if (which != self && entries_[which].who && fits(which)) {
        return which;
      }
    }
    const auto from = static_cast<slot>(random.below(entries_.size()));
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const auto which = static_cast<slot>((from + i) % entries_.size());
      if (which != self && entries_[which].who && fits(which)) {
        return which;
      }
    }
    return none;
  }

  /// The next in the round: every member once in a random order, then a new order (SWIM, section 4.3). `none` if this
  /// participant is alone.
  [[nodiscard]] slot next_to_probe(prng& random);

  /// Over all members: equal for equal tables, in every process. A suspected member counts as alive.
  [[nodiscard]] std::uint64_t root() const noexcept;
  /// The digest by buckets: `count` is a power of two, `buckets_max` at most.
  [[nodiscard]] std::vector<std::uint64_t> buckets(std::size_t count) const;
  /// How many buckets suit a table of this size.
  [[nodiscard]] std::size_t bucket_count() const noexcept;

 private:
  [[nodiscard]] static std::uint64_t digest_of(const entry& one) noexcept;
  void count(const entry& one, bool in);

  std::vector<entry> entries_;
  std::vector<slot> free_;
  slot_index by_name_;
  slot_index by_address_;
  std::size_t size_{0};
  std::size_t unreachable_{0};
  std::size_t suspected_{0};
  std::array<std::uint64_t, buckets_max> digest_{};
  std::vector<slot> order_;  // some may have gone since, or stand here twice after their slot was used again
  std::size_t order_at_{0};
};

}  // namespace muster::membership
