#pragma once

#include <string_view>
#include <vector>

#include "muster/base/bytes.hpp"
#include "muster/base/result.hpp"
#include "muster/catalog/identity.hpp"
#include "muster/locator/pattern.hpp"
#include "muster/locator/view.hpp"

namespace muster::locator {

/// What `IceGrid::Admin` tells of objects and adapters: the registry's own objects and what is stored, as one. Views
/// live as long as the view they come from.

struct object_entry {
  byte_view proxy;
  std::string_view type;
  /// The application that describes it; empty for all others.
  std::string_view application;
};

/// `Admin::getObjectInfo`; `not_found` names the identity.
[[nodiscard]] result<object_entry> find_object_entry(const view& from, catalog::identity_view id);

/// `Admin::getObjectInfosByType`: what applications describe first, in the order of category and name, then the others
/// in the order of their keys (key_order.hpp).
[[nodiscard]] std::vector<object_entry> list_objects_of_type(const view& from, std::string_view type);

/// `Admin::getAllObjectInfos`, likewise: those whose identity, as people write it, matches.
[[nodiscard]] std::vector<object_entry> list_objects(const view& from, const pattern& wanted);

struct adapter_entry {
  std::string_view id;
  /// A null proxy (two zero bytes) for an adapter of an application whose server does not run.
  byte_view proxy;
  std::string_view replica_group;
};

/// `Admin::getAdapterInfo`: the adapter, or all members of the replica group, which may be none; `not_found` if `id` is
/// neither.
[[nodiscard]] result<std::vector<adapter_entry>> find_adapter_entries(const view& from, std::string_view id);

/// `Admin::getAllAdapterIds`: adapters and replica groups of applications, then dynamic adapters in the order of their
/// keys, then dynamic groups.
[[nodiscard]] std::vector<std::string_view> list_adapter_ids(const view& from);

}  // namespace muster::locator
