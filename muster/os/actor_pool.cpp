#include "muster/os/actor_pool.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/post.hpp>

#include "muster/os/clock.hpp"
#include "muster/os/thread_start.hpp"

namespace muster::os {
namespace {

constexpr std::size_t threads_most = 1024;

/// So many turns follow each other on a thread before whatever waits in the pool has its own.
constexpr int turns_in_a_row_max = 8;

/// What a thread of a pool does now. To wake another thread takes longer than most turns do, so what a brief turn asks
/// for first is kept until it is over.
struct present_turn {
  const actor_pool* of{nullptr};
  const runnable* running{nullptr};
  bool is_brief{false};
  bool at_teller{false};
  runnable* next{nullptr};

  [[nodiscard]] bool may_be_followed_by(const runnable& what) const noexcept {
    return is_brief && next == nullptr && running != &what && (!at_teller || what.suits_tellers());
  }
};
thread_local present_turn present;

/// Who tells more often than this leaves it to the pool: it goes on meanwhile, and many messages make one turn.
constexpr duration teller_pause{std::chrono::microseconds{15}};
/// When this thread last told somebody who suits tellers something, or was done with it.
thread_local instant told_last{};

/// Notes that the thread does so now; whether it had paused.
bool has_paused() noexcept {
  const instant now = os::now();
  return std::exchange(told_last, now) <= now - teller_pause;
}

}  // namespace

result<std::shared_ptr<actor_pool>> actor_pool::make(options how) {
  if (how.threads > threads_most) {
    return fail(errc::invalid_argument, "an actor pool has at most {} threads, not {}", threads_most, how.threads);
  }
  const std::size_t processors = std::max<std::size_t>(1, std::thread::hardware_concurrency());
  const signals_blocked while_threads_are_made;
  return std::shared_ptr<actor_pool>{new actor_pool{how, how.threads != 0 ? how.threads : processors}};
}

actor_pool::actor_pool(const options& how, std::size_t threads)
    : threads_{threads}, tellers_help_{how.tellers_help}, pool_{threads}, turns_{pool_.get_executor()}, bell_{[this] {
        ring();
      }} {
  set_name(bell_, how.name + "-time");
}

actor_pool::~actor_pool() {
  {
    const std::lock_guard lock{alarms_mutex_};
    stopping_ = true;
  }
  alarms_changed_.notify_one();
  bell_.join();
  pool_.join();
}

void actor_pool::execute(runnable& what) {
  if (present.of == this && present.may_be_followed_by(what)) {
    present.next = &what;
    return;
  }
  boost::asio::post(turns_, [this, &what] { run(what, false); });
}

void actor_pool::execute_here(runnable& what) {
  // A turn tells others only on its own thread, so no turn ever stands on another one's stack.
  if (!tellers_help_ || present.of != nullptr || !has_paused()) return execute(what);
  run(what, true);
  // Nothing of the pool is touched here any more: what has run may have been its last.
  told_last = os::now();
}

bool actor_pool::is_at_teller() const noexcept { return present.of == this && present.at_teller; }

void actor_pool::hand_over() {
  if (present.of != this || present.next == nullptr) return;
  boost::asio::post(turns_, [this, next = std::exchange(present.next, nullptr)] { run(*next, false); });
}

void actor_pool::run(runnable& first, bool at_teller) noexcept {
  runnable* next = &first;
  for (int turns = 0; next != nullptr && turns < turns_in_a_row_max; ++turns) {
    present = {.of = this, .running = next, .is_brief = next->is_brief(), .at_teller = at_teller};
    next->run();
    next = present.next;
  }
  present = {};
  if (next != nullptr) execute(*next);
}

instant actor_pool::now() const { return os::now(); }

void actor_pool::wake_at(instant when, std::shared_ptr<runnable> what) {
  // What is taken back may end with it, which is not to happen under the lock.
  std::multimap<instant, std::shared_ptr<runnable>>::node_type before;
  bool sooner = false;
  {
    const std::lock_guard lock{alarms_mutex_};
    // One alarm for each system: there are few.
    const auto set =
        std::find_if(alarms_.begin(), alarms_.end(), [&](const auto& alarm) { return alarm.second == what; });
    if (set != alarms_.end()) before = alarms_.extract(set);
    if (when != instant_never) {
      const auto place = alarms_.emplace(when, std::move(what));
      sooner = place == alarms_.begin();
    }
  }
  if (sooner) alarms_changed_.notify_one();
}

void actor_pool::ring() noexcept {
  std::unique_lock lock{alarms_mutex_};
  while (!stopping_) {
    if (alarms_.empty()) {
      alarms_changed_.wait(lock);
      continue;
    }
    const instant due = alarms_.begin()->first;
    if (due > os::now()) {
      alarms_changed_.wait_until(lock, to_steady(due));
      continue;
    }
    auto what = std::move(alarms_.extract(alarms_.begin()).mapped());
    lock.unlock();
    // On the pool, so that one system's many timers do not delay another's.
    boost::asio::post(turns_, [what = std::move(what)] { what->run(); });
    lock.lock();
  }
}

bool actor_pool::wait(const std::atomic<bool>& flag, instant deadline) {
  std::unique_lock lock{wait_mutex_};
  const auto is_set = [&] { return flag.load(std::memory_order_acquire); };
  if (deadline == instant_never) {
    notified_.wait(lock, is_set);
    return true;
  }
  return notified_.wait_until(lock, to_steady(deadline), is_set);
}

void actor_pool::notify() {
  // With the lock: a waiter between its look at the flag and its sleep must not miss this.
  { const std::lock_guard lock{wait_mutex_}; }
  notified_.notify_all();
}

}  // namespace muster::os
