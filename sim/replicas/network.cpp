#include "sim/replicas/network.hpp"

#include <algorithm>
#include <utility>

namespace muster::sim::replicas {

namespace {
constexpr duration stall_check_interval = std::chrono::milliseconds{200};
}

network::network(const options& how, scheduler& clock, prng& draws, trace& log, receiver& to)
    : options_{how},
      clock_{clock},
      draws_{draws},
      log_{log},
      receiver_{to},
      links_{how.nodes, draws},
      lives_(how.nodes, 0) {}

network::place network::place_of(peer_id which) noexcept {
  return {static_cast<std::size_t>((which.value() - 1) / 2), static_cast<std::size_t>((which.value() - 1) % 2)};
}

void network::process_started(node_index at) { lives_[at] = ++lives_given_; }

void network::process_ended(node_index at) {
  const std::uint64_t life = std::exchange(lives_[at], 0);
  for (std::size_t index = 0; index < ways_.size(); ++index) {
    for (end& one : ways_[index].ends) {
      if (one.life == life) {
        one.told = true;
        break_way(index);
      }
    }
  }
}

peer_id network::connect(node_index from, node_index to) {
  way made;
  made.ends[0].node = from;
  made.ends[0].life = lives_[from];
  made.ends[1].node = to;
  ways_.push_back(std::move(made));
  return id_at({ways_.size() - 1, 0});
}

bool network::is_open(peer_id which) const { return !ways_[place_of(which).index].broken; }

node_index network::far_end(peer_id which) const {
  const place near = place_of(which);
  return ways_[near.index].ends[1 - near.side].node;
}

void network::send(peer_id to, bytes content) {
  const place near = place_of(to);
  const place far{near.index, 1 - near.side};
  way& used = ways_[near.index];
  if (used.broken) {
    return;
  }
  if (options_.style == style::streams) {
    end& receiving = used.ends[far.side];
    receiving.arriving.push_back(std::move(content));
    receiving.last_arrival = std::max(receiving.last_arrival, clock_.now() + links_.delay());
    clock_.at(receiving.last_arrival, [this, far] { stream_arrives(far); });
    return;
  }
  const bool cut = links_.is_cut(used.ends[near.side].node, used.ends[far.side].node);
  if (cut || links_.loses()) {
    return;
  }
  if (links_.doubles()) {
    clock_.after(links_.delay(), [this, far, copy = content]() mutable { arrive(far, std::move(copy)); });
  }
  clock_.after(links_.delay(), [this, far, copy = std::move(content)]() mutable { arrive(far, std::move(copy)); });
}

void network::stream_arrives(const place& to) {
  end& receiving = ways_[to.index].ends[to.side];
  const end& sending = ways_[to.index].ends[1 - to.side];
  if (receiving.told || receiving.arriving.empty()) {
    return;
  }
  if (links_.is_cut(sending.node, receiving.node)) {
    if (receiving.stalled_since == instant_never) {
      receiving.stalled_since = clock_.now();
    } else if (clock_.now() - receiving.stalled_since >= options_.stalled_stream_timeout) {
      receiving.arriving.clear();
      break_way(to.index);
      return;
    }
    clock_.after(stall_check_interval, [this, to] { stream_arrives(to); });
    return;
  }
  receiving.stalled_since = instant_never;
  bytes content = std::move(receiving.arriving.front());
  receiving.arriving.pop_front();
  arrive(to, std::move(content));
}

void network::arrive(const place& to, bytes content) {
  end& receiving = ways_[to.index].ends[to.side];
  if (receiving.told) {
    return;
  }
  const std::uint64_t life = lives_[receiving.node];
  if (receiving.life == 0) {
    if (life == 0) {
      receiving.told = true;  // Connection refused.
      break_way(to.index);
      return;
    }
    receiving.life = life;
  }
  receiver_.deliver(receiving.node, id_at(to), std::move(content));
}

void network::break_way(std::size_t index) {
  if (std::exchange(ways_[index].broken, true)) {
    return;
  }
  for (std::size_t side = 0; side < 2; ++side) {
    const end& one = ways_[index].ends[side];
    if (one.told || one.life == 0 || !draws_.chance(options_.ends_noticed_percent, 100)) {
      continue;
    }
    clock_.after(links_.delay(), [this, whom = place{index, side}] { tell_gone(whom, 0); });
  }
}

void network::tell_gone(const place& whom, int attempts) {
  end& one = ways_[whom.index].ends[whom.side];
  if (one.told || one.life == 0 || one.life != lives_[one.node]) {
    return;
  }
  // The news does not cross a cut. After a while the process's own end of the connection gives up.
  if (links_.is_cut(ways_[whom.index].ends[1 - whom.side].node, one.node) && attempts < 20) {
    clock_.after(std::chrono::milliseconds{500}, [this, whom, attempts] { tell_gone(whom, attempts + 1); });
    return;
  }
  one.told = true;
  receiver_.gone(one.node, id_at(whom));
}

void network::break_some_way() {
  std::vector<std::size_t> open;
  for (std::size_t index = 0; index < ways_.size(); ++index) {
    if (!ways_[index].broken && ways_[index].ends[1].life != 0) {
      open.push_back(index);
    }
  }
  if (!open.empty()) {
    break_way(open[draws_.below(open.size())]);
  }
}

void network::set_faithful() {
  options_.ends_noticed_percent = 100;
  for (std::size_t index = 0; index < ways_.size(); ++index) {
    for (std::size_t side = 0; side < 2; ++side) {
      if (ways_[index].broken && !ways_[index].ends[side].told) {
        clock_.after(links_.delay(), [this, whom = place{index, side}] { tell_gone(whom, 0); });
      }
    }
  }
}

}  // namespace muster::sim::replicas
