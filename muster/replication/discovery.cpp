#include "muster/replication/discovery.hpp"

#include <algorithm>

namespace muster::replication {

void discovery::begin(core& shared, instant now, duration timeout) {
  round_ = ++shared.last_round;
  self_ = shared.incarnation;
  running_ = true;
  complete_ = false;
  deadline_ = now + timeout;
  answers_.clear();
  shared.out.ask = discover{.question = {.round = round_, .from = shared.describe_self()},
                            .recorded = shared.durable.meta().known_replicas};
}

void discovery::handle_description(peer_id from, const description& what, instant now) {
  if (!running_ || what.round != round_ || what.from.incarnation == self_ || now > deadline_) {
    return;
  }
  const auto known =
      std::ranges::find(answers_, what.from.incarnation, [](const answer& a) { return a.who.incarnation; });
  if (known == answers_.end()) {
    answers_.push_back({from, what.from});
  }
}

void discovery::handle_complete(std::uint64_t round) noexcept {
  if (running_ && round == round_) {
    complete_ = true;
  }
}

void discovery::handle_peer_gone(peer_id which) noexcept {
  std::erase_if(answers_, [&](const answer& one) { return one.from == which; });
}

void discovery::end_by(instant at) noexcept { deadline_ = std::min(deadline_, at); }

std::vector<self_description> discovery::described() const {
  std::vector<self_description> out;
  for (const auto& one : answers_) {
    out.push_back(one.who);
  }
  return out;
}

}  // namespace muster::replication
