#pragma once

#include <functional>
#include <memory>
#include <string>

#include <Glacier2/SSLInfo.h>

#include "muster/base/result.hpp"

namespace muster::ice {

/// What a permissions verifier says of somebody who wants a session.
struct verdict {
  bool is_allowed{false};
  std::string reason;  ///< why not, in the verifier's own words; may be empty
};

/// Called once, on any thread, within the bound of the settings. An error means that nobody could be asked; the message
/// is for the log, and the one who wants the session is told "internal server error".
using verdict_done = std::function<void(result<verdict>)>;

/// Checks a user by name and password. Any thread; does not block.
class permissions_verifier {
 public:
  permissions_verifier() = default;
  permissions_verifier(const permissions_verifier&) = delete;
  permissions_verifier& operator=(const permissions_verifier&) = delete;
  virtual ~permissions_verifier() = default;

  virtual void check(const std::string& user, const std::string& password, verdict_done done) = 0;
};

/// Checks a user by what is known of their TLS connection. Any thread; does not block.
class ssl_permissions_verifier {
 public:
  ssl_permissions_verifier() = default;
  ssl_permissions_verifier(const ssl_permissions_verifier&) = delete;
  ssl_permissions_verifier& operator=(const ssl_permissions_verifier&) = delete;
  virtual ~ssl_permissions_verifier() = default;

  virtual void authorise(const Glacier2::SSLInfo& connection, verdict_done done) = 0;
};

/// Who is asked for which kind of session. Null: no such verifier is configured, and such sessions are denied with
/// words that name the property.
struct permissions_verifiers {
  std::shared_ptr<permissions_verifier> client;
  std::shared_ptr<ssl_permissions_verifier> client_ssl;
  std::shared_ptr<permissions_verifier> admin;
  std::shared_ptr<ssl_permissions_verifier> admin_ssl;
};

}  // namespace muster::ice
