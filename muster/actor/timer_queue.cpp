#include "muster/actor/timer_queue.hpp"

#include <utility>
#include <vector>

namespace muster::actor_kernel {

void timer_queue::set_alarm(waiting& of) {
  // Only ever sooner here: an alarm that comes too early, since its timer was cancelled, sets the next one.
  if (of.timers.empty() || of.timers.begin()->first.due >= of.alarm) return;
  of.alarm = of.timers.begin()->first.due;
  // Under the lock, lest two calls reach the executor the wrong way round; it runs nothing inside the call.
  executor_.wake_at(of.alarm, shared_from_this());
}

void timer_queue::add(const timer_key& key, endpoint_ptr whom) {
  waiting_.with([&](waiting& all) {
    if (all.closed) return;
    all.timers.emplace(key, std::move(whom));
    set_alarm(all);
  });
}

void timer_queue::cancel(const timer_key& key) {
  // Its owner may end with it, which is not to happen under the lock.
  std::map<timer_key, endpoint_ptr>::node_type cancelled;
  waiting_.with([&](waiting& all) { cancelled = all.timers.extract(key); });
}

void timer_queue::close() {
  std::map<timer_key, endpoint_ptr> dropped;
  waiting_.with([&](waiting& all) {
    all.closed = true;
    dropped.swap(all.timers);
    executor_.wake_at(instant_never, shared_from_this());
  });
}

void timer_queue::run() noexcept {
  const instant now = executor_.now();
  std::vector<std::pair<std::uint64_t, endpoint_ptr>> due;
  waiting_.with([&](waiting& all) {
    if (all.closed) return;
    while (!all.timers.empty() && all.timers.begin()->first.due <= now) {
      auto first = all.timers.begin();
      due.emplace_back(first->first.number, std::move(first->second));
      all.timers.erase(first);
    }
    all.alarm = instant_never;
    set_alarm(all);
  });
  for (const auto& [number, whom] : due) {
    whom->handle_alarm(number);
  }
}

}  // namespace muster::actor_kernel
