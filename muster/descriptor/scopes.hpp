#pragma once

#include <optional>
#include <string>

#include "muster/descriptor/slice_types.hpp"
#include "muster/descriptor/variables.hpp"

namespace muster::descriptor {

/// Defines the application's variables, and `application`.
void define_application(variables& scope, const IceGrid::ApplicationDescriptor& application);

/// Defines the node's variables, and `node`.
void define_node(variables& scope, const std::string& name, const IceGrid::NodeDescriptor& node);

/// The id of the server that an instance of a template makes, in the scope of its node; nothing if the template is not
/// there or its id refers to something that is not defined.
[[nodiscard]] std::optional<std::string> instance_id(const IceGrid::ApplicationDescriptor& application,
                                                     const variables& node_scope,
                                                     const IceGrid::ServerInstanceDescriptor& instance);

}  // namespace muster::descriptor
