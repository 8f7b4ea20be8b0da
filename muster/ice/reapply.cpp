#include "muster/ice/reapply.hpp"

#include <exception>
#include <type_traits>
#include <variant>

#include <IceGrid/Admin.h>
#include <IceGrid/Registry.h>

#include "muster/ice/client_communicator.hpp"
#include "muster/ice/exceptions.hpp"
#include "muster/ice/properties.hpp"
#include "muster/ice/proxies.hpp"

namespace muster::ice {
namespace {

// How long the master may take for one change.
constexpr int request_timeout_ms = 30'000;

template <typename... Kinds>
struct overloaded : Kinds... {
  using Kinds::operator()...;
};
template <typename... Kinds>
overloaded(Kinds...) -> overloaded<Kinds...>;

class change_maker {
 public:
  change_maker(Ice::CommunicatorPtr communicator, std::shared_ptr<IceGrid::AdminPrx> admin,
               std::shared_ptr<Ice::LocatorRegistryPrx> registry)
      : communicator_{std::move(communicator)}, admin_{std::move(admin)}, registry_{std::move(registry)} {}

  result<void> make(const catalog::change& change) const {
    try {
      std::visit(
          overloaded{[&](const catalog::add_object& one) { admin_->addObjectWithType(proxy_of(one.proxy), one.type); },
                     [&](const catalog::update_object& one) { admin_->updateObject(proxy_of(one.proxy)); },
                     [&](const catalog::remove_object& one) { admin_->removeObject(one.id); },
                     [&](const catalog::set_adapter& one) {
                       registry_->setReplicatedAdapterDirectProxy(one.id, one.replica_group, proxy_of(one.proxy));
                     },
                     [&](const catalog::unset_adapter& one) { registry_->setAdapterDirectProxy(one.id, nullptr); },
                     [&](const catalog::remove_adapter& one) { admin_->removeAdapter(one.id); },
                     [&](const catalog::add_application& one) { admin_->addApplication(*one.descriptor); },
                     [&](const catalog::sync_application& one) { admin_->syncApplication(*one.descriptor); },
                     [&](const catalog::update_application& one) { admin_->updateApplication(*one.update); },
                     [&](const catalog::remove_application& one) { admin_->removeApplication(one.name); }},
          change);
      return {};
    } catch (const IceGrid::DeploymentException& refused) {
      return fail(errc::conflict, "{}", refused.reason);
    } catch (const Ice::Exception&) {
      return fail(errc::conflict, "{}", to_text(std::current_exception()));
    }
  }

 private:
  [[nodiscard]] std::shared_ptr<Ice::ObjectPrx> proxy_of(const catalog::encoded_proxy& encoded) const {
    const auto proxy = to_proxy(communicator_, encoded.content());
    return proxy ? *proxy : nullptr;
  }

  const Ice::CommunicatorPtr communicator_;
  const std::shared_ptr<IceGrid::AdminPrx> admin_;
  const std::shared_ptr<Ice::LocatorRegistryPrx> registry_;
};

}  // namespace

result<std::size_t> reapply(std::span<const catalog::change> changes,
                            const std::vector<std::pair<std::string, std::string>>& properties,
                            const std::function<void(std::size_t, const result<void>&)>& report) {
  const auto read = load_properties(properties);
  if (!read) return fail(read.error());
  const auto given = [&](std::string_view name, const char* otherwise) {
    const auto found = read->find(name);
    return found == read->end() || found->second.empty() ? std::string{otherwise} : found->second;
  };
  auto made_communicator = make_client_communicator(*read, given("Ice.Default.Locator", ""));
  if (!made_communicator) return fail(std::move(made_communicator).error());
  const Ice::CommunicatorHolder holder{*std::move(made_communicator)};
  const auto& communicator = holder.communicator();
  try {
    const auto locator = Ice::uncheckedCast<IceGrid::LocatorPrx>(communicator->getDefaultLocator());
    if (!locator) {
      return fail(errc::invalid_argument,
                  "Ice.Default.Locator is not set; it says where the master is, as for any client");
    }
    const auto instance = locator->ice_getIdentity().category;
    const auto registry = Ice::uncheckedCast<IceGrid::RegistryPrx>(
        communicator->stringToProxy(communicator->identityToString({"Registry", instance})));
    const auto session =
        registry->ice_invocationTimeout(request_timeout_ms)
            ->createAdminSession(given("IceGridAdmin.Username", "muster"), given("IceGridAdmin.Password", "none"));
    session->ice_getConnection()->setACM(Ice::nullopt, Ice::ACMClose::CloseOff, Ice::ACMHeartbeat::HeartbeatAlways);
    const change_maker maker{communicator, session->getAdmin()->ice_invocationTimeout(request_timeout_ms),
                             locator->getRegistry()->ice_invocationTimeout(request_timeout_ms)};
    std::size_t made = 0;
    for (std::size_t at = 0; at < changes.size(); ++at) {
      const auto outcome = maker.make(changes[at]);
      if (outcome) ++made;
      report(at, outcome);
    }
    session->destroy();
    return made;
  } catch (const IceGrid::PermissionDeniedException& denied) {
    return fail(errc::permission_denied,
                "the master gives no administrative session: {} (set IceGridAdmin.Username and IceGridAdmin.Password)",
                denied.reason);
  } catch (const Ice::Exception&) {
    return fail(errc::unavailable, "the master cannot be reached: {}", to_text(std::current_exception()));
  }
}

}  // namespace muster::ice
