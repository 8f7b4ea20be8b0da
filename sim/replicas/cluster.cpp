#include "sim/replicas/cluster.hpp"

#include <utility>

namespace muster::sim::replicas {

using std::chrono::milliseconds;

namespace {
// Far above what the longest run needs.
constexpr std::uint64_t events_max = 20'000'000;
}  // namespace

cluster::cluster(const scenario& how, sabotage defect, prng& draws, trace& log)
    : how_{how},
      draws_{draws},
      log_{log},
      net_{{.nodes = how.nodes, .style = how.transport, .ends_noticed_percent = how.ends_noticed_percent},
           clock_,
           draws,
           log,
           *this},
      world_{.how = how_, .defect = defect, .clock = clock_, .net = net_, .log = log, .draws = draws, .watch = *this},
      checker_{nodes_, how_, clock_},
      work_{draws, how.names, how.invalid_percent},
      intended_(how.nodes) {
  net_.between().set_quality(how.quality);
  for (node_index index = 0; index < how.nodes; ++index) {
    nodes_.push_back(std::make_unique<node>(index, world_));
  }
}

cluster::~cluster() = default;

void cluster::start_now(node_index which) {
  if (nodes_[which]->runs()) return;
  intention& wanted = intended_[which];
  const start_order order = wanted.order;
  wanted.order.force = false;
  wanted.order.copy_from.reset();
  nodes_[which]->start(order);
}

void cluster::start_later(node_index which, duration delay) {
  clock_.after(delay, [this, which] {
    if (intended_[which].restarts) start_now(which);
  });
}

void cluster::on_ended(node_index which, bool refused_to_start) {
  checker_.on_ended(which);
  if (refused_to_start && refused_start_) {
    // Not within the turn that ends.
    clock_.after(milliseconds{1}, [this, which] { refused_start_(which); });
  }
  start_later(which, milliseconds{100 + static_cast<std::int64_t>(draws_.below(3000))});
}

void cluster::on_completion(node_index which, ticket of, const result<replication::serial>& outcome) {
  log_.line(clock_.now(), nodes_[which]->name(), "answers call {}: {}", of,
            outcome ? fmt::format("serial {}", *outcome) : outcome.error().message);
  if (outcome) succeeded_.insert(of);
  checker_.on_completion(which, of, outcome);
}

void cluster::on_event(node_index, const replication::event& what) {
  const auto kind = static_cast<std::size_t>(what.kind);
  if (events_.size() <= kind) events_.resize(kind + 1);
  ++events_[kind];
}

ticket cluster::call(node_index which) {
  const ticket of{++tickets_};
  const wanted_change wanted = work_.next();
  log_.line(clock_.now(), nodes_[which]->name(), "call {}: {}", of, wanted.what);
  checker_.on_proposal(which, of, wanted);
  nodes_[which]->propose(of, wanted.encoded);
  return of;
}

void cluster::begin_calls() {
  calling_ = true;
  call_again();
}

void cluster::call_again() {
  const auto about = static_cast<std::uint64_t>(how_.change_interval.count());
  clock_.after(duration{static_cast<duration::rep>(about / 4 + draws_.below(about * 3 / 2))}, [this] {
    if (!calling_) return;
    call_again();
    std::vector<node_index> targets;
    const bool misdirected = draws_.chance(how_.misdirected_percent, 100);
    for (const auto& one : nodes_) {
      if (one->runs() && (misdirected || one->core()->takes_changes())) targets.push_back(one->index());
    }
    if (targets.empty()) return;
    const node_index target = targets[draws_.below(targets.size())];
    for (std::size_t left = 1 + draws_.below(how_.burst_max); left > 0 && nodes_[target]->runs(); --left) {
      if (draws_.chance(how_.barrier_percent, 100)) {
        const ticket of{++tickets_};
        checker_.on_barrier(target, of);
        nodes_[target]->barrier(of);
      } else {
        call(target);
      }
    }
  });
}

bool cluster::step() {
  if (clock_.events_run() > events_max) {
    checker_.on_violation(fmt::format("after {} events the cluster runs in circles", events_max));
  }
  return checker_.violation().empty() && clock_.run_one();
}

}  // namespace muster::sim::replicas
