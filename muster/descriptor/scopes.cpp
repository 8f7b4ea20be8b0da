#include "muster/descriptor/scopes.hpp"

#include <IceGrid/Descriptor.h>

namespace muster::descriptor {

void define_application(variables& scope, const IceGrid::ApplicationDescriptor& application) {
  scope.define("application", application.name);
  scope.define_all(application.variables);
}

void define_node(variables& scope, const std::string& name, const IceGrid::NodeDescriptor& node) {
  scope.define("node", name);
  scope.define_all(node.variables);
}

std::optional<std::string> instance_id(const IceGrid::ApplicationDescriptor& application, const variables& node_scope,
                                       const IceGrid::ServerInstanceDescriptor& instance) {
  const auto found = application.serverTemplates.find(instance._cpp_template);
  if (found == application.serverTemplates.end()) return std::nullopt;
  const auto* server = dynamic_cast<const IceGrid::ServerDescriptor*>(found->second.descriptor.get());
  if (server == nullptr) return std::nullopt;
  variables scope{node_scope};
  // A value that is given may refer to the variables around the instance, not to other parameters.
  for (const auto& [name, value] : instance.parameterValues) {
    if (auto resolved = node_scope.substitute(value)) scope.define(name, std::move(*resolved));
  }
  scope.define_all(found->second.parameterDefaults);
  return scope.substitute(server->id);
}

}  // namespace muster::descriptor
