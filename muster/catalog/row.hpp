#pragma once

#include <cstdint>
#include <optional>

#include "muster/base/bytes.hpp"

namespace muster::catalog {

/// The tables of the durable form. The numbers are part of the format on disk and between replicas.
enum class table : std::uint8_t { objects = 1, adapters = 2, applications = 3 };

/// One write to the durable form: a record under its key, or, without a value, that record's erasure.
///
/// The key is the serial of the change that made the record (a change makes one record at most), and stays with it
/// while later changes rewrite it. So names of any length need no index on disk, and tables grow at their end.
struct row {
  std::uint8_t table{0};
  std::uint64_t key{0};
  std::optional<bytes> value;

  friend bool operator==(const row&, const row&) = default;
};

}  // namespace muster::catalog
