#pragma once

#include <memory>

#include "muster/catalog/state.hpp"
#include "muster/locator/well_known.hpp"

namespace muster::locator {

/// All that is needed to answer a locate request or a query, at one moment: immutable, published whole by its one
/// writer and read by any thread. Whatever is found in it lives as long as it does, so a reader keeps it until its
/// reply is written.
struct view {
  /// What is stored, and the same on every replica at the same serial.
  catalog::state state;

  /// The registry's own objects; never null.
  std::shared_ptr<const well_known> own{std::make_shared<const well_known>()};

  /// The direct proxies of adapters that applications describe, of those servers that run now, as their nodes report
  /// them. An adapter that is described and not in here is known and not available.
  catalog::adapter_map active_adapters;
};

}  // namespace muster::locator
