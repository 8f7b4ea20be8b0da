#include "muster/descriptor/contents.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include <IceGrid/Descriptor.h>

#include "muster/descriptor/scopes.hpp"
#include "muster/descriptor/variables.hpp"

namespace muster::descriptor {

namespace {

[[nodiscard]] int parse_number(std::string_view text, int otherwise) {
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  return parsed.ec == std::errc{} && parsed.ptr == end ? value : otherwise;
}

[[nodiscard]] std::optional<object_entry> read_object(const IceGrid::ObjectDescriptor& object,
                                                      const std::string& default_options, const variables& scope) {
  const auto name = scope.substitute(object.id.name);
  const auto category = scope.substitute(object.id.category);
  const auto type = scope.substitute(object.type);
  const auto options = scope.substitute(object.proxyOptions.empty() ? default_options : object.proxyOptions);
  if (!name || !category || !type || !options || name->empty()) return std::nullopt;
  return object_entry{{*name, *category}, *type, *options};
}

[[nodiscard]] std::vector<object_entry> read_objects(const IceGrid::ObjectDescriptorSeq& objects,
                                                     const std::string& default_options, const variables& scope) {
  std::vector<object_entry> entries;
  for (const auto& object : objects) {
    if (auto entry = read_object(object, default_options, scope)) entries.push_back(std::move(*entry));
  }
  return entries;
}

void read_policy(const std::shared_ptr<IceGrid::LoadBalancingPolicy>& policy, replica_group_entry& entry,
                 const variables& scope) {
  if (!policy) return;
  entry.n_replicas = std::max(0, parse_number(scope.substitute(policy->nReplicas).value_or(""), 1));
  if (dynamic_cast<const IceGrid::RoundRobinLoadBalancingPolicy*>(policy.get()) != nullptr) {
    entry.policy = load_balancing::round_robin;
  } else if (dynamic_cast<const IceGrid::OrderedLoadBalancingPolicy*>(policy.get()) != nullptr) {
    entry.policy = load_balancing::ordered;
  } else if (const auto* adaptive = dynamic_cast<const IceGrid::AdaptiveLoadBalancingPolicy*>(policy.get())) {
    entry.policy = load_balancing::adaptive;
    entry.load_sample = scope.substitute(adaptive->loadSample).value_or("");
  }
}

[[nodiscard]] std::optional<replica_group_entry> read_group(const IceGrid::ReplicaGroupDescriptor& group,
                                                            const variables& scope) {
  const auto id = scope.substitute(group.id);
  if (!id || id->empty()) return std::nullopt;
  replica_group_entry entry;
  entry.id = *id;
  read_policy(group.loadBalancing, entry, scope);
  entry.proxy_options = scope.substitute(group.proxyOptions).value_or("");
  entry.filter = scope.substitute(group.filter).value_or("");
  entry.description = group.description;
  entry.objects = read_objects(group.objects, entry.proxy_options, scope);
  return entry;
}

/// The options that the adapter's own property gives to the proxies of its objects.
[[nodiscard]] std::string adapter_proxy_options(const IceGrid::CommunicatorDescriptor& communicator,
                                                const IceGrid::AdapterDescriptor& adapter) {
  for (const auto& property : communicator.propertySet.properties) {
    if (property.name == adapter.name + ".ProxyOptions") return property.value;
  }
  return {};
}

void read_adapters(const IceGrid::CommunicatorDescriptor& communicator, const server_entry& server,
                   const variables& scope, contents& out) {
  for (const auto& adapter : communicator.adapters) {
    const auto id = scope.substitute(adapter.id);
    const auto group = scope.substitute(adapter.replicaGroupId);
    if (!id || id->empty() || !group) continue;
    const auto options = adapter_proxy_options(communicator, adapter);
    adapter_entry entry;
    entry.id = *id;
    entry.server = server.id;
    entry.node = server.node;
    entry.replica_group = *group;
    entry.priority = parse_number(scope.substitute(adapter.priority).value_or(""), 0);
    entry.objects = read_objects(adapter.objects, options, scope);
    entry.allocatables = read_objects(adapter.allocatables, options, scope);
    out.adapters.push_back(std::move(entry));
  }
}

/// The services of an IceBox that stand in it; those made from a template are left out.
void read_services(const IceGrid::ServerDescriptor& server, const server_entry& entry, const variables& scope,
                   contents& out) {
  const auto* box = dynamic_cast<const IceGrid::IceBoxDescriptor*>(&server);
  if (box == nullptr) return;
  for (const auto& instance : box->services) {
    if (!instance.descriptor) continue;
    variables service_scope{scope};
    service_scope.define("service", scope.substitute(instance.descriptor->name).value_or(""));
    read_adapters(*instance.descriptor, entry, service_scope, out);
  }
}

void read_node(const std::string& name, const IceGrid::NodeDescriptor& node, const variables& application_scope,
               contents& out) {
  out.nodes.push_back(name);
  variables node_scope{application_scope};
  define_node(node_scope, name, node);
  for (const auto& server : node.servers) {
    if (!server) continue;
    const auto id = node_scope.substitute(server->id);
    if (!id || id->empty()) continue;
    variables server_scope{node_scope};
    server_scope.define("server", *id);
    out.servers.push_back({*id, name, server});
    const auto entry = out.servers.back();
    read_adapters(*server, entry, server_scope, out);
    read_services(*server, entry, server_scope, out);
  }
}

}  // namespace

contents contents_of(const IceGrid::ApplicationDescriptor& application) {
  contents out;
  variables scope;
  define_application(scope, application);
  for (const auto& group : application.replicaGroups) {
    if (auto entry = read_group(group, scope)) out.replica_groups.push_back(std::move(*entry));
  }
  for (const auto& [name, node] : application.nodes) read_node(name, node, scope, out);
  return out;
}

}  // namespace muster::descriptor
