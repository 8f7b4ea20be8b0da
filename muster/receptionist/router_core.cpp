#include "muster/receptionist/router_core.hpp"

#include "muster/gossip/stable_hash.hpp"

namespace muster::receptionist {

std::uint64_t rendezvous_rank(std::uint64_t key_hash, const actor_address& of) noexcept {
  // Incarnations do not count: an actor that comes back under its name and path gets the same keys.
  const std::uint64_t node = gossip::hash_text(of.node.name);
  return gossip::mixed(key_hash ^ gossip::hash_text(of.path, node));
}

std::size_t load_table::take_least(std::span<const any_ref> candidates) {
  return state_.with([&](state& of) {
    const std::size_t first = of.next % candidates.size();
    std::size_t best = first;
    std::size_t least = static_cast<std::size_t>(-1);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const std::size_t which = (first + i) % candidates.size();
      const auto found = of.counts.find(candidates[which]);
      const std::size_t count = found == of.counts.end() ? 0 : found->second;
      if (count < least) {
        least = count;
        best = which;
      }
      if (least == 0) break;
    }
    of.next = best + 1;
    ++of.counts[candidates[best]];
    return best;
  });
}

void load_table::give_back(const any_ref& whom) {
  state_.with([&](state& of) {
    const auto found = of.counts.find(whom);
    if (found != of.counts.end() && --found->second == 0) of.counts.erase(found);
  });
}

std::size_t load_table::in_flight(const any_ref& whom) const {
  return state_.with([&](const state& of) {
    const auto found = of.counts.find(whom);
    return found == of.counts.end() ? 0 : found->second;
  });
}

std::size_t load_table::size() const {
  return state_.with([](const state& of) { return of.counts.size(); });
}

}  // namespace muster::receptionist
