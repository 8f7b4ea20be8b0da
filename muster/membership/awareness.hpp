#pragma once

#include <algorithm>
#include <cstddef>

#include "muster/base/instant.hpp"

namespace muster::membership {

/// How much a participant doubts its own health: 0 is well. Each sign that it, not others, is slow raises the score; it
/// then waits longer before it blames others (Lifeguard, section IV-A: local health aware probing). Inside the folder
/// only.
class awareness {
 public:
  explicit awareness(std::size_t score_max) noexcept : max_{score_max} {}

  void worse(std::size_t by = 1) noexcept { score_ = std::min(max_, score_ + by); }
  void better() noexcept { score_ -= score_ > 0 ? 1 : 0; }

  [[nodiscard]] std::size_t score() const noexcept { return score_; }
  [[nodiscard]] duration scaled(duration about) const noexcept {
    return about * static_cast<duration::rep>(score_ + 1);
  }

 private:
  std::size_t max_;
  std::size_t score_{0};
};

}  // namespace muster::membership
