#include "muster/receptionist/grace.hpp"

#include <algorithm>
#include <utility>

namespace muster::receptionist {

bool grace::is_empty(std::size_t column) const noexcept {
  return std::ranges::all_of(
      stripes_, [&](const stripe& one) { return one.reading[column].load(std::memory_order_seq_cst) == 0; });
}

void grace::sweep() {
  if (leaving_.empty()) {
    if (retired_.empty()) return;
    leaving_ = std::exchange(retired_, {});
    seen_empty_ = {};
  }
  for (int look = 0; look < 2; ++look) {
    const std::size_t present = column_.load(std::memory_order_relaxed) & 1U;
    // The column that gets no new readers; then the other one, which from then on gets none.
    const std::size_t former = present ^ 1U;
    if (!seen_empty_[former]) {
      if (!is_empty(former)) return;
      seen_empty_[former] = true;
    }
    if (seen_empty_[present]) break;
    column_.store(former, std::memory_order_seq_cst);
  }
  if (!seen_empty_[0] || !seen_empty_[1]) return;
  // What is let go may be long lists of refs, whose end runs code of others: not while this is half done.
  for (task& one : std::exchange(leaving_, {})) one();
}

}  // namespace muster::receptionist
