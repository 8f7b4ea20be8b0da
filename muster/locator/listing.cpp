#include "muster/locator/listing.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "muster/catalog/encoded_proxy.hpp"
#include "muster/locator/ice_encoding.hpp"
#include "muster/locator/key_order.hpp"

namespace muster::locator {

namespace {

// An entry while it is being sorted, with its key taken out of the proxy once.
struct keyed {
  catalog::identity_view id;
  object_entry entry;
};

// The order of Ice 3.7: first what applications describe, by category and name; then the others by key.
bool comes_before(const keyed& left, const keyed& right) {
  const bool left_is_deployed = !left.entry.application.empty();
  const bool right_is_deployed = !right.entry.application.empty();
  if (left_is_deployed != right_is_deployed) return left_is_deployed;
  if (!left_is_deployed) return key_less(left.id, right.id);
  return std::tie(left.id.category, left.id.name) < std::tie(right.id.category, right.id.name);
}

std::vector<object_entry> sorted(std::vector<keyed> all) {
  std::sort(all.begin(), all.end(), comes_before);
  std::vector<object_entry> entries;
  entries.reserve(all.size());
  for (const auto& one : all) entries.push_back(one.entry);
  return entries;
}

// Whether Ice writes this text without an escape.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= ' ' && c <= '~' && c != '/' && c != '\\' && c != '"' && c != '\''; });
}

// The identity as people write it, in a buffer that is used again: nearly all identities of a large registry are plain,
// and are then put together without a detour through values of Ice.
const std::string& text_of(catalog::identity_view id, std::string& buffer) {
  if (id.name.empty() || !is_plain(id.name) || !is_plain(id.category)) return buffer = catalog::to_text(id);
  buffer.assign(id.category);
  if (!id.category.empty()) buffer.push_back('/');
  return buffer.append(id.name);
}

object_entry entry_of(const catalog::object& object) { return {object.proxy(), object.type(), object.application()}; }

// Calls `visit` with everything that is to be listed: the registry's own objects first, and what is stored unless it
// stands behind one of them.
template <typename Stored, typename Visit>
void for_each_listed(const view& from, const Stored& stored, Visit&& visit) {
  for (const auto& own : from.own->objects()) {
    if (own.is_listed)
      visit(keyed{catalog::trusted_identity(own.proxy.content()), {own.proxy.content(), own.type, {}}});
  }
  for (const auto& object : stored) {
    const auto id = object.identity();
    if (from.own->find(id) == nullptr) visit(keyed{id, entry_of(object)});
  }
}

adapter_entry entry_of(const catalog::adapter& adapter) {
  return {adapter.id(), adapter.proxy(), adapter.replica_group()};
}

adapter_entry entry_of(const view& from, const catalog::deployed_adapter& adapter) {
  const auto* active = from.active_adapters.find(adapter.id());
  return {adapter.id(), active == nullptr ? byte_view{null_proxy} : active->proxy(), adapter.entry.replica_group};
}

}  // namespace

result<object_entry> find_object_entry(const view& from, catalog::identity_view id) {
  if (const own_object* own = from.own->find(id); own != nullptr)
    return object_entry{own->proxy.content(), own->type, {}};
  if (const auto* object = from.state.find_object(id); object != nullptr) {
    return entry_of(*object);
  }
  return fail(errc::not_found, "no object '{}' is registered", catalog::to_text(id));
}

std::vector<object_entry> list_objects_of_type(const view& from, std::string_view type) {
  std::vector<keyed> all;
  static const catalog::object_map none;
  const auto* stored = from.state.find_objects_of_type(type);
  for_each_listed(from, stored == nullptr ? none : *stored, [&](const keyed& one) {
    if (one.entry.type == type) all.push_back(one);
  });
  return sorted(std::move(all));
}

std::vector<object_entry> list_objects(const view& from, const pattern& wanted) {
  std::vector<keyed> all;
  std::string buffer;
  for_each_listed(from, from.state.objects(), [&](const keyed& one) {
    if (wanted.matches_everything() || wanted.matches(text_of(one.id, buffer))) all.push_back(one);
  });
  return sorted(std::move(all));
}

result<std::vector<adapter_entry>> find_adapter_entries(const view& from, std::string_view id) {
  if (const auto* adapter = from.state.find_adapter(id); adapter != nullptr) return std::vector{entry_of(*adapter)};
  if (const auto* adapter = from.state.find_deployed_adapter(id); adapter != nullptr) {
    return std::vector{entry_of(from, *adapter)};
  }
  const auto* group = from.state.find_replica_group(id);
  if (group == nullptr) return fail(errc::not_found, "no adapter and no replica group '{}' is registered", id);
  std::vector<adapter_entry> entries;
  for (const auto& member : group->members) entries.push_back(entry_of(member));
  for (const auto& member : group->deployed_members) entries.push_back(entry_of(from, member));
  std::sort(entries.begin(), entries.end(),
            [](const auto& left, const auto& right) { return key_less(left.id, right.id); });
  return entries;
}

std::vector<std::string_view> list_adapter_ids(const view& from) {
  std::vector<std::string_view> deployed;
  std::vector<std::string_view> adapters;
  std::vector<std::string_view> groups;
  for (const auto& adapter : from.state.deployed_adapters()) deployed.push_back(adapter.id());
  for (const auto& group : from.state.replica_groups()) {
    const bool is_deployed = group.is_deployed() || !group.deployed_members.empty();
    (is_deployed ? deployed : groups).push_back(group.id());
  }
  for (const auto& adapter : from.state.adapters()) adapters.push_back(adapter.id());

  std::sort(deployed.begin(), deployed.end());
  std::sort(adapters.begin(), adapters.end(),
            [](std::string_view left, std::string_view right) { return key_less(left, right); });
  std::sort(groups.begin(), groups.end());
  deployed.insert(deployed.end(), adapters.begin(), adapters.end());
  deployed.insert(deployed.end(), groups.begin(), groups.end());
  return deployed;
}

}  // namespace muster::locator
