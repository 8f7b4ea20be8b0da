#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "muster/base/instant.hpp"
#include "muster/gossip/identity.hpp"

namespace muster::sim::peers {

/// A share of the digest of a set of registrations: the digest is the sum, so it does not depend on any order.
[[nodiscard]] std::uint64_t share_of(const gossip::registration& what);

/// What every life of every node has registered, version by version, as it happened: the truth that all others' views
/// are held against. Only an origin itself writes in here.
class ledger {
 public:
  struct at_version {
    std::uint64_t sum{0};
    std::uint64_t count{0};
  };

  /// The origin's next operation. The sentence about what is wrong with it; empty if nothing is.
  [[nodiscard]] std::string enter(const gossip::origin_id& by, gossip::version number, const gossip::registration& what,
                                  bool removes);

  /// The highest version that the origin has made; 0 for one that has made none.
  [[nodiscard]] gossip::version latest(const gossip::origin_id& of) const;
  /// What the origin had registered at that version, which it has made.
  [[nodiscard]] at_version at(const gossip::origin_id& of, gossip::version number) const;
  [[nodiscard]] bool ever_registered(const gossip::origin_id& of, const gossip::registration& what) const;
  /// It was added anew after version `after`, not after version `until`.
  [[nodiscard]] bool added_between(const gossip::origin_id& of, const gossip::registration& what, gossip::version after,
                                   gossip::version until) const;

  /// Somebody has removed that life, or heard that it left; the first time counts.
  void note_gone(const gossip::origin_id& who, instant now) { gone_.try_emplace(who, now); }
  [[nodiscard]] std::optional<instant> gone_since(const gossip::origin_id& who) const;

 private:
  struct life {
    std::vector<at_version> versions{at_version{}};
    std::map<gossip::registration, std::vector<gossip::version>> added;
  };

  std::map<gossip::origin_id, life> lives_;
  std::map<gossip::origin_id, instant> gone_;
};

}  // namespace muster::sim::peers
