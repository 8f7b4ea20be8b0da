#include "muster/locator/query.hpp"

#include <algorithm>

#include "muster/locator/ice_encoding.hpp"
#include "muster/locator/key_order.hpp"
#include "muster/locator/listing.hpp"

namespace muster::locator {

namespace {

// The registry's own objects of a type: a few, so they are counted each time.
template <typename Visit>
void for_each_own(const view& from, std::string_view type, Visit&& visit) {
  for (const auto& own : from.own->objects()) {
    if (own.is_listed && own.type == type) visit(own.proxy.content());
  }
}

// Whether the object can be reached only through the node of a deployed adapter.
bool depends_on_node(const view& from, byte_view proxy) {
  const std::string_view id = catalog::trusted_view(proxy).adapter_id;
  if (id.empty()) return false;
  if (from.state.find_deployed_adapter(id) != nullptr) return true;
  const auto* group = from.state.find_replica_group(id);
  return group != nullptr && (group->is_deployed() || !group->deployed_members.empty());
}

}  // namespace

byte_view find_object_of_type(const view& from, std::string_view type, prng& random) {
  const auto* stored = from.state.find_objects_of_type(type);
  std::vector<byte_view> own;
  for_each_own(from, type, [&](byte_view proxy) { own.push_back(proxy); });
  const std::size_t stored_count = stored == nullptr ? 0 : stored->size();
  if (stored_count + own.size() == 0) return null_proxy;
  const std::size_t pick = random.below(stored_count + own.size());
  return pick < stored_count ? stored->nth(pick).proxy() : own[pick - stored_count];
}

byte_view find_object_of_type_on_least_loaded_node(const view& from, const type_and_sample& wanted, prng& random) {
  // Without nodes in the descriptors there is nothing to prefer, and no need to look at each object.
  if (from.state.deployed_adapters().empty() && from.state.applications().empty()) {
    return find_object_of_type(from, wanted.type, random);
  }
  byte_view picked;
  std::size_t seen = 0;
  // The k-th that is eligible replaces the pick with probability 1/k: uniform, without a list of them.
  const auto consider = [&](byte_view proxy) {
    if (!depends_on_node(from, proxy) && random.below(++seen) == 0) picked = proxy;
  };
  for_each_own(from, wanted.type, consider);
  if (const auto* stored = from.state.find_objects_of_type(wanted.type); stored != nullptr) {
    for (const auto& object : *stored) consider(object.proxy());
  }
  return seen != 0 ? picked : find_object_of_type(from, wanted.type, random);
}

std::vector<byte_view> find_all_objects_of_type(const view& from, std::string_view type) {
  std::vector<byte_view> all;
  const auto* stored = from.state.find_objects_of_type(type);
  if (stored != nullptr && stored->size() > ordered_objects_max) {
    all.reserve(stored->size());
    for (const auto& object : *stored) all.push_back(object.proxy());
    for_each_own(from, type, [&](byte_view proxy) { all.push_back(proxy); });
    return all;
  }
  const auto entries = list_objects_of_type(from, type);
  all.reserve(entries.size());
  for (const auto& entry : entries) all.push_back(entry.proxy);
  return all;
}

std::vector<bytes> find_all_replicas(const view& from, const catalog::proxy_view& proxy) {
  if (proxy.is_null()) return {};
  catalog::proxy_view replicated = proxy;
  if (replicated.adapter_id.empty()) {
    // Perhaps the proxy of a well-known object: what counts is the one that is registered.
    if (const own_object* own = from.own->find(proxy.identity); own != nullptr) {
      replicated = own->proxy.view();
    } else if (const auto* object = from.state.find_object(proxy.identity); object != nullptr) {
      replicated = catalog::trusted_view(object->proxy());
    }
  }
  const auto* group = from.state.find_replica_group(replicated.adapter_id);
  if (replicated.adapter_id.empty() || group == nullptr) return {};

  std::vector<std::string_view> ids;
  for (const auto& member : group->members) ids.push_back(member.id());
  for (const auto& member : group->deployed_members) ids.push_back(member.id());
  std::sort(ids.begin(), ids.end(),
            [](std::string_view left, std::string_view right) { return key_less(left, right); });

  std::vector<bytes> replicas;
  replicas.reserve(ids.size());
  for (const std::string_view id : ids) {
    bytes& one = replicas.emplace_back();
    append(one, replicated.header);
    append_size(one, 0);
    append_string(one, id);
  }
  return replicas;
}

}  // namespace muster::locator
