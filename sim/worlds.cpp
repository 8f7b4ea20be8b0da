#include "sim/worlds.hpp"

#include "sim/peers/run.hpp"
#include "sim/replicas/run.hpp"

namespace muster::sim {

namespace {

template <typename Sabotage>
std::vector<std::string_view> names_of(std::size_t count) {
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(to_string(static_cast<Sabotage>(i)));
  return out;
}

run_outcome run_replicas(std::uint64_t seed, const run_style& how) {
  return replicas::run_seed(seed, {static_cast<replicas::sabotage>(how.defect), how.is_long, how.trace});
}

run_outcome run_peers(std::uint64_t seed, const run_style& how) {
  return peers::run_seed(seed, {static_cast<peers::sabotage>(how.defect), how.is_long, how.trace});
}

}  // namespace

const std::vector<world>& worlds() {
  static const std::vector<world> all{
      {"replicas", "changes answered", names_of<replicas::sabotage>(replicas::sabotages), &run_replicas},
      {"peers", "listings told", names_of<peers::sabotage>(peers::sabotages), &run_peers}};
  return all;
}

}  // namespace muster::sim
