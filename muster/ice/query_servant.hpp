#pragma once

#include <cstdint>
#include <string>

#include "muster/ice/byte_servant.hpp"
#include "muster/metrics/registry_metrics.hpp"
#include "muster/registry/service.hpp"

namespace muster::ice {

/// `IceGrid::Query`: `<instance>/Query`.
class query_servant final : public byte_servant {
 public:
  query_servant(registry::service& from, metrics::registry_metrics& figures, std::uint64_t seed)
      : byte_servant{object_types{"::IceGrid::Query"}}, service_{from}, figures_{figures}, seed_{seed} {}

 protected:
  [[nodiscard]] answered answer(const std::string& operation, byte_view params, bytes& reply) override;

 private:
  registry::service& service_;
  metrics::registry_metrics& figures_;
  const std::uint64_t seed_;
};

}  // namespace muster::ice
