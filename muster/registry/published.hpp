#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "muster/locator/view.hpp"
#include "muster/registry/replica_card.hpp"
#include "muster/replication/messages.hpp"

namespace muster::registry {

/// The replicas that serve now, the master first if there is one.
struct replica_list {
  std::vector<replica_card> replicas;

  [[nodiscard]] const replica_card* find(std::string_view name) const noexcept {
    for (const auto& one : replicas) {
      if (one.objects.name == name) return &one;
    }
    return nullptr;
  }
};

/// Everything that a reader may see, at one instant: immutable, made anew by each commit and each change of the role or
/// the replicas, held by whoever reads for as long as they read.
struct published {
  locator::view view;
  std::shared_ptr<const replica_list> replicas;  ///< never null
  replication::role role{replication::role::slave};
  /// There is something to serve, and the start is through. A slave that has never had a copy must not answer a locate
  /// request, nor one whose copy may yet be refused or replaced.
  bool serves{false};
  /// This replica is a master that takes changes.
  bool takes_changes{false};
  /// The master that this slave follows, or this master itself; empty without one.
  std::string master_name;
  /// The same, and without one the master that was known last, in this life of the process or an earlier one: where
  /// whoever wants a change has to turn. Empty on a replica that has never known one.
  std::string last_master_name;
  replication::phase phase{replication::phase::asking};
  replication::term term;
  replication::serial serial;
  /// Why an operator has to act; empty while nobody has to.
  std::string trouble;
};

}  // namespace muster::registry
