#include "muster/catalog/state_editor.hpp"

#include <memory>
#include <utility>

namespace muster::catalog {

namespace {

/// The record with this key to be changed in place: itself if nobody else sees it, else a copy put in its place. There
/// must be one.
template <typename Index>
[[nodiscard]] typename Index::record& editable(persistent_map<Index>& map, const typename Index::key& key) {
  if (auto* own = map.find_unshared(key)) return *own;
  auto* copy = new typename Index::record{*map.find(key)};
  map.set(ref<typename Index::record>{copy});
  return *copy;
}

[[nodiscard]] ref<object> make_deployed(const descriptor::object_entry& entry, std::string_view adapter_id,
                                        ref<interned> type, const ref<interned>& application_name) {
  const auto options = descriptor::parse_proxy_options(entry.proxy_options).value_or(proxy_options{});
  const auto proxy = encoded_proxy::indirect(view_of(entry.id), adapter_id, options);
  return object::make_deployed(std::move(type), proxy.content(), application_name);
}

[[nodiscard]] replica_group& editable_group(group_map& groups, std::string_view id) {
  if (auto* own = groups.find_unshared(id)) return *own;
  if (groups.find(id) == nullptr) groups.set(ref<replica_group>{new replica_group{id}});
  return editable(groups, id);
}

void drop_if_idle(group_map& groups, std::string_view id) {
  const auto* group = groups.find(id);
  if (group != nullptr && !group->is_deployed() && group->members.empty() && group->deployed_members.empty()) {
    groups.erase(id);
  }
}

}  // namespace

ref<interned> state_editor::intern_type(std::string_view type) const {
  const auto* known = edited_.types_.find(type);
  return known != nullptr ? known->type : interned::make(type);
}

ref<object> state_editor::put_object(const ref<object>& one) {
  auto before = edited_.objects_.set(one);
  if (before != nullptr && before->type() != one->type()) drop_from_type(*before);
  if (auto* type = edited_.types_.find_unshared(one->type())) {
    type->objects.set(one);
    return before;
  }
  if (edited_.types_.find(one->type()) == nullptr) {
    edited_.types_.set(ref<objects_of_type>{new objects_of_type{one->type_ref()}});
  }
  editable(edited_.types_, one->type()).objects.set(one);
  return before;
}

void state_editor::erase_object(identity_view id) {
  if (const auto erased = edited_.objects_.erase(id)) drop_from_type(*erased);
}

void state_editor::drop_from_type(const object& one) {
  auto& type = editable(edited_.types_, one.type());
  type.objects.erase(one.identity());
  if (type.objects.empty()) edited_.types_.erase(one.type());
}

ref<adapter> state_editor::put_adapter(const ref<adapter>& one) {
  auto before = edited_.adapters_.set(one);
  if (before != nullptr && before->replica_group() != one->replica_group()) drop_from_group(*before);
  if (!one->replica_group().empty()) editable_group(edited_.groups_, one->replica_group()).members.set(one);
  return before;
}

void state_editor::erase_adapter(std::string_view id) {
  if (const auto erased = edited_.adapters_.erase(id)) drop_from_group(*erased);
}

void state_editor::drop_from_group(const adapter& one) {
  if (one.replica_group().empty()) return;
  editable(edited_.groups_, one.replica_group()).members.erase(one.id());
  drop_if_idle(edited_.groups_, one.replica_group());
}

void state_editor::put_application(const ref<application>& one) {
  if (const auto before = edited_.applications_.set(one)) undeploy(*before);
  deploy(*one);
}

void state_editor::erase_application(std::string_view name) {
  if (const auto erased = edited_.applications_.erase(name)) undeploy(*erased);
}

void state_editor::deploy(const application& one) {
  for (const auto& group : one.contents->replica_groups) {
    editable_group(edited_.groups_, group.id).deployment =
        std::make_shared<const group_deployment>(group_deployment{group, one.name});
    deploy_objects(group.objects, group.id, one.name);
  }
  for (const auto& server : one.contents->servers) {
    edited_.servers_.set(ref<deployed_server>{new deployed_server{server, one.name}});
  }
  for (const auto& entry : one.contents->adapters) {
    ref<deployed_adapter> record{new deployed_adapter{entry, one.name}};
    if (!entry.replica_group.empty()) {
      editable_group(edited_.groups_, entry.replica_group).deployed_members.set(record);
    }
    edited_.deployed_adapters_.set(std::move(record));
    deploy_objects(entry.objects, entry.id, one.name);
    for (const auto& allocatable : entry.allocatables) {
      edited_.allocatables_.set(make_deployed(allocatable, entry.id, intern_type(allocatable.type), one.name));
    }
  }
}

void state_editor::deploy_objects(const std::vector<descriptor::object_entry>& objects, std::string_view adapter_id,
                                  const ref<interned>& application_name) {
  for (const auto& entry : objects) {
    put_object(make_deployed(entry, adapter_id, intern_type(entry.type), application_name));
  }
}

void state_editor::undeploy(const application& one) {
  const auto erase_objects = [this](const std::vector<descriptor::object_entry>& objects) {
    for (const auto& entry : objects) erase_object(view_of(entry.id));
  };
  for (const auto& entry : one.contents->adapters) {
    erase_objects(entry.objects);
    for (const auto& allocatable : entry.allocatables) edited_.allocatables_.erase(view_of(allocatable.id));
    if (!entry.replica_group.empty() && edited_.groups_.find(entry.replica_group) != nullptr) {
      editable(edited_.groups_, entry.replica_group).deployed_members.erase(entry.id);
      drop_if_idle(edited_.groups_, entry.replica_group);
    }
    edited_.deployed_adapters_.erase(entry.id);
  }
  for (const auto& server : one.contents->servers) edited_.servers_.erase(server.id);
  for (const auto& group : one.contents->replica_groups) {
    erase_objects(group.objects);
    if (edited_.groups_.find(group.id) == nullptr) continue;
    editable(edited_.groups_, group.id).deployment = nullptr;
    drop_if_idle(edited_.groups_, group.id);
  }
}

}  // namespace muster::catalog
