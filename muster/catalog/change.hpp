#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include <Ice/Identity.h>

#include "muster/base/bytes.hpp"
#include "muster/base/result.hpp"
#include "muster/catalog/encoded_proxy.hpp"
#include "muster/descriptor/slice_types.hpp"

namespace muster::catalog {

/// Registers a well-known object; the identity is the proxy's.
struct add_object {
  std::string type;
  encoded_proxy proxy;
};

/// Gives a registered object another proxy; its type stays.
struct update_object {
  encoded_proxy proxy;
};

struct remove_object {
  Ice::Identity id;
};

/// Registers, or registers again, a dynamic adapter. `replica_group` empty = none; a proxy that is null or has no
/// endpoints is as good as any: the adapter is known.
struct set_adapter {
  std::string id;
  std::string replica_group;
  encoded_proxy proxy;
};

/// A server takes its own adapter back. The replica group it names need not be right.
struct unset_adapter {
  std::string id;
};

/// An administrator removes an adapter, or, if `id` is a dynamic replica group, dissolves that: its members stay as
/// adapters without a group.
struct remove_adapter {
  std::string id;
};

/// Who changed an application, and when by the master's wall clock (milliseconds since 1970): part of the change, so
/// that every replica stores the same.
struct edited {
  std::int64_t time_ms{0};
  std::string user;

  friend bool operator==(const edited&, const edited&) = default;
};

struct add_application {
  std::string uuid;
  edited by;
  std::shared_ptr<const IceGrid::ApplicationDescriptor> descriptor;
};

/// The application's whole new description (`Admin::syncApplication`).
struct sync_application {
  edited by;
  std::shared_ptr<const IceGrid::ApplicationDescriptor> descriptor;
};

/// Differences, applied to what is there at this place of the history (`Admin::updateApplication`).
struct update_application {
  edited by;
  std::shared_ptr<const IceGrid::ApplicationUpdateDescriptor> update;
};

struct remove_application {
  std::string name;
};

/// What can happen to the catalog. Pointers are never null.
using change = std::variant<add_object, update_object, remove_object, set_adapter, unset_adapter, remove_adapter,
                            add_application, sync_application, update_application, remove_application>;

/// A change as the log and the wire carry it. The first byte is the format's version, the second the kind.
[[nodiscard]] bytes encode(const change& one);

/// `corrupt` for bytes that are no change, `incompatible` for a version or kind that this program does not know. Safe
/// for any bytes from outside.
[[nodiscard]] result<change> decode(byte_view input);

/// One line for logs and for `muster db diverged`: what is done to what.
[[nodiscard]] std::string describe(const change& one);

}  // namespace muster::catalog
