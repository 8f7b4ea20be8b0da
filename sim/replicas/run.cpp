#include "sim/replicas/run.hpp"

#include "sim/replicas/cluster.hpp"
#include "sim/replicas/recovery.hpp"
#include "sim/replicas/trouble_maker.hpp"

namespace muster::sim::replicas {

using std::chrono::milliseconds;

run_outcome run_seed(std::uint64_t seed, const run_options& options) {
  prng draws{seed};
  const scenario how = scenario::of_seed(draws, options.is_long);
  trace log{options.trace};
  run_outcome out;
  out.seed = seed;
  out.how = how.describe();

  cluster all{how, options.defect, draws, log};
  log.line(all.clock().now(), "sim", "seed {}: {}", seed, out.how);
  trouble_maker troubles{all, options.defect};
  for (node_index i = 0; i < all.size(); ++i) {
    all.intended(i).order.role = i == 0 ? replication::role::master : replication::role::slave;
    all.start_later(i, milliseconds{draws.chance(1, 3) ? static_cast<std::int64_t>(draws.below(3000)) : 1});
  }
  all.begin_calls();
  troubles.begin();
  const instant calm = all.clock().now() + how.safety_lasts;
  while (all.clock().now() < calm && all.step()) {
  }
  troubles.end();
  all.end_calls();
  if (all.watch().violation().empty()) {
    recovery{all}.run();
  }
  if (all.watch().violation().empty()) {
    for (node_index i = 0; i < all.size(); ++i) {
      all.watch().check_deeply(i);
      all.watch().check_finally(i, how.habit == operator_habit::careful);
    }
  }

  close(out, all.watch().violation(), all.clock(), log);
  out.events_of_kind = all.events();
  out.achieved = all.watch().answered();
  return out;
}

}  // namespace muster::sim::replicas
