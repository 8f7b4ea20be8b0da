#include "sim/peers/site.hpp"

#include <utility>

#include "muster/base/invariant.hpp"

namespace muster::sim::peers {

namespace {
// Far above what the longest run needs.
constexpr std::uint64_t events_max = 50'000'000;
}  // namespace

site::site(const scenario& how, sabotage defect, prng& draws, trace& log)
    : how_{how},
      draws_{draws},
      log_{log},
      net_{{.nodes = how.nodes + how.spare_addresses,
            .keeps_order = how.keeps_order,
            .ends_noticed_percent = how.ends_noticed_percent},
           clock_,
           draws,
           *this},
      checker_{how_, clock_},
      around_{.how = how_,
              .defect = defect,
              .clock = clock_,
              .net = net_,
              .log = log,
              .draws = draws,
              .watch = checker_,
              .on_ended =
                  [this](node_index which) {
                    const auto most = static_cast<std::uint64_t>(restart_after_max_.count());
                    start_later(which, duration{static_cast<duration::rep>(draws_.below(most + 1))});
                  }},
      restart_after_max_{how.restart_after_max},
      residents_(how.nodes + how.spare_addresses) {
  net_.between().set_quality(how.quality);
  for (node_index index = 0; index < how.nodes; ++index) {
    nodes_.push_back(std::make_unique<node>(index, around_));
    residents_[index] = index;
  }
}

site::~site() = default;

void site::move(node_index which, node_index to_host) {
  MUSTER_INVARIANT(!residents_[to_host], "an address is that of one machine");
  residents_[at(which).host()].reset();
  at(which).set_host(to_host);
  residents_[to_host] = which;
}

void site::swap(node_index one, node_index other) {
  const node_index host = at(one).host();
  at(one).set_host(at(other).host());
  at(other).set_host(host);
  residents_[at(one).host()] = one;
  residents_[at(other).host()] = other;
}

void site::start_later(node_index which, duration delay) {
  clock_.after(delay, [this, which] {
    if (!nodes_[which]->runs()) nodes_[which]->start();
  });
}

bool site::step() {
  if (clock_.events_run() > events_max) {
    checker_.on_violation(0, fmt::format("after {} events the cluster runs in circles", events_max));
  }
  return checker_.violation().empty() && clock_.run_one();
}

}  // namespace muster::sim::peers
