#include <vector>

#include <fmt/format.h>

#include "bench/receptionist/follower.hpp"
#include "bench/receptionist/measures.hpp"

namespace muster::bench {

namespace {

constexpr std::size_t samples = 100;

// From before the kill until the last of the lost node's registrations has gone from what the survivor shows as
// reachable. Subscribers to keys that are spread over all of them tell when; afterwards all keys are looked at.
double lose_a_node(receptionist_context& with, side which, std::size_t count) {
  fleet nodes{with, which};
  auto& lost = nodes[2];
  auto& survivor = nodes[1];
  lost.ask(fmt::format("fill lost- {}", count));
  survivor.ask(fmt::format("sample lost- {} {}", count, samples));
  survivor.say(fmt::format("gone lost- {}", count));
  const auto begin = now_ns();
  lost.of().kill();
  return static_cast<double>(survivor.hear().at(0) - begin) / 1e6;
}

}  // namespace

void measure_loss(receptionist_context& with) {
  for (const std::size_t count : {std::size_t{10}, with.scaled(200'000)}) {
    const row line{.measurement = "loss",
                   .what = fmt::format("kill -9 of a node with {} registrations → all gone from remote refs", count),
                   .unit = "ms",
                   .targets = {at_most(2), at_most(1'000, target::kind::absolute)}};
    measure_in_turns(with, {line}, [&](side which) { return std::vector{lose_a_node(with, which, count)}; });
  }
}

}  // namespace muster::bench
