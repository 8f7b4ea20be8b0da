#include "muster/ice/communicator.hpp"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "muster/ice/event_logger.hpp"
#include "muster/ice/start_refusal.hpp"
#include "muster/ice/tls_plugin.hpp"

namespace muster::ice {

namespace {

constexpr std::array<std::string_view, 6> adapters{
    "Client", "Server", "Internal", "SessionManager", "AdminSessionManager", "Discovery"};

// Completes a map without overwriting what the operator says; an empty value is no value.
class completion {
 public:
  explicit completion(config::property_map& properties) noexcept : properties_{properties} {}

  void fill(const std::string& name, std::string_view value) {
    auto& present = properties_[name];
    if (present.empty()) present = value;
  }
  void force(const std::string& name, std::string_view value) { properties_[name] = value; }
  [[nodiscard]] bool has(const std::string& name) const {
    const auto at = properties_.find(name);
    return at != properties_.end() && !at->second.empty();
  }
  // "1" is what scripting languages, which have the plug-in inside, take for "load it".
  void name_entry_point(const std::string& plugin, std::string_view entry_point) {
    if (has(plugin) && properties_[plugin] == "1") properties_[plugin] = entry_point;
  }

 private:
  config::property_map& properties_;
};

bool needs_tls(const config::registry_settings& settings) {
  const auto& at = settings.endpoints;
  return has_secure_endpoint(at.client) || has_secure_endpoint(at.server) || has_secure_endpoint(at.internal) ||
         has_secure_endpoint(at.session_manager) || has_secure_endpoint(at.admin_session_manager) ||
         has_secure_endpoint(settings.locator.default_locator);
}

void fill_adapters(const config::registry_settings& settings, completion& to) {
  const auto& at = settings.endpoints;
  to.force("IceGrid.Registry.Client.Endpoints", at.client);
  to.force("IceGrid.Registry.Server.Endpoints", at.server);
  to.force("IceGrid.Registry.Internal.Endpoints", at.internal);
  to.force("IceGrid.Registry.SessionManager.Endpoints", at.session_manager);
  to.force("IceGrid.Registry.AdminSessionManager.Endpoints", at.admin_session_manager);
  to.force("IceGrid.Registry.Discovery.Endpoints", settings.discovery.endpoints);
  for (const auto name : adapters) {
    const auto prefix = fmt::format("IceGrid.Registry.{}.", name);
    to.force(prefix + "AdapterId", "");
    to.force(prefix + "ReplicaGroupId", "");
    // A pool of its own: one adapter's requests never wait for another's.
    to.fill(prefix + "ThreadPool.Size", "1");
  }
  // Registrations of one server, and the messages of one replica, are taken in the order in which they come.
  to.force("IceGrid.Registry.Server.ThreadPool.Serialize", "1");
  to.force("IceGrid.Registry.Internal.ThreadPool.Serialize", "1");
  to.fill("IceGrid.Registry.Internal.MessageSizeMax", "0");

  const auto& sessions = settings.sessions;
  if (sessions.session_timeout) {
    to.fill("IceGrid.Registry.Client.ACM.Timeout", fmt::to_string(sessions.session_timeout->count()));
  }
  to.fill("IceGrid.Registry.Server.ACM.Timeout", "30");
  to.fill("IceGrid.Registry.Internal.ACM.Timeout", fmt::to_string(sessions.replica_session_timeout.count()));
}

}  // namespace

config::property_map complete_properties(const config::registry_settings& settings, config::property_map properties) {
  completion to{properties};
  to.force("Ice.PrintProcessId", "0");
  to.force("Ice.ServerIdleTime", "0");
  // Its facet Process is made to end this process in good order before anybody reaches it.
  to.force("Ice.Admin.DelayCreation", "1");
  to.force("Ice.ACM.Server.Close", "3");
  // Our own calls have their own answers to failure; a silent second attempt would only double their bounds.
  to.fill("Ice.RetryIntervals", "-1");
  // What is refused is counted and answered; a line in the log for each would be the sender's to fill.
  to.fill("Ice.Warn.Dispatch", "0");
  // A client that is stopped does not delay the end of the process by more than this.
  to.fill("Ice.Override.CloseTimeout", "2000");
  fill_adapters(settings, to);

  to.name_entry_point("Ice.Plugin.IceLocatorDiscovery", "IceLocatorDiscovery:createIceLocatorDiscovery");
  complete_tls(properties, needs_tls(settings));
  return properties;
}

result<Ice::CommunicatorPtr> make_communicator(const config::registry_settings& settings,
                                               const config::property_map& properties, event_log& log) {
  try {
    // Linked in, but loaded only where a property says so.
    Ice::registerIceSSL(false);
    Ice::InitializationData start;
    start.properties = Ice::createProperties();
    start.logger = std::make_shared<event_logger>(log);
    for (const auto& [name, value] : complete_properties(settings, properties)) {
      start.properties->setProperty(name, value);
    }
    return Ice::initialize(start);
  } catch (const Ice::Exception&) {
    return fail(errc::invalid_argument, "{}", start_refusal(properties, std::current_exception()));
  }
}

}  // namespace muster::ice
