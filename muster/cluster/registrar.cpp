#include "muster/cluster/registrar.hpp"

#include <utility>

#include "muster/gossip/own_bounds.hpp"

namespace muster::cluster {

result<void> registrar::add(const gossip::shared_text& key, const gossip::entry& what) {
  if (auto judged = gossip::judge_own(node_->bounds(), key, what, count_->load(std::memory_order_relaxed)); !judged) {
    return judged;
  }
  count_->fetch_add(1, std::memory_order_relaxed);
  waiting_.push_back({{key, what}, false});
  return {};
}

void registrar::remove(const gossip::shared_text& key, const gossip::entry& what) {
  count_->fetch_sub(1, std::memory_order_relaxed);
  waiting_.push_back({{key, what}, true});
}

void registrar::commit() {
  if (waiting_.empty()) {
    return;
  }
  const auto steps = std::make_shared<const std::vector<step>>(std::exchange(waiting_, {}));
  node_->change([steps, count = count_, on_refused = on_refused_](registrations& all) {
    for (const step& one : *steps) {
      if (one.removes) {
        // What was refused before has been taken from the count already.
        if (!all.remove(one.what.key, one.what.what)) count->fetch_add(1, std::memory_order_relaxed);
      } else if (const auto added = all.add(one.what.key, one.what.what); !added) {
        count->fetch_sub(1, std::memory_order_relaxed);
        if (*on_refused) (*on_refused)(one.what, added.error());
      }
    }
  });
}

}  // namespace muster::cluster
