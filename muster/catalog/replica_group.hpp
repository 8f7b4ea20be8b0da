#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "muster/catalog/adapter.hpp"
#include "muster/catalog/counted.hpp"
#include "muster/catalog/interned.hpp"
#include "muster/catalog/persistent_map.hpp"
#include "muster/descriptor/contents.hpp"

namespace muster::catalog {

/// An adapter of a server that an application describes. Its endpoints are known to the node that runs the server.
struct deployed_adapter final : counted<deployed_adapter> {
  deployed_adapter(descriptor::adapter_entry in_entry, ref<interned> in_application)
      : entry{std::move(in_entry)}, application{std::move(in_application)} {}

  [[nodiscard]] std::string_view id() const noexcept { return entry.id; }

  descriptor::adapter_entry entry;
  ref<interned> application;
};

/// A server that an application describes.
struct deployed_server final : counted<deployed_server> {
  deployed_server(descriptor::server_entry in_entry, ref<interned> in_application)
      : entry{std::move(in_entry)}, application{std::move(in_application)} {}

  [[nodiscard]] std::string_view id() const noexcept { return entry.id; }

  descriptor::server_entry entry;
  ref<interned> application;
};

/// How an application describes a replica group.
struct group_deployment {
  descriptor::replica_group_entry entry;
  ref<interned> application;
};

using adapter_map = persistent_map<by_id<adapter>>;
using deployed_adapter_map = persistent_map<by_id<deployed_adapter>>;

/// A replica group: deployed, or formed by the dynamic adapters that name it, never both. A dynamic group goes with its
/// last member.
struct replica_group final : counted<replica_group> {
  explicit replica_group(std::string_view id) : name{id} {}
  replica_group(const replica_group& other)
      : counted<replica_group>{},
        name{other.name},
        deployment{other.deployment},
        members{other.members},
        deployed_members{other.deployed_members} {}

  [[nodiscard]] std::string_view id() const noexcept { return name; }
  [[nodiscard]] bool is_deployed() const noexcept { return deployment != nullptr; }

  std::string name;
  std::shared_ptr<const group_deployment> deployment;  ///< null for a dynamic group
  adapter_map members;                                 ///< dynamic adapters
  deployed_adapter_map deployed_members;               ///< adapters of the servers of applications
};

}  // namespace muster::catalog
