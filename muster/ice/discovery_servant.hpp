#pragma once

#include <string>

#include "muster/base/event.hpp"
#include "muster/ice/byte_servant.hpp"
#include "muster/registry/service.hpp"

namespace muster::ice {

/// Answers the plug-in IceLocatorDiscovery: `IceLocatorDiscovery/Lookup`, which a client calls by multicast to learn of
/// a locator. The answer is a request to the object that the client names.
///
/// Only a datagram is sent back. Stock also connects to whatever stream endpoint it is told, which lets anybody on the
/// network make the registry open connections anywhere.
class discovery_servant final : public byte_servant {
 public:
  discovery_servant(registry::service& from, Ice::CommunicatorPtr communicator, event_log& log, int trace_level)
      : byte_servant{object_types{"::IceLocatorDiscovery::Lookup"}},
        service_{from},
        communicator_{std::move(communicator)},
        log_{log},
        trace_level_{trace_level} {}

 protected:
  [[nodiscard]] answered answer(const std::string& operation, byte_view params, bytes& reply) override;

 private:
  void find_locator(std::string_view instance, const catalog::encoded_proxy& reply_to);
  void trace(int level, std::string_view what, std::string_view instance);

  registry::service& service_;
  const Ice::CommunicatorPtr communicator_;
  event_log& log_;
  const int trace_level_;
};

}  // namespace muster::ice
