#include "muster/ice/locator_registry_servant.hpp"

#include "muster/ice/exceptions.hpp"
#include "muster/locator/requests.hpp"

namespace muster::ice {

namespace {

using metrics::registration_kind;
using metrics::registration_outcome;

std::pair<const Ice::Byte*, const Ice::Byte*> to_range(byte_view content) noexcept {
  const auto* begin = reinterpret_cast<const Ice::Byte*>(content.data());
  return {begin, begin + content.size()};
}

registration_outcome outcome_of(registry::registration_failure why) noexcept {
  return to_locator_exception(why) ? registration_outcome::refused : registration_outcome::failed;
}

}  // namespace

void locator_registry_servant::ice_invokeAsync(std::pair<const Ice::Byte*, const Ice::Byte*> in, respond response,
                                               refuse error, const Ice::Current& current) {
  const byte_view params = to_view(in);
  if (current.operation == "setAdapterDirectProxy") {
    set_adapter(unwrap(locator::read_adapter_registration(params)), registration_kind::adapter, std::move(response),
                std::move(error));
    return;
  }
  if (current.operation == "setReplicatedAdapterDirectProxy") {
    set_adapter(unwrap(locator::read_replicated_adapter_registration(params)), registration_kind::replicated_adapter,
                std::move(response), std::move(error));
    return;
  }
  if (current.operation == "setServerProcessProxy") {
    // The same on the wire as the registration of an adapter: an id and a proxy.
    set_process(unwrap(locator::read_adapter_registration(params)), std::move(response), std::move(error));
    return;
  }
  bytes reply;
  if (!types_.answer(current.operation, params, reply)) throw_no_such_operation(current);
  response(true, to_range(reply));
}

void locator_registry_servant::set_adapter(const locator::request<locator::adapter_registration>& asked,
                                           registration_kind kind, respond response, refuse error) {
  registry::adapter_registration what{std::string{asked.params.adapter_id}, std::string{asked.params.replica_group_id},
                                      asked.params.proxy};
  const bool takes_back = what.proxy.is_null();
  auto done = answer_to(asked.version, kind, takes_back, std::move(response), std::move(error));
  if (logs_registrations_) done = logged(what, std::move(done));
  service_.register_adapter(std::move(what), std::move(done));
}

registry::registration_done locator_registry_servant::logged(const registry::adapter_registration& what,
                                                             registry::registration_done done) {
  return [this, id = what.adapter_id, group = what.replica_group_id, takes_back = what.proxy.is_null(),
          done = std::move(done)](registry::registration_outcome outcome) {
    if (outcome) {
      log_.write(event{severity::info, takes_back ? "adapter_taken_back" : "adapter_registered"}
                     .with("adapter", id)
                     .with("replica_group", group));
    }
    done(std::move(outcome));
  };
}

void locator_registry_servant::set_process(const locator::request<locator::adapter_registration>& asked,
                                           respond response, refuse error) {
  registry::process_registration what{std::string{asked.params.adapter_id}, asked.params.proxy};
  service_.register_process(std::move(what), answer_to(asked.version, registration_kind::server_process, false,
                                                       std::move(response), std::move(error)));
}

registry::registration_done locator_registry_servant::answer_to(locator::encoding version, registration_kind kind,
                                                                bool takes_back, respond response, refuse error) {
  return [this, version, kind, takes_back, response = std::move(response),
          error = std::move(error)](const registry::registration_outcome& outcome) {
    auto& counters = figures_.registrations[kind];
    if (outcome) {
      counters[takes_back ? registration_outcome::removed : registration_outcome::registered].add();
      response(true, to_range(locator::void_reply(version)));
      return;
    }
    const auto& refusal = outcome.error();
    counters[outcome_of(refusal.why)].add();
    if (const auto named = to_locator_exception(refusal.why)) {
      response(false, to_range(locator::exception_reply(version, *named)));
    } else {
      error(to_exception(refusal));
    }
  };
}

}  // namespace muster::ice
