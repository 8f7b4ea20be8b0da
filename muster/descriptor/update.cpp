#include "muster/descriptor/update.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <IceGrid/Descriptor.h>

#include "muster/descriptor/scopes.hpp"
#include "muster/descriptor/variables.hpp"

namespace muster::descriptor {

namespace {

using names = std::vector<std::string>;

/// Removes, then replaces and adds, in a dictionary.
template <typename Dictionary>
void update_dictionary(Dictionary& dictionary, const Dictionary& given, const names& removed) {
  for (const auto& name : removed) dictionary.erase(name);
  for (const auto& [name, value] : given) dictionary.insert_or_assign(name, value);
}

/// The same in a sequence. `name_of` gives an element's name, or nothing for one that cannot be named; such elements
/// stay, and given ones are appended.
template <typename Sequence, typename NameOf>
void update_sequence(Sequence& sequence, const Sequence& given, const names& removed, const NameOf& name_of) {
  const std::set<std::string> unwanted{removed.begin(), removed.end()};
  std::erase_if(sequence, [&](const auto& element) {
    const auto name = name_of(element);
    return name && unwanted.contains(*name);
  });
  for (const auto& element : given) {
    const auto name = name_of(element);
    const auto same = std::find_if(sequence.begin(), sequence.end(),
                                   [&](const auto& there) { return name && name_of(there) == name; });
    if (same == sequence.end()) {
      sequence.push_back(element);
    } else {
      *same = element;
    }
  }
}

void update_node(const IceGrid::ApplicationDescriptor& application, IceGrid::NodeDescriptor& node,
                 const IceGrid::NodeUpdateDescriptor& update) {
  if (update.description) node.description = update.description->value;
  if (update.loadFactor) node.loadFactor = update.loadFactor->value;
  update_dictionary(node.variables, update.variables, update.removeVariables);
  update_dictionary(node.propertySets, update.propertySets, update.removePropertySets);

  // The ids of servers are told by the variables as they are now.
  variables application_scope;
  define_application(application_scope, application);
  variables scope{application_scope};
  define_node(scope, update.name, node);
  const auto id_of_server = [&](const std::shared_ptr<IceGrid::ServerDescriptor>& server) {
    return server ? scope.substitute(server->id) : std::nullopt;
  };
  const auto id_of_instance = [&](const IceGrid::ServerInstanceDescriptor& instance) {
    return instance_id(application, scope, instance);
  };

  // A server may become an instance of a template, or the reverse: what is given under an id ousts the other kind.
  names servers_removed = update.removeServers;
  names instances_removed = update.removeServers;
  for (const auto& server : update.servers) {
    if (auto id = id_of_server(server)) instances_removed.push_back(std::move(*id));
  }
  for (const auto& instance : update.serverInstances) {
    if (auto id = id_of_instance(instance)) servers_removed.push_back(std::move(*id));
  }
  update_sequence(node.servers, update.servers, servers_removed, id_of_server);
  update_sequence(node.serverInstances, update.serverInstances, instances_removed, id_of_instance);
}

}  // namespace

IceGrid::ApplicationDescriptor apply_update(const IceGrid::ApplicationDescriptor& before,
                                            const IceGrid::ApplicationUpdateDescriptor& update) {
  auto after = before;
  if (update.description) after.description = update.description->value;
  if (update.distrib) after.distrib = update.distrib->value;
  update_dictionary(after.variables, update.variables, update.removeVariables);
  update_dictionary(after.propertySets, update.propertySets, update.removePropertySets);
  update_dictionary(after.serverTemplates, update.serverTemplates, update.removeServerTemplates);
  update_dictionary(after.serviceTemplates, update.serviceTemplates, update.removeServiceTemplates);

  variables scope;
  define_application(scope, after);
  const auto id_of_group = [&](const IceGrid::ReplicaGroupDescriptor& group) { return scope.substitute(group.id); };
  update_sequence(after.replicaGroups, update.replicaGroups, update.removeReplicaGroups, id_of_group);

  for (const auto& name : update.removeNodes) after.nodes.erase(name);
  for (const auto& node : update.nodes) update_node(after, after.nodes[node.name], node);
  return after;
}

}  // namespace muster::descriptor
