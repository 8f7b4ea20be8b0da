#pragma once

#include <optional>

#include "muster/catalog/row.hpp"
#include "muster/catalog/state.hpp"

namespace muster::catalog {

/// Gives the rows of a state one after the other: a snapshot for a slave, a backup. It holds its own copy of the state,
/// so the catalog goes on changing meanwhile. The order is by table, then by hash.
class row_cursor {
 public:
  explicit row_cursor(state from);
  // The iterators point into the state's nodes, which do not move with it.
  row_cursor(const row_cursor&) = delete;
  row_cursor& operator=(const row_cursor&) = delete;
  row_cursor(row_cursor&&) noexcept = default;
  row_cursor& operator=(row_cursor&&) noexcept = default;
  ~row_cursor() = default;

  /// The next row (it has a value), or nothing at the end.
  [[nodiscard]] std::optional<row> next();

 private:
  state from_;
  object_map::iterator object_;
  adapter_map::iterator adapter_;
  application_map::iterator application_;
};

}  // namespace muster::catalog
