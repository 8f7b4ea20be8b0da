#include "muster/ice/stock_refusal_servant.hpp"

#include <IceGrid/Registry.h>

namespace muster::ice {

byte_servant::answered stock_refusal_servant::answer(const std::string& operation, byte_view, bytes&) {
  if (operation.starts_with("ice_")) return answered::no_such_operation;  // every object answers those
  log_.write(event{severity::warning, "stock_peer_refused"}
                 .with("operation", operation)
                 .with("message",
                       "a node or a replica of IceGrid itself asked for a session; this registry works with replicas "
                       "of 'muster registry' only, and with no nodes yet"));
  throw IceGrid::PermissionDeniedException{
      "this registry is Muster, whose replicas speak a protocol of their own: run 'muster registry' in place of "
      "icegridregistry; in place of icegridnode there is nothing yet, so start its servers by other means"};
}

}  // namespace muster::ice
