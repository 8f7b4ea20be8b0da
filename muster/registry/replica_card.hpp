#pragma once

#include <string>

#include "muster/base/bytes.hpp"
#include "muster/base/result.hpp"
#include "muster/locator/well_known.hpp"

namespace muster::registry {

/// What the other replicas need to know of one: how its objects are reached, and what an administrator asks about it.
/// It travels, encoded, as `replication::replica_info::endpoints`, which the replication core does not look into.
struct replica_card {
  locator::active_replica objects;  ///< `is_master` is not part of the encoding: it follows from the roster
  std::string host;                 ///< the machine's name, for `IceGrid::RegistryInfo`
};

/// The first byte is the format's version. Fields may be added at the end: an older reader ignores them.
[[nodiscard]] bytes encode(const replica_card& card);
/// `corrupt` for anything that no version of `encode` wrote.
[[nodiscard]] result<replica_card> decode_replica_card(byte_view input);

}  // namespace muster::registry
