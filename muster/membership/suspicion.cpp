#include "muster/membership/suspicion.hpp"

#include <algorithm>
#include <cmath>

namespace muster::membership {

double cluster_scale(std::size_t members) noexcept {
  return std::max(1.0, std::log10(static_cast<double>(std::max<std::size_t>(members, 1))));
}

suspicion::suspicion(const options& how, std::size_t members, incarnation first_accuser, instant now)
    : began_{now},
      min_{static_cast<duration::rep>(static_cast<double>(how.suspicion_time.count()) * cluster_scale(members))},
      max_{static_cast<duration::rep>(static_cast<double>(min_.count()) * how.suspicion_max_factor)},
      // Neither the suspected member nor the first accuser can confirm.
      wanted_{std::min(how.suspicion_confirmations, members > 2 ? members - 2 : 0)},
      accusers_{first_accuser} {}

bool suspicion::confirm(incarnation accuser) {
  if (accusers_.size() > wanted_ || std::ranges::find(accusers_, accuser) != accusers_.end()) {
    return false;
  }
  accusers_.push_back(accuser);
  return true;
}

instant suspicion::deadline() const {
  if (wanted_ == 0) {
    return began_ + min_;
  }
  const double share = std::log(static_cast<double>(accusers_.size())) / std::log(static_cast<double>(wanted_) + 1.0);
  const double wait = static_cast<double>(max_.count()) - share * static_cast<double>((max_ - min_).count());
  return began_ + std::max(min_, duration{static_cast<duration::rep>(wait)});
}

}  // namespace muster::membership
