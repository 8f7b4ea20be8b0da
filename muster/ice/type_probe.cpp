#include "muster/ice/type_probe.hpp"

#include <utility>

#include "muster/ice/exceptions.hpp"

namespace muster::ice {

void probe_type(std::shared_ptr<Ice::ObjectPrx> object, const std::shared_ptr<Ice::LocatorPrx>& locator, int timeout_ms,
                std::function<void(result<std::string> type)> then) {
  const auto shared = std::make_shared<std::function<void(result<std::string>)>>(std::move(then));
  const auto text = object->ice_toString();
  const auto refuse = [shared, text](const std::exception_ptr& why) {
    (*shared)(fail(errc::unavailable, "failed to invoke ice_id() on proxy `{}':\n{}", text, to_text(why)));
  };
  try {
    auto asked = object->ice_twoway()->ice_locator(locator)->ice_invocationTimeout(timeout_ms);
    if (!asked->ice_getEndpoints().empty()) asked = asked->ice_timeout(timeout_ms);
    asked->ice_idAsync([shared](std::string type) { (*shared)(std::move(type)); }, refuse);
  } catch (const Ice::LocalException&) {
    refuse(std::current_exception());
  }
}

}  // namespace muster::ice
