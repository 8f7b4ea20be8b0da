#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "muster/membership/member.hpp"
#include "muster/membership/messages.hpp"
#include "muster/membership/slot_index.hpp"

namespace muster::membership {

/// What a participant still has to tell, at most one item for each incarnation. What was told least goes first, then
/// what came last (SWIM, section 4.1); an item is dropped when it has been told often enough. About 60 bytes an item,
/// and none when there is nothing to tell: after many have joined at once, all of them wait here. Inside the folder
/// only.
class news_queue {
 public:
  struct item {
    member_ptr who;
    membership::standing standing{};
    std::uint32_t counter{0};
    incarnation accuser;
    std::uint32_t remembered_s{0};
  };

  /// Replaces what was to be told of the same incarnation.
  void put(item news);
  void clear();

  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return kept_.size() - free_.size() - taken_.size(); }

  /// Appends claims that fit into `space_bytes` to `into`. They point into the queue until `told` is called, which must
  /// follow once they are encoded: it counts the telling and drops what was told `times_max` times.
  void take(std::vector<claim>& into, std::size_t space_bytes);
  void told(std::size_t times_max);

 private:
  using slot = slot_index::slot;

  struct kept : item {
    std::uint32_t times{0};  ///< that it was told
    std::uint64_t age{0};    ///< the later it came, the lower
  };
  static_assert(sizeof(kept) <= 48);

  [[nodiscard]] static std::uint64_t key_of(const member* who) noexcept;
  void drop(slot which);
  /// Those told so many times so far get back in, by age. `group` is in that order.
  void insert(std::size_t times, std::span<const slot> group);
  void take_out(slot which);

  std::vector<kept> kept_;
  std::vector<slot> free_;
  slot_index by_member_;
  std::vector<std::deque<slot>> told_times_;  // by how often they were told: by age, the last to come first
  std::vector<slot> taken_;                   // in the order of taking
  std::uint64_t next_age_{~std::uint64_t{0}};
};

/// The claim that says it; its views point into the item's member.
[[nodiscard]] claim to_claim(const news_queue::item& news) noexcept;

}  // namespace muster::membership
