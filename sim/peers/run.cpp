#include "sim/peers/run.hpp"

#include "sim/peers/recovery.hpp"
#include "sim/peers/site.hpp"
#include "sim/peers/trouble_maker.hpp"
#include "sim/peers/workload.hpp"

namespace muster::sim::peers {

using std::chrono::milliseconds;

run_outcome run_seed(std::uint64_t seed, const run_options& options) {
  prng draws{seed};
  const scenario how = scenario::of_seed(draws, options.is_long);
  trace log{options.trace};
  run_outcome out;
  out.seed = seed;
  out.how = how.describe();

  site all{how, options.defect, draws, log};
  log.line(all.clock().now(), "sim", "seed {}: {}", seed, out.how);
  trouble_maker troubles{all};
  workload callers{all};
  for (node_index i = 0; i < all.size(); ++i) {
    all.start_later(i, milliseconds{draws.chance(1, 3) ? static_cast<std::int64_t>(draws.below(3000)) : 1});
  }
  callers.begin();
  troubles.begin();
  const instant calm = all.clock().now() + how.safety_lasts;
  while (all.clock().now() < calm && all.step()) {
  }
  troubles.end();
  callers.end();
  recovery after{all, callers};
  if (all.watch().violation().empty()) after.run();
  if (all.watch().violation().empty()) {
    for (node_index i = 0; i < all.size(); ++i) all.watch().listings(i).check_all(all.at(i).front()->shown());
  }

  close(out, all.watch().violation(), all.clock(), log);
  out.events_of_kind = all.watch().happened();
  out.achieved = all.watch().listings_told();
  return out;
}

}  // namespace muster::sim::peers
