#pragma once

#include <cstdint>

#include "muster/base/bytes.hpp"
#include "muster/base/result.hpp"
#include "muster/catalog/state.hpp"

namespace muster::catalog {

/// Rebuilds a state from its rows, in any order: after a start from the store, and on a slave from a snapshot.
class loader {
 public:
  /// `corrupt` for a row that cannot be part of a state, naming its table and key; the loader is then of no more use.
  [[nodiscard]] result<void> add(std::uint8_t table, std::uint64_t key, byte_view value);

  /// The state of all rows added. The loader is empty afterwards.
  [[nodiscard]] result<state> finish();

 private:
  state built_;
};

}  // namespace muster::catalog
