#pragma once

#include <string>

#include <Ice/Connection.h>

#include "muster/base/result.hpp"

namespace muster::ice {

/// The common name (CN) in the certificate of the peer at the other end. `permission_denied` for a connection without
/// TLS, a peer without a certificate, or one without a CN: what `IceGrid.Registry.RequireReplicaCertCN` compares with
/// the name that the peer gives itself.
[[nodiscard]] result<std::string> peer_common_name(const Ice::ConnectionPtr& connection);

/// Reads the CN out of a distinguished name in the form of RFC 2253, as IceSSL gives it; empty if there is none.
/// Escaped characters and quotes are taken into account, so that a CN cannot be faked inside another attribute.
[[nodiscard]] std::string common_name_of(const std::string& distinguished_name);

}  // namespace muster::ice
