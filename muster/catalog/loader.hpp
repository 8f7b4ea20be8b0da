#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "muster/base/bytes.hpp"
#include "muster/base/result.hpp"
#include "muster/catalog/state.hpp"

namespace muster::catalog {

/// Rebuilds a state from its rows, in any order: after a start from the store, and on a slave from a snapshot.
class loader {
 public:
  /// `corrupt` for a row that cannot be part of a state, naming its table and key; the loader is then of no more use.
  [[nodiscard]] result<void> add(std::uint8_t table, std::uint64_t key, byte_view value);

  /// The state of all rows added; `corrupt` if applications contradict the rest. The loader is empty afterwards.
  [[nodiscard]] result<state> finish();

 private:
  state built_;
  std::vector<std::pair<std::uint64_t, std::shared_ptr<const IceGrid::ApplicationInfo>>> applications_;
};

}  // namespace muster::catalog
