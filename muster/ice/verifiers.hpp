#pragma once

#include <functional>
#include <memory>
#include <string>

#include <Ice/Ice.h>

#include "muster/base/event.hpp"
#include "muster/base/result.hpp"
#include "muster/config/registry_settings.hpp"
#include "muster/ice/permissions.hpp"

namespace muster::ice {

/// Port: asks a file of passwords. Does not block; answers once, on any thread. Empty where no file is configured.
using password_check =
    std::function<void(std::string user, std::string password, std::function<void(result<bool> accepted)> then)>;

struct verifier_sources {
  password_check client_passwords;  ///< IceGrid.Registry.CryptPasswords
  password_check admin_passwords;   ///< IceGrid.Registry.AdminCryptPasswords
  /// Finds verifiers whose proxies are indirect: this replica's own locator.
  std::shared_ptr<Ice::LocatorPrx> locator;
};

/// Makes the verifiers that the settings ask for. `<instance>/NullPermissionsVerifier` and `NullSSLPermissionsVerifier`
/// allow everybody; any other proxy is an object that is asked with a bound; without a proxy a file of passwords is
/// asked. `invalid_argument` names the property whose proxy cannot be read.
[[nodiscard]] result<permissions_verifiers> make_verifiers(const Ice::CommunicatorPtr& communicator,
                                                           const config::registry_settings& settings,
                                                           const verifier_sources& sources);

/// What a verifier is told of a connection. `unsupported` for one without TLS.
[[nodiscard]] result<Glacier2::SSLInfo> ssl_info_of(const Ice::ConnectionPtr& connection);

/// The subject of the peer's certificate as a distinguished name; empty without TLS or certificate.
[[nodiscard]] std::string subject_of(const Ice::ConnectionPtr& connection);

}  // namespace muster::ice
