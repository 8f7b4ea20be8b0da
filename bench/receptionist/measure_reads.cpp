#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "bench/receptionist/measures.hpp"

namespace muster::bench {

namespace {

constexpr int members = 100;

double per_second(std::size_t count, std::int64_t took_ns) {
  return static_cast<double>(count) / (static_cast<double>(took_ns) / 1e9);
}

}  // namespace

void measure_reads(receptionist_context& with) {
  const row lookup{.measurement = "reads",
                   .what = "lookup of a key with 100 remote members",
                   .unit = "1/s",
                   .targets = {at_least(20)}};
  const row find{
      .measurement = "reads", .what = "likewise by message, one at a time", .unit = "1/s", .targets = {at_least(3)}};
  measure_in_turns(with, {lookup, find}, [&](side which) {
    fleet nodes{with, which};
    auto& a = nodes[0];
    auto& b = nodes[1];
    b.ask("follow crowd");
    a.ask(fmt::format("spawn {}", members));
    a.ask("crowd crowd");
    b.ask(fmt::format("await crowd {}", members));
    const auto lookups = with.scaled(which == side::pg ? 200'000 : 5'000'000);
    const auto finds = with.scaled(100'000);
    const auto looked = b.ask(fmt::format("lookup crowd {}", lookups));
    if (looked.at(1) != members) throw std::runtime_error{"a lookup has not found all"};
    const auto found = b.ask(fmt::format("find crowd {}", finds));
    return std::vector{per_second(lookups, looked.at(0)), per_second(finds, found.at(0))};
  });
}

void measure_throughput(receptionist_context& with) {
  const auto count = with.scaled(100'000);
  for (const std::size_t nodes : {std::size_t{3}, std::size_t{1}}) {
    const row rate{.measurement = "throughput",
                   .what = fmt::format("register and deregister on one node {}, acknowledged, 64 outstanding (pg: "
                                       "synchronous)",
                                       nodes == 1 ? "that is alone" : "of three"),
                   .unit = "1/s",
                   .targets = {at_least(3)}};
    measure_in_turns(with, {rate}, [&](side which) {
      fleet these{with, which, nodes};
      these[0].ask(fmt::format("churn {} 64", count / 10));  // to warm up
      const auto took = these[0].ask(fmt::format("churn {} 64", count)).at(0);
      return std::vector{per_second(2 * count, took)};
    });
  }
}

}  // namespace muster::bench
