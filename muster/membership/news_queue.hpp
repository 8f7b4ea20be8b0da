#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "muster/membership/member.hpp"
#include "muster/membership/messages.hpp"

namespace muster::membership {

/// What a participant still has to tell, at most one item for each incarnation. What was told least goes first, then
/// what came last (SWIM, section 4.1); an item is dropped when it has been told often enough. Inside the folder only.
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

  [[nodiscard]] bool empty() const noexcept { return waiting_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return waiting_.size(); }

  /// Appends claims that fit into `space_bytes` to `into`. They point into the queue until `told` is called, which must
  /// follow once they are encoded: it counts the telling and drops what was told `times_max` times.
  void take(std::vector<claim>& into, std::size_t space_bytes);
  void told(std::size_t times_max);

 private:
  struct place {
    std::size_t times{0};
    std::uint64_t age{0};  // the later an item came, the lower

    friend auto operator<=>(const place&, const place&) = default;
  };
  using by_place = std::map<place, item>;

  by_place waiting_;
  std::unordered_map<const member*, place> places_;
  std::vector<by_place::node_type> taken_;
  std::uint64_t next_age_{~std::uint64_t{0}};
};

/// The claim that says it; its views point into the item's member.
[[nodiscard]] claim to_claim(const news_queue::item& news) noexcept;

}  // namespace muster::membership
