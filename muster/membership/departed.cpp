#include "muster/membership/departed.hpp"

namespace muster::membership {

void departed::add(member_ptr who, standing how, instant forget_at) {
  if (find(who->name, who->incarnation) != nullptr) {
    return;
  }
  if (records_.size() >= count_max_) {
    forget_first();
  }
  const std::uint64_t key = who->key;
  const auto at =
      records_.emplace(key, record{.who = std::move(who), .how = how, .forget_at = forget_at, .told_at = {}});
  by_time_.emplace(std::pair{forget_at, ++arrivals_}, at);
}

departed::record* departed::find(std::string_view name, incarnation of) {
  if (records_.empty()) {
    return nullptr;  // most of the time, and asked for every claim that comes
  }
  const auto [first, last] = records_.equal_range(identity_key(name, of));
  for (auto at = first; at != last; ++at) {
    if (at->second.who->incarnation == of && at->second.who->name == name) {
      return &at->second;
    }
  }
  return nullptr;
}

const departed::record* departed::find(std::string_view name, incarnation of) const {
  return const_cast<departed*>(this)->find(name, of);
}

void departed::forget_until(instant now) {
  while (!by_time_.empty() && by_time_.begin()->first.first <= now) {
    forget_first();
  }
}

instant departed::next_to_forget() const { return by_time_.empty() ? instant_never : by_time_.begin()->first.first; }

void departed::forget_first() {
  records_.erase(by_time_.begin()->second);
  by_time_.erase(by_time_.begin());
}

}  // namespace muster::membership
