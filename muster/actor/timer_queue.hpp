#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "muster/actor/endpoint.hpp"
#include "muster/actor/executor.hpp"
#include "muster/actor/guarded.hpp"
#include "muster/base/instant.hpp"

namespace muster::actor_kernel {

/// Names a timer: unique within a system. Timers that are due at the same instant go off in the order of their numbers.
struct timer_key {
  instant due{};
  std::uint64_t number{0};
  friend auto operator<=>(const timer_key&, const timer_key&) = default;
};

/// When a timer is due: now for a delay below zero, never for one that no clock will see the end of.
[[nodiscard]] inline instant due_after(instant now, duration delay) noexcept {
  if (delay <= duration{0}) return now;
  return delay >= instant_never - now ? instant_never : now + delay;
}

/// All timers of a system, on one alarm of its executor. Any thread.
class timer_queue final : public runnable, public std::enable_shared_from_this<timer_queue> {
 public:
  explicit timer_queue(actor_executor& on) noexcept : executor_{on} {}

  /// `whom->handle_alarm(key.number)` is called once, at `key.due` or soon after.
  void add(const timer_key& key, endpoint_ptr whom);
  /// Where it has gone off already this does nothing: who is alarmed knows which alarms it still wants.
  void cancel(const timer_key& key);
  /// Drops all, and takes no more.
  void close();

  void run() noexcept override;

 private:
  struct waiting {
    std::map<timer_key, endpoint_ptr> timers;
    /// What the executor was asked for; never later than the first timer.
    instant alarm{instant_never};
    bool closed{false};
  };

  void set_alarm(waiting& of);

  actor_executor& executor_;
  guarded<waiting> waiting_;
};

}  // namespace muster::actor_kernel
