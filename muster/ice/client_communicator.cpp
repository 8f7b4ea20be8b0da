#include "muster/ice/client_communicator.hpp"

#include <Ice/Ice.h>

#include "muster/ice/start_refusal.hpp"
#include "muster/ice/tls_plugin.hpp"

namespace muster::ice {

result<Ice::CommunicatorPtr> make_client_communicator(config::property_map properties, std::string_view locator) {
  complete_tls(properties, has_secure_endpoint(locator));
  properties.try_emplace("Ice.RetryIntervals", "-1");
  properties.try_emplace("Ice.Override.CloseTimeout", "1000");
  properties.erase("Ice.Admin.Endpoints");
  properties.erase("Ice.PrintProcessId");
  try {
    // Linked in, but loaded only where a property says so.
    Ice::registerIceSSL(false);
    Ice::InitializationData start;
    start.properties = Ice::createProperties();
    for (const auto& [name, value] : properties) start.properties->setProperty(name, value);
    return Ice::initialize(start);
  } catch (const Ice::Exception&) {
    return fail(errc::invalid_argument, "{}", start_refusal(properties, std::current_exception()));
  }
}

}  // namespace muster::ice
