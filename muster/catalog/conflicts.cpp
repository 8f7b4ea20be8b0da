#include "muster/catalog/conflicts.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace muster::catalog {

namespace {

[[nodiscard]] result<void> taken(std::string_view kind, std::string_view name) {
  return fail(errc::already_exists, "{} `{}' is already registered", kind, name);
}

/// One operation finds adapters and groups, so an id may be neither.
[[nodiscard]] result<void> check_adapter_id(const state& current, std::string_view kind, std::string_view id,
                                            std::string_view own) {
  if (current.find_adapter(id) != nullptr) return taken(kind, id);
  const auto* adapter = current.find_deployed_adapter(id);
  if (adapter != nullptr && adapter->application->text() != own) return taken(kind, id);
  const auto* group = current.find_replica_group(id);
  if (group == nullptr) return {};
  if (!group->members.empty()) return taken(kind, id);
  if (group->is_deployed() && group->deployment->application->text() != own) return taken(kind, id);
  return {};
}

[[nodiscard]] result<void> check_objects(const state& current, const std::vector<descriptor::object_entry>& objects,
                                         std::string_view own) {
  for (const auto& entry : objects) {
    const auto id = view_of(entry.id);
    for (const auto* there : {current.find_object(id), current.find_allocatable(id)}) {
      if (there != nullptr && !(there->is_deployed() && there->application() == own)) {
        return taken("object", to_text(id));
      }
    }
  }
  return {};
}

}  // namespace

result<void> check_names(const state& current, const descriptor::contents& added, std::string_view own) {
  for (const auto& server : added.servers) {
    const auto* there = current.find_server(server.id);
    if (there != nullptr && there->application->text() != own) return taken("server", server.id);
  }
  for (const auto& adapter : added.adapters) {
    if (auto checked = check_adapter_id(current, "adapter", adapter.id, own); !checked) return checked;
    if (auto checked = check_objects(current, adapter.objects, own); !checked) return checked;
    if (auto checked = check_objects(current, adapter.allocatables, own); !checked) return checked;
  }
  for (const auto& group : added.replica_groups) {
    if (auto checked = check_adapter_id(current, "replica group", group.id, own); !checked) return checked;
    if (auto checked = check_objects(current, group.objects, own); !checked) return checked;
  }
  return {};
}

result<void> check_groups_exist(const state& current, const descriptor::contents& added, std::string_view own) {
  std::set<std::string_view> own_groups;
  for (const auto& group : added.replica_groups) own_groups.insert(group.id);
  for (const auto& adapter : added.adapters) {
    if (adapter.replica_group.empty() || own_groups.contains(adapter.replica_group)) continue;
    const auto* group = current.find_replica_group(adapter.replica_group);
    if (group == nullptr || !group->is_deployed() || group->deployment->application->text() == own) {
      return fail(errc::invalid_argument, "adapter `{}': couldn't find replica group `{}'", adapter.id,
                  adapter.replica_group);
    }
  }
  return {};
}

result<void> check_groups_unused(const state& current, const descriptor::contents& removed,
                                 const descriptor::contents& kept, std::string_view own, std::string_view deed) {
  std::set<std::string_view> kept_groups;
  for (const auto& group : kept.replica_groups) kept_groups.insert(group.id);
  for (const auto& entry : removed.replica_groups) {
    if (kept_groups.contains(entry.id)) continue;
    const auto* group = current.find_replica_group(entry.id);
    if (group == nullptr) continue;
    for (const auto& member : group->deployed_members) {
      if (member.application->text() == own) continue;
      return fail(errc::conflict,
                  "couldn't {} application because the replica group `{}' is used by object adapters from other "
                  "applications",
                  deed, entry.id);
    }
  }
  return {};
}

}  // namespace muster::catalog
