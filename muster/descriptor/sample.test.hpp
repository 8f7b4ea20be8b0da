#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <IceGrid/Descriptor.h>

namespace muster::descriptor::sample {

[[nodiscard]] inline IceGrid::ObjectDescriptor object(std::string name, std::string type = "::Demo::Hello",
                                                      std::string proxy_options = "") {
  return {{std::move(name), ""}, std::move(type), std::move(proxy_options)};
}

[[nodiscard]] inline IceGrid::ReplicaGroupDescriptor group(std::string id, IceGrid::ObjectDescriptorSeq objects = {}) {
  IceGrid::ReplicaGroupDescriptor made;
  made.id = std::move(id);
  made.loadBalancing = std::make_shared<IceGrid::RoundRobinLoadBalancingPolicy>("2");
  made.objects = std::move(objects);
  return made;
}

[[nodiscard]] inline IceGrid::AdapterDescriptor adapter(std::string id, std::string group_id = "",
                                                        IceGrid::ObjectDescriptorSeq objects = {}) {
  IceGrid::AdapterDescriptor made{};  // slice2cpp leaves booleans as they come
  made.name = "Hello";
  made.id = std::move(id);
  made.replicaGroupId = std::move(group_id);
  made.objects = std::move(objects);
  return made;
}

template <typename Server = IceGrid::ServerDescriptor>
[[nodiscard]] std::shared_ptr<Server> server(std::string id, IceGrid::AdapterDescriptorSeq adapters = {}) {
  auto made = std::make_shared<Server>();
  made->id = std::move(id);
  made->exe = "/bin/true";
  made->activation = "on-demand";
  made->adapters = std::move(adapters);
  return made;
}

/// An application named `name`, whose things have names that begin with it: a group of two members with an object, two
/// servers on one node, of which the second has an object of its own.
[[nodiscard]] inline IceGrid::ApplicationDescriptor application(const std::string& name) {
  IceGrid::ApplicationDescriptor made;
  made.name = name;
  made.description = "An application for tests";
  made.replicaGroups = {group(name + "-group", {object(name + "-replicated")})};
  auto& node = made.nodes["node1"];
  node.servers = {
      server(name + "-server1", {adapter(name + "-adapter1", name + "-group")}),
      server(name + "-server2", {adapter(name + "-adapter2", name + "-group"),
                                 adapter(name + "-adapter3", "", {object(name + "-single", "::Demo::Other")})})};
  return made;
}

/// The same with one of each class that a descriptor can hold.
[[nodiscard]] inline IceGrid::ApplicationDescriptor rich_application(const std::string& name) {
  auto made = application(name);
  made.variables = {{"port", "4711"}};
  made.serverTemplates["Template"] = {
      server(name + "-${index}", {adapter("${server}.Hello")}), {"index"}, {{"index", "0"}}};
  auto service = std::make_shared<IceGrid::ServiceDescriptor>();
  service->name = "Service";
  service->entry = "library:create";
  made.serviceTemplates["Service"] = {service, {}, {}};
  auto box = server<IceGrid::IceBoxDescriptor>(name + "-box");
  box->services.push_back({"", {}, service, {}});
  box->services.push_back({"Service", {}, nullptr, {}});
  made.nodes["node1"].servers.push_back(box);
  made.nodes["node2"].serverInstances.push_back({"Template", {{"index", "7"}}, {}, {}});
  auto adaptive = group(name + "-adaptive");
  adaptive.loadBalancing = std::make_shared<IceGrid::AdaptiveLoadBalancingPolicy>("0", "5");
  made.replicaGroups.push_back(adaptive);
  return made;
}

}  // namespace muster::descriptor::sample
