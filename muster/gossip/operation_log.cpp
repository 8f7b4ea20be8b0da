#include "muster/gossip/operation_log.hpp"

#include <algorithm>
#include <utility>

namespace muster::gossip {

std::size_t operation_log::bytes_of(const operation& what) noexcept {
  // As if no text were shared: a bound that holds in the worst case.
  return sizeof(logged) + what.what.key.size() + what.what.what.path.size() + what.what.what.type.size();
}

operation_log::position operation_log::append(operation what, const mark& after, position previous) {
  bytes_ += bytes_of(what);
  kept_.push_back({std::move(what), after, previous});
  const position at = first_ + kept_.size() - 1;
  while (!kept_.empty() && (kept_.size() > operations_max_ || bytes_ > bytes_max_)) {
    bytes_ -= bytes_of(kept_.front().what);
    kept_.pop_front();
    ++first_;
  }
  return at;
}

std::optional<std::vector<const operation_log::logged*>> operation_log::since(position last, version base) const {
  std::vector<const logged*> out;
  while (last >= first_ && last < first_ + kept_.size()) {
    const logged& one = kept_[last - first_];
    if (one.after.at <= base) {
      break;
    }
    out.push_back(&one);
    if (one.after.at.value() == base.value() + 1) {
      std::ranges::reverse(out);
      return out;
    }
    last = one.previous;
  }
  return std::nullopt;
}

}  // namespace muster::gossip
