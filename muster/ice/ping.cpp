#include "muster/ice/ping.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

#include <Ice/Ice.h>
#include <IceGrid/Registry.h>

#include "muster/ice/client_communicator.hpp"
#include "muster/ice/exceptions.hpp"

namespace muster::ice {

namespace {

ping_answer ask(const std::shared_ptr<IceGrid::LocatorPrx>& locator, const std::function<instant()>& now) {
  ping_answer answer;
  answer.endpoint = locator->ice_getEndpoints().front()->toString();
  try {
    const auto registry = locator->getLocalRegistry();
    if (!registry) {
      answer.failure = "there is a locator, and no registry of its own yet";
      return answer;
    }
    answer.registry = locator->ice_getCommunicator()->identityToString(registry->ice_getIdentity());
    const auto began = now();
    locator->ice_ping();
    answer.round_trip = now() - began;
    answer.is_up = true;
  } catch (const Ice::Exception&) {
    answer.failure = to_text(std::current_exception());
  }
  return answer;
}

}  // namespace

result<std::vector<ping_answer>> ping_locator(const std::string& proxy_text, duration timeout,
                                              const std::function<instant()>& now,
                                              const config::property_map& properties) {
  auto communicator = make_client_communicator(properties, proxy_text);
  if (!communicator) return fail(std::move(communicator).error());
  const Ice::CommunicatorHolder holder{*communicator};

  Ice::EndpointSeq endpoints;
  std::shared_ptr<IceGrid::LocatorPrx> locator;
  try {
    const auto proxy = (*communicator)->stringToProxy(proxy_text);
    if (proxy) endpoints = proxy->ice_getEndpoints();
    if (endpoints.empty()) {
      return fail(errc::invalid_argument,
                  "'{}' names no endpoint; a locator's proxy looks like IceGrid/Locator:tcp -h host -p 4061",
                  proxy_text);
    }
    const auto bound = std::chrono::ceil<std::chrono::milliseconds>(timeout).count();
    locator = Ice::uncheckedCast<IceGrid::LocatorPrx>(
        proxy->ice_invocationTimeout(static_cast<int>(std::max<std::int64_t>(bound, 1))));
  } catch (const Ice::Exception&) {
    return fail(errc::invalid_argument, "'{}' is no proxy: {}", proxy_text, to_text(std::current_exception()));
  }

  std::vector<ping_answer> answers;
  answers.reserve(endpoints.size());
  for (const auto& endpoint : endpoints) answers.push_back(ask(locator->ice_endpoints({endpoint}), now));
  return answers;
}

}  // namespace muster::ice
