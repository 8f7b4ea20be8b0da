#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "muster/base/instant.hpp"

namespace muster::sim::peers {

struct scale_options {
  std::size_t nodes{1000};
  std::uint64_t seed{1};
};

/// How far something had spread at a moment after it began.
struct spread_point {
  double seconds{0};
  double share{0};  ///< of all that had to hear of it, 0 to 1
};

/// One thing that happened to the cluster, until all knew of it.
struct scale_phase {
  std::string what;
  bool spreads{true};   ///< false: nothing happened, and the figures are those of `took`
  bool is_whole{true};  ///< all knew of it within the bound
  duration took{};
  std::uint64_t frames{0};  ///< sent by all nodes meanwhile
  std::uint64_t bytes{0};
  std::uint64_t bytes_of_busiest{0};  ///< sent by the one that sent most
  std::uint64_t false_alarms{0};      ///< times that a live node was called unreachable by another
  std::vector<spread_point> spread;
};

struct scale_report {
  std::size_t nodes{0};
  duration round{};           ///< of the gossip among members
  std::size_t heap_bytes{0};  ///< of all nodes together, when all knew each other
  duration quiet_after{};     ///< the storm began: nobody told anything of it any more
  std::uint64_t events{0};
  std::vector<scale_phase> phases;

  [[nodiscard]] double bytes_a_pair() const noexcept {
    return static_cast<double>(heap_bytes) / static_cast<double>(nodes) / static_cast<double>(nodes);
  }
};

/// So many nodes (`cluster::node_core`) on a network that loses nothing, in virtual time: all of them join at once,
/// then single things change, then a tenth of them loses power.
[[nodiscard]] scale_report run_scale(const scale_options& how);

/// A table for people, one line a phase.
[[nodiscard]] std::string table_of(const scale_report& what);
/// How the changes spread, as an SVG picture.
[[nodiscard]] std::string picture_of(const std::vector<scale_report>& all);

}  // namespace muster::sim::peers
