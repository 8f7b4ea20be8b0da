#include "muster/locator/turn_counters.hpp"

#include "muster/catalog/hash.hpp"

namespace muster::locator {

turn_counters::turn_counters() : places_{std::make_unique<std::array<place, places>>()} {}

std::uint32_t turn_counters::take(std::string_view group) noexcept {
  const std::uint64_t hash = catalog::hash_bytes(group) | 1U;  // never the mark of a free place
  // The low bit says nothing any more.
  const std::size_t home = static_cast<std::size_t>(hash >> 1U) % places;
  for (std::size_t probe = 0; probe < probes_max; ++probe) {
    place& here = (*places_)[(home + probe) % places];
    std::uint64_t owner = here.group.load(std::memory_order_relaxed);
    // On failure the exchange leaves in `owner` who was faster, perhaps this same group on another thread.
    if (owner == 0 && here.group.compare_exchange_strong(owner, hash, std::memory_order_relaxed)) owner = hash;
    if (owner == hash) return here.turns.fetch_add(1, std::memory_order_relaxed);
  }
  return (*places_)[home].turns.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace muster::locator
