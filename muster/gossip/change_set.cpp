#include "muster/gossip/change_set.hpp"

#include <utility>

namespace muster::gossip {

bool change_set::number_equal::operator()(const probe& left, std::uint32_t right) const noexcept {
  const change& other = (*all)[right].what;
  return (*all)[right].hash == left.hash && other.key == left.what.key && other.origin == left.what.origin &&
         other.what == left.what.what;
}

void change_set::note(change what, std::uint64_t hash) {
  // Only an opposite can cancel: what vanishes looks for anything, what appears looks for something that vanished.
  const bool may_cancel = !noted_.empty() && (what.vanished || vanished_ > 0);
  if (may_cancel && !is_indexed_) {
    index_.reserve(noted_.size());
    for (std::size_t i = 0; i < noted_.size(); ++i) {
      index_.insert(static_cast<std::uint32_t>(i));
    }
    is_indexed_ = true;
  }
  if (may_cancel) {
    if (const auto found = index_.find(probe{what, hash}); found != index_.end()) {
      noted& other = noted_[*found];
      vanished_ -= other.what.vanished ? 1 : 0;
      index_.erase(found);
      other.cancelled = true;
      return;
    }
  }
  vanished_ += what.vanished ? 1 : 0;
  noted_.push_back({std::move(what), hash});
  if (is_indexed_) {
    index_.insert(static_cast<std::uint32_t>(noted_.size() - 1));
  }
}

std::vector<change> change_set::take() {
  std::vector<change> out;
  if (noted_.empty()) {
    return out;
  }
  out.reserve(noted_.size());
  for (noted& one : noted_) {
    if (!one.cancelled) {
      out.push_back(std::move(one.what));
    }
  }
  // New ones rather than cleared ones: one large turn must not cost memory for good.
  index_ = decltype(index_){0, number_hash{&noted_}, number_equal{&noted_}};
  noted_ = std::vector<noted>{};
  vanished_ = 0;
  is_indexed_ = false;
  return out;
}

}  // namespace muster::gossip
