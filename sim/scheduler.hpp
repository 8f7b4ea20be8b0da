#pragma once

#include <cstdint>
#include <vector>

#include "muster/base/instant.hpp"
#include "muster/base/task.hpp"

namespace muster::sim {

/// The virtual clock and everything that is still to happen. Time moves only from one event to the next, and events at
/// one instant run in the order in which they were planned, so a run depends on nothing but its seed.
class scheduler {
 public:
  [[nodiscard]] instant now() const noexcept { return now_; }
  [[nodiscard]] std::uint64_t events_run() const noexcept { return events_run_; }
  [[nodiscard]] bool empty() const noexcept { return queue_.empty(); }

  /// An instant in the past means now. An event cannot be taken back: who plans one checks on its arrival whether it is
  /// still wanted.
  void at(instant when, task what);
  void after(duration delay, task what) { at(now_ + delay, std::move(what)); }

  /// Runs the earliest event; false if there is none.
  bool run_one();

 private:
  struct entry {
    instant when;
    std::uint64_t order;
    task what;
  };
  struct later {
    bool operator()(const entry& left, const entry& right) const noexcept {
      return left.when != right.when ? left.when > right.when : left.order > right.order;
    }
  };

  instant now_{};
  std::uint64_t planned_{0};
  std::uint64_t events_run_{0};
  std::vector<entry> queue_;  // a heap by `later`
};

}  // namespace muster::sim
