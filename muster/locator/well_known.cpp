#include "muster/locator/well_known.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace muster::locator {

namespace {

using catalog::encoded_proxy;
using catalog::identity_view;

using endpoint_of = encoded_proxy active_replica::*;

constexpr std::string_view locator_type = "::Ice::Locator";
constexpr std::string_view locator_registry_type = "::Ice::LocatorRegistry";
constexpr std::string_view query_type = "::IceGrid::Query";
constexpr std::string_view registry_type = "::IceGrid::Registry";
constexpr std::string_view internal_registry_type = "::IceGrid::InternalRegistry";
constexpr std::string_view user_account_mapper_type = "::IceGrid::UserAccountMapper";
constexpr std::string_view session_manager_type = "::Glacier2::SessionManager";
constexpr std::string_view ssl_session_manager_type = "::Glacier2::SSLSessionManager";

// The objects under construction, all of one instance.
class builder {
 public:
  builder(std::string_view instance, std::span<const active_replica> replicas) : instance_{instance} {
    for (const auto& replica : replicas) in_order_.push_back(&replica);
    std::sort(in_order_.begin(), in_order_.end(), [](const active_replica* left, const active_replica* right) {
      return std::pair{!left->is_master, std::string_view{left->name}} <
             std::pair{!right->is_master, std::string_view{right->name}};
    });
  }

  // Twoway proxy `name` with the endpoints that all replicas have in `which`, those of `first`, if any, before.
  [[nodiscard]] encoded_proxy of_all(std::string_view name, endpoint_of which, const active_replica* first) const {
    std::vector<catalog::proxy_view> several;
    if (first != nullptr) several.push_back((first->*which).view());
    for (const auto* replica : in_order_) several.push_back((replica->*which).view());
    const encoded_proxy plain = encoded_proxy::indirect({name, instance_}, {});
    return encoded_proxy::with_endpoints_of(plain.view(), several);
  }

  // `name` at one replica's endpoints, with the options of the adapter they belong to.
  [[nodiscard]] encoded_proxy of_one(std::string_view name, const encoded_proxy& endpoints) const {
    return endpoints.is_null() ? encoded_proxy{} : endpoints.with_identity({name, instance_});
  }

  void add(encoded_proxy proxy, std::string_view type, bool is_listed = true) {
    if (!proxy.is_null()) objects_.push_back({std::move(proxy), std::string{type}, is_listed});
  }

  void add_replicated() {
    if (in_order_.empty()) return;
    add(of_all("Locator", &active_replica::client, nullptr), locator_type);
    add(of_all("Query", &active_replica::client, nullptr), query_type);
    add(of_all("LocatorRegistry", &active_replica::server, nullptr), locator_registry_type);
  }

  void add_of(const active_replica& replica) {
    add(of_one(registry_name(replica), replica.client), registry_type);
    add(of_one("Locator-" + replica.name, replica.client), locator_type, false);
    add(of_one("InternalRegistry-" + replica.name, replica.internal), internal_registry_type);
    if (replica.is_master) {
      add(of_one("SessionManager", replica.session_manager), session_manager_type);
      add(of_one("SSLSessionManager", replica.session_manager), ssl_session_manager_type);
    }
    add(of_one(with_suffix("AdminSessionManager", replica), replica.admin_session_manager), session_manager_type);
    add(of_one(with_suffix("AdminSSLSessionManager", replica), replica.admin_session_manager),
        ssl_session_manager_type);
    if (replica.has_user_account_mapper) {
      add(of_one(with_suffix("RegistryUserAccountMapper", replica), replica.internal), user_account_mapper_type);
    }
  }

  [[nodiscard]] static std::string registry_name(const active_replica& replica) {
    return with_suffix("Registry", replica);
  }

  [[nodiscard]] std::vector<own_object> take() && {
    const auto name_of = [](const own_object& object) { return object.proxy.view().identity.name; };
    std::sort(objects_.begin(), objects_.end(),
              [&](const own_object& left, const own_object& right) { return name_of(left) < name_of(right); });
    return std::move(objects_);
  }

 private:
  [[nodiscard]] static std::string with_suffix(std::string_view name, const active_replica& replica) {
    return replica.is_master ? std::string{name} : fmt::format("{}-{}", name, replica.name);
  }

  std::string_view instance_;
  std::vector<const active_replica*> in_order_;
  std::vector<own_object> objects_;
};

}  // namespace

std::shared_ptr<const well_known> well_known::make(std::string instance_name, std::string_view self,
                                                   std::span<const active_replica> replicas) {
  auto made = std::make_shared<well_known>();
  made->instance_name_ = std::move(instance_name);

  builder objects{made->instance_name_, replicas};
  const auto own = std::find_if(replicas.begin(), replicas.end(), [&](const auto& one) { return one.name == self; });
  const active_replica* first = own == replicas.end() ? nullptr : &*own;
  if (!replicas.empty()) {
    made->locator_ = objects.of_all("Locator", &active_replica::client, first);
    made->locator_registry_ = objects.of_all("LocatorRegistry", &active_replica::server, first);
  }
  if (first != nullptr) {
    made->local_registry_ = objects.of_one(builder::registry_name(*first), first->client);
    made->local_query_ = objects.of_one("Query", first->client);
  }

  objects.add_replicated();
  for (const auto& replica : replicas) objects.add_of(replica);
  made->objects_ = std::move(objects).take();
  return made;
}

bool well_known::is_reserved(identity_view id) const noexcept {
  return !instance_name_.empty() && id.category == instance_name_;
}

const own_object* well_known::find(identity_view id) const noexcept {
  if (id.category != instance_name_) return nullptr;
  const auto at = std::lower_bound(
      objects_.begin(), objects_.end(), id.name,
      [](const own_object& object, std::string_view name) { return object.proxy.view().identity.name < name; });
  if (at == objects_.end() || at->proxy.view().identity.name != id.name) return nullptr;
  return &*at;
}

}  // namespace muster::locator
