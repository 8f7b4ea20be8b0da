#include "muster/ice/replica_servant.hpp"

#include <utility>

#include "muster/ice/replica_transport.hpp"

namespace muster::ice {
namespace {

Muster::RegistrationFailure to_slice(registry::registration_failure why) {
  switch (why) {
    case registry::registration_failure::adapter_unknown: return Muster::RegistrationFailure::AdapterUnknown;
    case registry::registration_failure::adapter_active: return Muster::RegistrationFailure::AdapterActive;
    case registry::registration_failure::replica_group_invalid: return Muster::RegistrationFailure::ReplicaGroupInvalid;
    case registry::registration_failure::server_unknown: return Muster::RegistrationFailure::ServerUnknown;
    case registry::registration_failure::unavailable: return Muster::RegistrationFailure::MasterUnavailable;
    case registry::registration_failure::outcome_unknown: return Muster::RegistrationFailure::OutcomeUnknown;
  }
  return Muster::RegistrationFailure::OutcomeUnknown;
}

std::exception_ptr refused(registry::registration_failure why, const std::string& reason) {
  return std::make_exception_ptr(Muster::RegistrationRefused{to_slice(why), reason});
}

registry::registration_done answer(std::function<void()> response, std::function<void(std::exception_ptr)> exception) {
  return [response = std::move(response),
          exception = std::move(exception)](const registry::registration_outcome& outcome) {
    if (outcome) {
      response();
    } else {
      exception(refused(outcome.error().why, outcome.error().reason));
    }
  };
}

}  // namespace

void replica_servant::deliverAsync(Muster::Message content, std::function<void()> response,
                                   std::function<void(std::exception_ptr)>, const Ice::Current& current) {
  if (const auto transport = transport_.lock(); transport && current.con) {
    transport->handle_frame(current.con, content);
  }
  response();
}

void replica_servant::setAdapterAsync(std::string adapter_id, std::string replica_group_id, Muster::EncodedProxy direct,
                                      std::function<void()> response, std::function<void(std::exception_ptr)> exception,
                                      const Ice::Current& current) {
  take_registration(
      direct,
      [&](catalog::encoded_proxy proxy) {
        return registry::adapter_registration{std::move(adapter_id), std::move(replica_group_id), std::move(proxy)};
      },
      std::move(response), std::move(exception), current);
}

void replica_servant::setServerProcessAsync(std::string server_id, Muster::EncodedProxy process,
                                            std::function<void()> response,
                                            std::function<void(std::exception_ptr)> exception,
                                            const Ice::Current& current) {
  take_registration(
      process,
      [&](catalog::encoded_proxy proxy) {
        return registry::process_registration{std::move(server_id), std::move(proxy)};
      },
      std::move(response), std::move(exception), current);
}

template <typename Make>
void replica_servant::take_registration(const Muster::EncodedProxy& encoded, const Make& make,
                                        std::function<void()> response,
                                        std::function<void(std::exception_ptr)> exception,
                                        const Ice::Current& current) {
  const auto transport = transport_.lock();
  const auto link = transport && current.con ? transport->link_of(current.con) : nullptr;
  if (!link) {
    exception(refused(registry::registration_failure::unavailable, "this replica is about to end"));
    return;
  }
  auto proxy = catalog::encoded_proxy::read(encoded);
  if (!proxy) {
    exception(refused(registry::registration_failure::unavailable, proxy.error().message));
    return;
  }
  transport->service().handle_forwarded(link->id(), make(std::move(*proxy)),
                                        answer(std::move(response), std::move(exception)));
}

void replica_servant::shutdownAsync(std::function<void()> response, std::function<void(std::exception_ptr)>,
                                    const Ice::Current& current) {
  const auto transport = transport_.lock();
  if (transport && current.con) {
    if (const auto link = transport->link_of(current.con)) transport->service().handle_shut_down(link->id());
  }
  response();
}

}  // namespace muster::ice
