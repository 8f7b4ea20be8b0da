#include "sim/scheduler.hpp"

#include <algorithm>
#include <utility>

namespace muster::sim {

void scheduler::at(instant when, task what) {
  queue_.push_back({std::max(when, now_), planned_++, std::move(what)});
  std::push_heap(queue_.begin(), queue_.end(), later{});
}

bool scheduler::run_one() {
  if (queue_.empty()) {
    return false;
  }
  std::pop_heap(queue_.begin(), queue_.end(), later{});
  entry next = std::move(queue_.back());
  queue_.pop_back();
  now_ = next.when;
  ++events_run_;
  next.what();
  return true;
}

}  // namespace muster::sim
