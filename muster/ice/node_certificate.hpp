#pragma once

#include <string>

#include <Ice/Connection.h>

#include "muster/base/result.hpp"

namespace muster::ice {

/// The name of the node that the peer's certificate belongs to: the first subject alternative name that is a URI
/// `muster:NAME`, else the subject's CN. The chain has been verified by IceSSL when a connection is there.
/// `permission_denied` for a connection without TLS, or a peer without a certificate or with one that has no name.
[[nodiscard]] result<std::string> node_name_in_certificate(const Ice::ConnectionPtr& connection);

}  // namespace muster::ice
