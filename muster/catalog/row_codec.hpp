#pragma once

#include <memory>
#include <string_view>

#include "muster/base/bytes.hpp"
#include "muster/base/result.hpp"
#include "muster/catalog/adapter.hpp"
#include "muster/catalog/application.hpp"
#include "muster/catalog/object.hpp"
#include "muster/catalog/row.hpp"

namespace muster::catalog {

/// A record's row. The value's first byte is the version of its format:
///
///     object        1, type, proxy
///     adapter       1, id, replica group, proxy
///     application   1, IceGrid::ApplicationInfo
///
/// (strings and bytes with a LEB128 length before them). A deployed object has no row of its own.
[[nodiscard]] row row_of(const object& one);
[[nodiscard]] row row_of(const adapter& one);
[[nodiscard]] row row_of(const application& one);

/// The erasure of the record that has this row.
[[nodiscard]] row erasure(table from, std::uint64_t key);

/// What the values hold, looked at where they lie. `corrupt` or, for another version, `incompatible`.
struct object_row {
  std::string_view type;
  byte_view proxy;  ///< checked
};
struct adapter_row {
  std::string_view id;
  std::string_view replica_group;
  byte_view proxy;  ///< checked
};
[[nodiscard]] result<object_row> read_object_row(byte_view value);
[[nodiscard]] result<adapter_row> read_adapter_row(byte_view value);
[[nodiscard]] result<std::shared_ptr<const IceGrid::ApplicationInfo>> read_application_row(byte_view value);

}  // namespace muster::catalog
