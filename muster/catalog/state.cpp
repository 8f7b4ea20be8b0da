#include "muster/catalog/state.hpp"

#include <algorithm>

#include <IceGrid/Admin.h>

#include "muster/descriptor/marshal.hpp"

namespace muster::catalog {

namespace {

[[nodiscard]] bool same(const object& one, const object& two) {
  return std::ranges::equal(one.proxy(), two.proxy()) && one.type() == two.type() && one.row_key() == two.row_key() &&
         one.application() == two.application();
}

[[nodiscard]] bool same(const adapter& one, const adapter& two) {
  return one.replica_group() == two.replica_group() && std::ranges::equal(one.proxy(), two.proxy()) &&
         one.row_key() == two.row_key();
}

[[nodiscard]] bool same(const application& one, const application& two) {
  return one.row_key == two.row_key &&
         (one.info == two.info || descriptor::encode(*one.info) == descriptor::encode(*two.info));
}

// What follows is derived from the records above: to compare how much of it there is would show an index gone astray.

[[nodiscard]] bool same(const objects_of_type& one, const objects_of_type& two) {
  return one.objects.size() == two.objects.size();
}

[[nodiscard]] bool same(const replica_group& one, const replica_group& two) {
  return one.is_deployed() == two.is_deployed() && one.members.size() == two.members.size() &&
         one.deployed_members.size() == two.deployed_members.size();
}

[[nodiscard]] bool same(const deployed_adapter& one, const deployed_adapter& two) {
  return one.application->text() == two.application->text() && one.entry.server == two.entry.server;
}

[[nodiscard]] bool same(const deployed_server& one, const deployed_server& two) {
  return one.application->text() == two.application->text() && one.entry.node == two.entry.node;
}

template <typename Index>
[[nodiscard]] bool same(const persistent_map<Index>& one, const persistent_map<Index>& two) {
  if (one.size() != two.size()) return false;
  for (const auto& record : one) {
    const auto* other = two.find(Index::key_of(record));
    if (other == nullptr) return false;
    if (other != &record && !same(record, *other)) return false;
  }
  return true;
}

}  // namespace

bool operator==(const state& one, const state& two) {
  return same(one.objects_, two.objects_) && same(one.types_, two.types_) &&
         same(one.allocatables_, two.allocatables_) && same(one.adapters_, two.adapters_) &&
         same(one.deployed_adapters_, two.deployed_adapters_) && same(one.groups_, two.groups_) &&
         same(one.applications_, two.applications_) && same(one.servers_, two.servers_);
}

}  // namespace muster::catalog
