#pragma once

#include <utility>

#include "muster/os/strand.hpp"
#include "muster/registry/executor.hpp"

namespace muster::os {

/// A strand as the registry's executor. The strand outlives it.
class strand_executor final : public registry::executor {
 public:
  explicit strand_executor(strand& on) noexcept : strand_{on} {}

  [[nodiscard]] result<void> try_post(task function) override { return strand_.try_post(std::move(function)); }
  bool post(task function) override { return strand_.post(std::move(function)); }
  void at_turn_end(task hook) override { strand_.at_turn_end(std::move(hook)); }

  void wake_at(instant when) override {
    if (when == due_ && armed_) return;
    if (armed_) strand_.cancel(timer_);
    due_ = when;
    armed_ = when != instant_never;
    if (armed_) timer_ = strand_.at(when, [this] { armed_ = false; });
  }

  [[nodiscard]] instant now() const override { return strand_.now(); }

 private:
  strand& strand_;
  strand::timer timer_;
  instant due_{instant_never};
  bool armed_{false};
};

}  // namespace muster::os
