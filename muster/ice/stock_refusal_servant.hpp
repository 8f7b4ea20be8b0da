#pragma once

#include <string>

#include "muster/base/event.hpp"
#include "muster/ice/byte_servant.hpp"

namespace muster::ice {

/// What stands where a node or a replica of IceGrid itself looks for its registry (`<instance>/InternalRegistry-…`):
/// the protocols between registries and nodes are each program's own, so it is refused, in words that its log shows.
class stock_refusal_servant final : public byte_servant {
 public:
  explicit stock_refusal_servant(event_log& log)
      : byte_servant{object_types{"::IceGrid::InternalRegistry"}}, log_{log} {}

 protected:
  [[nodiscard]] answered answer(const std::string& operation, byte_view params, bytes& reply) override;

 private:
  event_log& log_;
};

}  // namespace muster::ice
