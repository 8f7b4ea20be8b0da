#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "muster/base/instant.hpp"
#include "muster/base/prng.hpp"

namespace muster::sim {

/// A machine of the simulated site; its processes come and go.
using node_index = std::size_t;

/// What the way from one machine to another does to messages.
struct link_quality {
  duration delay_min{std::chrono::microseconds{100}};
  duration delay_max{std::chrono::milliseconds{2}};
  std::uint32_t lost_per_thousand{0};
  std::uint32_t doubled_per_thousand{0};
};

/// What lies between machines, whatever travels there: cuts in either direction, and the chance by which a message is
/// late, lost or doubled. The networks of the worlds are built on it.
class links {
 public:
  links(std::size_t nodes, prng& draws) : nodes_{nodes}, draws_{draws}, cuts_(nodes * nodes, false) {}

  void set_quality(const link_quality& all) noexcept { quality_ = all; }
  void set_cut(node_index from, node_index to, bool cut) { cuts_[from * nodes_ + to] = cut; }
  void heal_all() { std::fill(cuts_.begin(), cuts_.end(), false); }
  [[nodiscard]] bool is_cut(node_index from, node_index to) const { return cuts_[from * nodes_ + to]; }

  [[nodiscard]] duration delay() {
    const auto span = static_cast<std::uint64_t>((quality_.delay_max - quality_.delay_min).count());
    return quality_.delay_min + duration{static_cast<duration::rep>(draws_.below(span + 1))};
  }
  [[nodiscard]] bool loses() { return draws_.chance(quality_.lost_per_thousand, 1000); }
  [[nodiscard]] bool doubles() { return draws_.chance(quality_.doubled_per_thousand, 1000); }

 private:
  std::size_t nodes_;
  prng& draws_;
  link_quality quality_;
  std::vector<bool> cuts_;
};

}  // namespace muster::sim
