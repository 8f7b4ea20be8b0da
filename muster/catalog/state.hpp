#pragma once

#include <string_view>

#include "muster/catalog/adapter.hpp"
#include "muster/catalog/application.hpp"
#include "muster/catalog/object.hpp"
#include "muster/catalog/persistent_map.hpp"
#include "muster/catalog/replica_group.hpp"

namespace muster::catalog {

using object_map = persistent_map<by_identity>;
using server_map = persistent_map<by_id<deployed_server>>;
using group_map = persistent_map<by_id<replica_group>>;
using application_map = persistent_map<by_id<application>>;

/// The objects of one type. Goes with the last of them.
struct objects_of_type final : counted<objects_of_type> {
  explicit objects_of_type(ref<interned> in_type) noexcept : type{std::move(in_type)} {}
  objects_of_type(const objects_of_type& other) noexcept
      : counted<objects_of_type>{}, type{other.type}, objects{other.objects} {}

  [[nodiscard]] std::string_view id() const noexcept { return type->text(); }

  ref<interned> type;
  object_map objects;
};
using type_map = persistent_map<by_id<objects_of_type>>;

/// Everything that the registry knows durably, as an immutable value: cheap to copy (eight counters), sharing
/// its structure with the states it came from. Any thread may read any copy without waiting.
///
/// It changes only by `apply` (apply.hpp) and is rebuilt from rows by `loader` (loader.hpp).
///
/// Always: an identity, an adapter id, a server id, a group's id and an application's name each name one thing; a
/// deployed adapter or group shares its id with no other adapter or group (dynamic ones may share, and the adapter then
/// comes first); every object stands under its type; every dynamic adapter that names a group is its member; what is
/// deployed belongs to an application that is there.
class state {
 public:
  // Well-known objects, of their own and of applications.
  [[nodiscard]] const object* find_object(identity_view id) const noexcept { return objects_.find(id); }
  [[nodiscard]] const object_map& objects() const noexcept { return objects_; }
  /// Null if no object has this type.
  [[nodiscard]] const object_map* find_objects_of_type(std::string_view type) const noexcept {
    const auto* found = types_.find(type);
    return found != nullptr ? &found->objects : nullptr;
  }
  [[nodiscard]] const type_map& types() const noexcept { return types_; }
  /// Objects that clients allocate through a session; locate requests and queries do not find them.
  [[nodiscard]] const object* find_allocatable(identity_view id) const noexcept { return allocatables_.find(id); }
  [[nodiscard]] const object_map& allocatables() const noexcept { return allocatables_; }

  // Adapters: dynamic ones with their proxies, deployed ones with what their application says.
  [[nodiscard]] const adapter* find_adapter(std::string_view id) const noexcept { return adapters_.find(id); }
  [[nodiscard]] const adapter_map& adapters() const noexcept { return adapters_; }
  [[nodiscard]] const deployed_adapter* find_deployed_adapter(std::string_view id) const noexcept {
    return deployed_adapters_.find(id);
  }
  [[nodiscard]] const deployed_adapter_map& deployed_adapters() const noexcept { return deployed_adapters_; }

  // Replica groups, dynamic and deployed.
  [[nodiscard]] const replica_group* find_replica_group(std::string_view id) const noexcept { return groups_.find(id); }
  [[nodiscard]] const group_map& replica_groups() const noexcept { return groups_; }

  // Applications and their servers.
  [[nodiscard]] const application* find_application(std::string_view name) const noexcept {
    return applications_.find(name);
  }
  [[nodiscard]] const application_map& applications() const noexcept { return applications_; }
  [[nodiscard]] const deployed_server* find_server(std::string_view id) const noexcept { return servers_.find(id); }
  [[nodiscard]] const server_map& servers() const noexcept { return servers_; }

  /// The same content record by record, row keys included: what two replicas at the same serial must have. O(N).
  friend bool operator==(const state& one, const state& two);

 private:
  friend class state_editor;

  object_map objects_;
  type_map types_;
  object_map allocatables_;
  adapter_map adapters_;
  deployed_adapter_map deployed_adapters_;
  group_map groups_;
  application_map applications_;
  server_map servers_;
};

}  // namespace muster::catalog
