#pragma once

#include <string>

#include "muster/ice/byte_servant.hpp"
#include "muster/registry/service.hpp"

namespace muster::ice {

/// `Ice::LocatorFinder`: `Ice/LocatorFinder`, for clients that know an address and nothing else.
class finder_servant final : public byte_servant {
 public:
  explicit finder_servant(registry::service& from)
      : byte_servant{object_types{"::Ice::LocatorFinder"}}, service_{from} {}

 protected:
  [[nodiscard]] answered answer(const std::string& operation, byte_view params, bytes& reply) override;

 private:
  registry::service& service_;
};

}  // namespace muster::ice
