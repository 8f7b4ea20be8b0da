#pragma once

#include <cstdint>
#include <string>

#include "muster/base/event.hpp"
#include "muster/base/prng.hpp"
#include "muster/catalog/encoded_proxy.hpp"
#include "muster/ice/byte_servant.hpp"
#include "muster/locator/resolver.hpp"
#include "muster/metrics/registry_metrics.hpp"
#include "muster/registry/service.hpp"

namespace muster::ice {

struct locator_servant_options {
  /// Answered to `<instance>/MusterReplica` alone: each replica gives its own, so that a replica that asks at an
  /// endpoint of the locator learns who answers there.
  catalog::encoded_proxy replica;
  std::uint64_t seed{};
  /// IceGrid.Registry.Trace.Locator: log what was asked for and is unknown.
  bool logs_unknown{false};
};

/// `Ice::Locator` and `IceGrid::Locator`: `<instance>/Locator`, and the same as `Locator-<replica>`. The hottest path
/// of the program: from the request's bytes to the reply's without an allocation but the reply's, and without a lock.
class locator_servant final : public byte_servant {
 public:
  locator_servant(registry::service& from, metrics::registry_metrics& figures, event_log& log,
                  locator_servant_options options);

 protected:
  [[nodiscard]] answered answer(const std::string& operation, byte_view params, bytes& reply) override;

 private:
  // What a dispatch thread keeps between requests.
  struct scratch {
    prng random;
    bytes merged;
  };

  [[nodiscard]] scratch& of_this_thread();
  [[nodiscard]] answered find_object(byte_view params, bytes& reply);
  [[nodiscard]] answered find_adapter(byte_view params, bytes& reply);
  void log_unknown(std::string_view what, const std::string& name);

  registry::service& service_;
  metrics::registry_metrics& figures_;
  event_log& log_;
  const locator_servant_options options_;
  locator::resolver resolver_;
};

}  // namespace muster::ice
