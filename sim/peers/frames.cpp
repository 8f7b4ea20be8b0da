#include "sim/peers/frames.hpp"

#include <algorithm>

namespace muster::sim::peers {

void frames::process_started(node_index at) {
  machines_[at].life = ++lives_given_;
  machines_[at].answers = true;
}

void frames::process_ended(node_index at, bool host_answers) {
  machine& here = machines_[at];
  here.life = 0;
  here.answers = host_answers;
  for (machine& one : machines_) one.connected.erase(at);
  for (const node_index other : std::exchange(here.connected, {})) {
    if (host_answers) tell_lost(other, at);
  }
}

void frames::send(node_index from, node_index to, cluster::channel on, cluster::shared_frame frame) {
  if (links_.is_cut(from, to) || links_.loses()) return;
  const std::uint64_t life = options_.keeps_order ? machines_[to].life : 0;
  if (options_.keeps_order) {
    instant& last = last_arrivals_[{from, to, on}];
    last = std::max(last, clock_.now() + links_.delay());
    clock_.at(last, [this, from, to, life, sent = std::move(frame)] { arrive(from, to, life, sent); });
    return;
  }
  if (links_.doubles()) {
    clock_.after(links_.delay(), [this, from, to, life, sent = frame] { arrive(from, to, life, sent); });
  }
  clock_.after(links_.delay(), [this, from, to, life, sent = std::move(frame)] { arrive(from, to, life, sent); });
}

void frames::arrive(node_index from, node_index to, std::uint64_t life, const cluster::shared_frame& frame) {
  machine& there = machines_[to];
  if (there.life == 0) {
    if (there.answers) tell_refused(from, to);
    return;
  }
  if (life != 0 && life != there.life) return;  // It went down with the connection to the process before.
  if (options_.ends_noticed_percent > 0 && machines_[from].life != 0) there.connected.insert(from);
  receiver_.deliver(to, frame);
}

void frames::break_connection(node_index from, node_index to) {
  tell_lost(from, to);
  tell_lost(to, from);
}

void frames::tell_lost(node_index whom, node_index of) {
  if (!draws_.chance(options_.ends_noticed_percent, 100)) return;
  clock_.after(links_.delay(), [this, whom, of, life = machines_[whom].life] {
    if (life == 0 || life != machines_[whom].life || links_.is_cut(of, whom)) return;
    receiver_.connection_lost(whom, of);
  });
}

void frames::tell_refused(node_index whom, node_index by) {
  if (!draws_.chance(options_.ends_noticed_percent, 100)) return;
  clock_.after(links_.delay(), [this, whom, by, life = machines_[whom].life] {
    if (life == 0 || life != machines_[whom].life || links_.is_cut(by, whom)) return;
    receiver_.connection_refused(whom, by);
  });
}

}  // namespace muster::sim::peers
