#include "sim/peers/ledger.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "sim/digest.hpp"

namespace muster::sim::peers {

std::uint64_t share_of(const gossip::registration& what) {
  digest sum;
  for (const auto text : {what.key.view(), what.what.path.view(), what.what.type.view()}) {
    sum.add(std::uint64_t{text.size()});
    sum.add(text);
  }
  sum.add(what.what.incarnation);
  return sum.value();
}

std::string ledger::enter(const gossip::origin_id& by, gossip::version number, const gossip::registration& what,
                          bool removes) {
  life& of = lives_[by];
  if (number.value() != of.versions.size()) {
    return fmt::format("{} makes its version {} after its version {}", by, number, of.versions.size() - 1);
  }
  at_version next = of.versions.back();
  next.sum += removes ? 0 - share_of(what) : share_of(what);
  next.count += removes ? 0 - std::uint64_t{1} : 1;
  of.versions.push_back(next);
  if (!removes) of.added[what].push_back(number);
  return {};
}

gossip::version ledger::latest(const gossip::origin_id& of) const {
  const auto found = lives_.find(of);
  return gossip::version{found == lives_.end() ? 0 : found->second.versions.size() - 1};
}

ledger::at_version ledger::at(const gossip::origin_id& of, gossip::version number) const {
  const auto found = lives_.find(of);
  return found == lives_.end() ? at_version{} : found->second.versions.at(number.value());
}

bool ledger::ever_registered(const gossip::origin_id& of, const gossip::registration& what) const {
  const auto found = lives_.find(of);
  return found != lives_.end() && found->second.added.contains(what);
}

bool ledger::added_between(const gossip::origin_id& of, const gossip::registration& what, gossip::version after,
                           gossip::version until) const {
  const auto found = lives_.find(of);
  if (found == lives_.end()) return false;
  const auto added = found->second.added.find(what);
  if (added == found->second.added.end()) return false;
  const auto next = std::ranges::upper_bound(added->second, after);
  return next != added->second.end() && *next <= until;
}

std::optional<instant> ledger::gone_since(const gossip::origin_id& who) const {
  const auto found = gone_.find(who);
  return found == gone_.end() ? std::nullopt : std::optional{found->second};
}

}  // namespace muster::sim::peers
