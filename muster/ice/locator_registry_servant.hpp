#pragma once

#include <functional>
#include <string>
#include <utility>

#include "muster/base/event.hpp"
#include "muster/ice/byte_servant.hpp"
#include "muster/locator/replies.hpp"
#include "muster/metrics/registry_metrics.hpp"
#include "muster/registry/service.hpp"

namespace muster::ice {

/// `Ice::LocatorRegistry`: `<instance>/LocatorRegistry`, for servers. A registration is read from its bytes, ordered by
/// the strand, and answered from there: once it is durable and every active replica has it, or with why not.
class locator_registry_servant final : public Ice::BlobjectArrayAsync {
 public:
  /// `logs_registrations`: IceGrid.Registry.Trace.Locator at 2. What is refused is logged in any case, by the service.
  locator_registry_servant(registry::service& at, metrics::registry_metrics& figures, event_log& log,
                           bool logs_registrations)
      : service_{at}, figures_{figures}, log_{log}, logs_registrations_{logs_registrations} {}

  using respond = std::function<void(bool, const std::pair<const Ice::Byte*, const Ice::Byte*>&)>;
  using refuse = std::function<void(std::exception_ptr)>;

  void ice_invokeAsync(std::pair<const Ice::Byte*, const Ice::Byte*> in, respond response, refuse error,
                       const Ice::Current& current) override;

 private:
  void set_adapter(const locator::request<locator::adapter_registration>& asked, metrics::registration_kind kind,
                   respond response, refuse error);
  void set_process(const locator::request<locator::adapter_registration>& asked, respond response, refuse error);
  /// Adds a line to the log, where wanted, before a registration that was done is answered.
  [[nodiscard]] registry::registration_done logged(const registry::adapter_registration& what,
                                                   registry::registration_done done);
  /// How the service's outcome becomes the answer to the server.
  [[nodiscard]] registry::registration_done answer_to(locator::encoding version, metrics::registration_kind kind,
                                                      bool takes_back, respond response, refuse error);

  registry::service& service_;
  metrics::registry_metrics& figures_;
  event_log& log_;
  const bool logs_registrations_;
  const object_types types_{"::Ice::LocatorRegistry"};
};

}  // namespace muster::ice
