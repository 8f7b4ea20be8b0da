#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "muster/catalog/encoded_proxy.hpp"
#include "muster/catalog/identity.hpp"
#include "muster/locator/active_replica.hpp"

namespace muster::locator {

/// A well-known object of the registry itself.
struct own_object {
  catalog::encoded_proxy proxy;
  std::string type;
  /// Not listed: found by its identity, but in no list and by no type.
  bool is_listed{true};

  friend bool operator==(const own_object&, const own_object&) = default;
};

/// The well-known objects of the registry itself, as Ice 3.7 has them, for one set of active replicas: immutable, made
/// anew as replicas come and go. They are not part of the catalog, and stand above it: their names, in the category
/// that is the instance's name, belong to them whether or not the replica in question is active.
///
///     Locator, Query, LocatorRegistry         with the endpoints of all replicas: the master's, then by name
///     Registry                                of the master
///     Registry-<replica>                      of a slave
///     Locator-<replica>                       of each (not listed)
///     InternalRegistry-<replica>              of each
///     SessionManager, SSLSessionManager       of the master, where configured
///     AdminSessionManager[-<replica>], AdminSSLSessionManager[-<replica>], RegistryUserAccountMapper[-<replica>]
///                                             of each where configured, with the suffix on a slave
class well_known {
 public:
  /// No objects: the instance has no active replica yet.
  well_known() = default;

  /// `self` names the replica that answers; its endpoints stand first where a caller will keep the proxy. If it is not
  /// among the replicas, the proxies of its own are null.
  [[nodiscard]] static std::shared_ptr<const well_known> make(std::string instance_name, std::string_view self,
                                                              std::span<const active_replica> replicas);

  [[nodiscard]] const std::string& instance_name() const noexcept { return instance_name_; }

  /// Whether an identity is in the registry's own category: administrators may not register, update or remove it.
  [[nodiscard]] bool is_reserved(catalog::identity_view id) const noexcept;

  /// The object, or null.
  [[nodiscard]] const own_object* find(catalog::identity_view id) const noexcept;

  /// All objects in the order of their names.
  [[nodiscard]] std::span<const own_object> objects() const noexcept { return objects_; }

  /// What `LocatorFinder::getLocator` and a discovery answer: the endpoints of all replicas, this one's first.
  [[nodiscard]] const catalog::encoded_proxy& locator() const noexcept { return locator_; }
  /// What `Locator::getRegistry` answers, likewise.
  [[nodiscard]] const catalog::encoded_proxy& locator_registry() const noexcept { return locator_registry_; }
  /// What `Locator::getLocalRegistry` and `getLocalQuery` answer: this replica's endpoints alone.
  [[nodiscard]] const catalog::encoded_proxy& local_registry() const noexcept { return local_registry_; }
  [[nodiscard]] const catalog::encoded_proxy& local_query() const noexcept { return local_query_; }

 private:
  std::string instance_name_;
  std::vector<own_object> objects_;
  catalog::encoded_proxy locator_;
  catalog::encoded_proxy locator_registry_;
  catalog::encoded_proxy local_registry_;
  catalog::encoded_proxy local_query_;
};

}  // namespace muster::locator
