#include "sim/peers/workload.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace muster::sim::peers {

void workload::begin() {
  active_ = true;
  again();
}

void workload::again() {
  const auto about = static_cast<std::uint64_t>(on_.how().call_interval.count());
  on_.clock().after(duration{static_cast<duration::rep>(about / 4 + on_.draws().below(about * 3 / 2))}, [this] {
    if (!active_) return;
    again();
    const node_index at = on_.draws().below(on_.size());
    for (std::size_t left = 1 + on_.draws().below(on_.how().burst_max); left > 0; --left) call_some(at);
  });
}

any_key workload::some_key() { return any_key{key_of(on_.draws().below(on_.how().keys))}; }

gossip::entry workload::entry_of(std::uint64_t actor) {
  std::string path = fmt::format("/user/{}", actor);
  path.resize(std::max(path.size(), on_.how().path_bytes), '-');
  // Now and then the actor that comes after one of the same path; and one may have two types.
  return {gossip::shared_text{path}, 1 + on_.draws().below(2),
          gossip::shared_text{on_.draws().chance(1, 8) ? "sim.other" : "sim.message"}};
}

void workload::call_some(node_index at) {
  prng& draws = on_.draws();
  const call_weights& c = on_.how().calls;
  const any_key key = some_key();
  const std::uint64_t actor = draws.below(on_.how().actors);
  const subscriber_id who{1 + actor};
  auto drawn = draws.below(c.total());
  const auto falls_to = [&](std::uint32_t share) {
    const bool chosen = drawn < share;
    drawn -= share;  // Of no use any more once it has wrapped.
    return chosen;
  };
  if (falls_to(c.add)) {
    on_.at(at).call([key, what = entry_of(actor)](desk& front) { front.add(key, what); });
  } else if (falls_to(c.remove)) {
    on_.at(at).call([key, what = entry_of(actor)](desk& front) { front.remove(key, what); });
  } else if (falls_to(c.stop_actor)) {
    stop_actor(at, actor);
  } else if (falls_to(c.subscribe)) {
    on_.at(at).call([key, who](desk& front) { front.subscribe(key, who); });
  } else if (falls_to(c.unsubscribe)) {
    on_.at(at).call([key, who](desk& front) { front.unsubscribe(key, who); });
  } else if (falls_to(c.find)) {
    on_.at(at).call([key](desk& front) { front.find(key); });
  } else if (falls_to(c.tell)) {
    tell_somebody(at);
  } else if (falls_to(c.watch)) {
    watch_somebody(at);
  } else if (falls_to(c.unwatch)) {
    on_.at(at).unwatch();
  } else {
    on_.at(at).stop_watchable(draws.below(on_.how().watchable));
  }
}

void workload::stop_actor(node_index at, std::uint64_t actor) {
  const std::string path = fmt::format("/user/{}", actor);
  on_.at(at).call([path, who = subscriber_id{1 + actor}](desk& front) {
    std::vector<gossip::registration> its;
    for (const auto& one : front.own()) {
      const auto of = one.what.path.view();
      if (of.substr(0, path.size()) == path && (of.size() == path.size() || of[path.size()] == '-')) its.push_back(one);
    }
    for (const auto& one : its) front.remove(any_key{one.key}, one.what);
    front.forget(who);
  });
}

void workload::tell_somebody(node_index from) {
  const node_index to = on_.draws().below(on_.size());
  if (from == to || !on_.at(from).runs() || !on_.at(to).runs()) return;
  on_.at(from).tell(on_.at(to).core()->self());
}

void workload::watch_somebody(node_index from) {
  constexpr std::size_t known_max = 64;
  prng& draws = on_.draws();
  if (!known_.empty() && draws.chance(1, 4)) {
    on_.at(from).watch(known_[draws.below(known_.size())]);
    return;
  }
  const node_index to = draws.below(on_.size());
  if (from == to || !on_.at(to).runs()) return;
  known_.push_back(on_.at(to).watchable(draws.below(on_.how().watchable)));
  if (known_.size() > known_max) known_.pop_front();
  on_.at(from).watch(known_.back());
}

void workload::stop_watched() {
  for (node_index i = 0; i < on_.size(); ++i) {
    for (std::size_t which = 0; which < on_.how().watchable; ++which) on_.at(i).stop_watchable(which);
  }
}

void workload::make_room() {
  for (node_index i = 0; i < on_.size(); ++i) {
    on_.at(i).call([](desk& front) {
      const auto own = front.own();
      for (const auto& one : own) front.remove(any_key{one.key}, one.what);
      front.add(any_key{key_of(0)}, {gossip::shared_text{"/user/0"}, 1, gossip::shared_text{"sim.message"}});
    });
  }
}

}  // namespace muster::sim::peers
