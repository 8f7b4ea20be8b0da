#pragma once

#include <cstddef>
#include <vector>

#include "muster/base/instant.hpp"
#include "muster/membership/member.hpp"
#include "muster/membership/options.hpp"

namespace muster::membership {

/// One suspected member, and how long it has left to refute: longest while one process suspects it, shorter with each
/// further one that finds out for itself (Lifeguard, section IV-B). Inside the folder only.
class suspicion {
 public:
  /// `members` is the size of the cluster. With so few that nobody could confirm, the time is the shortest at once.
  suspicion(const options& how, std::size_t members, incarnation first_accuser, instant now);

  /// True if this accuser is new and counts: then the news is worth telling on.
  bool confirm(incarnation accuser);
  [[nodiscard]] instant deadline() const;

 private:
  instant began_;
  duration min_;
  duration max_;
  std::size_t wanted_;
  std::vector<incarnation> accusers_;
};

/// max(1, log10(members)): the scale of times and counts that grow with the cluster (SWIM, section 4.1).
[[nodiscard]] double cluster_scale(std::size_t members) noexcept;

}  // namespace muster::membership
