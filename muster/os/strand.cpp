#include "muster/os/strand.hpp"

#include <algorithm>

#include "muster/base/invariant.hpp"
#include "muster/os/thread_start.hpp"

namespace muster::os {
namespace {

/// A batch's memory is kept for the next one, unless it has grown beyond what usual turns need.
constexpr std::size_t batch_kept_max = 4096;

}  // namespace

strand::strand(options settings) : options_{std::move(settings)} {
  MUSTER_INVARIANT(options_.queue_max > 0 && options_.turn_tasks_max > 0, "a strand takes at least one function");
  {
    const signals_blocked while_it_is_made;
    thread_ = std::thread{[this] { run(); }};
  }
  set_name(thread_, options_.name);
}

strand::~strand() { stop(); }

bool strand::push(task& function, bool bounded, bool& full) {
  bool wake = false;
  {
    const std::lock_guard lock{mutex_};
    if (stopping_) {
      return false;
    }
    if (bounded && queue_.size() >= options_.queue_max) {
      ++counters_.refused;
      full = true;
      return false;
    }
    queue_.push_back(std::move(function));
    counters_.depth_max_seen = std::max(counters_.depth_max_seen, queue_.size());
    // Only the first one after it fell asleep wakes it; the others find it awake.
    wake = std::exchange(sleeping_, false);
  }
  if (wake) {
    wake_.notify_one();
  }
  return true;
}

result<void> strand::try_post(task function) {
  bool full = false;
  if (push(function, true, full)) {
    return {};
  }
  if (full) {
    return fail(errc::limit_exceeded, "{} requests wait for '{}' already, the most that it takes", options_.queue_max,
                options_.name);
  }
  return fail(errc::unavailable, "'{}' is stopping", options_.name);
}

bool strand::post(task function) {
  bool full = false;
  return push(function, false, full);
}

strand::timer strand::at(instant when, task function) {
  timer made;
  bool wake = false;
  {
    const std::lock_guard lock{mutex_};
    made = timer{when, ++last_timer_};
    if (stopping_) {
      return made;
    }
    const auto place = timers_.emplace(made, std::move(function)).first;
    // A later timer does not shorten the sleep.
    if (place == timers_.begin()) {
      wake = std::exchange(sleeping_, false);
    }
  }
  if (wake) {
    wake_.notify_one();
  }
  return made;
}

bool strand::cancel(const timer& which) {
  // What the function owns is destroyed outside the lock: it may well post something.
  task cancelled;
  const std::lock_guard lock{mutex_};
  const auto place = timers_.find(which);
  if (place == timers_.end()) {
    return false;
  }
  cancelled = std::move(place->second);
  timers_.erase(place);
  return true;
}

void strand::at_turn_end(task hook) { turn_end_ = std::move(hook); }

void strand::wake_at(instant when) {
  // On the strand, so awake: the loop reads it before it sleeps again.
  const std::lock_guard lock{mutex_};
  wake_at_ = when;
}

void strand::run_due_timers(instant until) {
  // One by one, so that a timer may cancel the next. Timers set meanwhile for a time before `until` run as well; one
  // that sets itself anew for "now" reads a later clock and so waits for the next turn.
  while (true) {
    task due;
    {
      const std::lock_guard lock{mutex_};
      if (timers_.empty() || timers_.begin()->first.deadline > until) {
        return;
      }
      due = std::move(timers_.begin()->second);
      timers_.erase(timers_.begin());
      ++counters_.tasks;
    }
    due();
  }
}

void strand::run() noexcept {
  thread_id_ = std::this_thread::get_id();
  bool last = false;
  while (!last) {
    {
      std::unique_lock lock{mutex_};
      while (queue_.empty() && !stopping_) {
        const instant deadline = timers_.empty() ? wake_at_ : std::min(wake_at_, timers_.begin()->first.deadline);
        if (deadline <= os::now()) {
          break;
        }
        sleeping_ = true;
        if (deadline == instant_never) {
          wake_.wait(lock);
        } else {
          wake_.wait_until(lock, to_steady(deadline));
        }
      }
      sleeping_ = false;
      if (wake_at_ <= os::now()) {
        wake_at_ = instant_never;
      }
      if (queue_.size() <= options_.turn_tasks_max) {
        batch_.swap(queue_);
      } else {
        const auto end = queue_.begin() + static_cast<std::ptrdiff_t>(options_.turn_tasks_max);
        batch_.assign(std::make_move_iterator(queue_.begin()), std::make_move_iterator(end));
        queue_.erase(queue_.begin(), end);
      }
      counters_.tasks += batch_.size();
      ++counters_.turns;
      last = stopping_ && queue_.empty();
    }

    const instant begin = os::now();
    if (!last) {
      run_due_timers(begin);
    }
    for (task& function : batch_) {
      function();
      // What it owns goes now and not when the whole turn has ended.
      function.reset();
    }
    batch_.clear();
    if (batch_.capacity() > batch_kept_max) {
      batch_ = std::vector<task>{};
    }
    if (turn_end_) {
      turn_end_();
    }
    const duration took = os::now() - begin;
    const std::lock_guard lock{mutex_};
    counters_.longest_turn = std::max(counters_.longest_turn, took);
  }
  // The next thread of the process may get the same id.
  thread_id_ = std::thread::id{};
}

void strand::stop() {
  MUSTER_INVARIANT(!on_this_thread(), "a strand cannot wait for its own end");
  const std::lock_guard only_one{stop_mutex_};
  if (!thread_.joinable()) {
    return;
  }
  {
    const std::lock_guard lock{mutex_};
    stopping_ = true;
    sleeping_ = false;
  }
  wake_.notify_one();
  thread_.join();
  std::map<timer, task> never_run;
  const std::lock_guard lock{mutex_};
  never_run.swap(timers_);
}

strand::usage strand::measure() const {
  const std::lock_guard lock{mutex_};
  usage out = counters_;
  out.depth = queue_.size();
  out.queue_max = options_.queue_max;
  out.timers = timers_.size();
  return out;
}

}  // namespace muster::os
