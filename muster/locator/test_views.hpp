#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <IceGrid/Descriptor.h>
#include <gtest/gtest.h>

#include "muster/catalog/apply.hpp"
#include "muster/locator/test_proxies.hpp"
#include "muster/locator/view.hpp"

/// For tests: views made by the changes that make them in earnest.
namespace muster::locator::testing {

class view_builder {
 public:
  view_builder& object(catalog::encoded_proxy proxy, std::string type) {
    return apply(catalog::add_object{std::move(type), std::move(proxy)});
  }

  view_builder& adapter(std::string id, std::string group, catalog::encoded_proxy proxy) {
    return apply(catalog::set_adapter{std::move(id), std::move(group), std::move(proxy)});
  }

  view_builder& application(IceGrid::ApplicationDescriptor descriptor) {
    return apply(catalog::add_application{
        "id", {}, std::make_shared<const IceGrid::ApplicationDescriptor>(std::move(descriptor))});
  }

  /// A node reports that the adapter of a deployed server is active.
  view_builder& active(const std::string& id, const catalog::encoded_proxy& proxy) {
    made_.active_adapters.set(catalog::adapter::make(id, "", proxy.content(), 0));
    return *this;
  }

  view_builder& own(std::shared_ptr<const well_known> objects) {
    made_.own = std::move(objects);
    return *this;
  }

  view_builder& apply(const catalog::change& one) {
    std::vector<catalog::row> rows;
    const auto done = catalog::apply(made_.state, one, ++serial_, rows);
    if (!done) ADD_FAILURE() << done.error().message;
    return *this;
  }

  operator const view&() const { return made_; }  // NOLINT(google-explicit-constructor): it is what it builds

 private:
  view made_;
  std::uint64_t serial_{0};
};

/// A server with one adapter, on node "n".
struct server {
  std::string adapter;
  std::string group{};
  std::string priority{};
  std::vector<IceGrid::ObjectDescriptor> objects{};
};

/// An application with one replica group (unless its id is empty) and some servers.
inline IceGrid::ApplicationDescriptor application(std::string name, std::string group,
                                                  std::shared_ptr<IceGrid::LoadBalancingPolicy> policy,
                                                  const std::vector<server>& servers) {
  IceGrid::ApplicationDescriptor made;
  made.name = std::move(name);
  if (!group.empty()) {
    IceGrid::ReplicaGroupDescriptor described;
    described.id = std::move(group);
    described.loadBalancing = std::move(policy);
    made.replicaGroups.push_back(described);
  }
  for (const auto& one : servers) {
    IceGrid::AdapterDescriptor adapter;
    adapter.name = "adapter";
    adapter.id = one.adapter;
    adapter.replicaGroupId = one.group;
    adapter.priority = one.priority;
    adapter.registerProcess = false;
    adapter.serverLifetime = true;
    adapter.objects.assign(one.objects.begin(), one.objects.end());
    auto described = std::make_shared<IceGrid::ServerDescriptor>();
    described->id = "server of " + one.adapter;
    described->exe = "server";
    described->activation = "on-demand";
    described->applicationDistrib = false;
    described->allocatable = false;
    described->adapters.push_back(adapter);
    made.nodes["n"].servers.push_back(described);
  }
  return made;
}

template <typename Policy>
std::shared_ptr<IceGrid::LoadBalancingPolicy> policy(std::string n_replicas) {
  auto made = std::make_shared<Policy>();
  made->nReplicas = std::move(n_replicas);
  return made;
}

}  // namespace muster::locator::testing
