#pragma once

#include <memory>
#include <string>
#include <vector>

#include <Ice/Identity.h>

#include "muster/descriptor/slice_types.hpp"

namespace muster::descriptor {

/// A well-known object that an application defines, without the adapter or group that serves it.
struct object_entry {
  Ice::Identity id;
  std::string type;
  std::string proxy_options;  ///< its own, or those of its adapter or group
};

enum class load_balancing { random, round_robin, ordered, adaptive };

struct replica_group_entry {
  std::string id;
  load_balancing policy{load_balancing::random};
  int n_replicas{1};        ///< how many members a locate request is answered with; 0 = all
  std::string load_sample;  ///< "1", "5" or "15", for the adaptive policy
  std::string proxy_options;
  std::string filter;
  std::string description;
  std::vector<object_entry> objects;
};

struct server_entry {
  std::string id;
  std::string node;
  std::shared_ptr<IceGrid::ServerDescriptor> server;  ///< as it stands in the application; nobody may change it
};

struct adapter_entry {
  std::string id;
  std::string server;
  std::string node;
  std::string replica_group;  ///< empty = none
  int priority{0};            ///< lower comes first in an ordered group
  std::vector<object_entry> objects;
  std::vector<object_entry> allocatables;  ///< these cannot be located, and nobody else may use their identities
};

/// What an application puts into the registry's name spaces, as far as it can be known without expanding templates:
/// replica groups, the plain servers of its nodes, their adapters and objects. Variables (the application's, the
/// node's,
/// `${application}`, `${node}`, `${server}`) are replaced in names; a name that still holds a `${` afterwards is left
/// out.
struct contents {
  std::vector<replica_group_entry> replica_groups;
  std::vector<server_entry> servers;
  std::vector<adapter_entry> adapters;
  std::vector<std::string> nodes;
};

/// Total: what does not fit is left out. `validate` is where it is refused.
[[nodiscard]] contents contents_of(const IceGrid::ApplicationDescriptor& application);

}  // namespace muster::descriptor
