#include "muster/ice/registry_servant.hpp"

#include <utility>

#include <fmt/format.h>

#include "muster/ice/exceptions.hpp"
#include "muster/ice/verifiers.hpp"

namespace muster::ice {
namespace {

std::string no_verifier(session::session_kind kind, bool is_ssl) {
  const bool is_admin = kind == session::session_kind::admin;
  return fmt::format(
      "no {}{}permissions verifier configured, use the property\n`IceGrid.Registry.{}{}PermissionsVerifier' "
      "to configure\na permissions verifier.",
      is_ssl ? "ssl " : "", is_admin ? "admin " : "", is_admin ? "Admin" : "", is_ssl ? "SSL" : "");
}

template <typename Proxy>
session_hall::opened as(std::function<void(const std::shared_ptr<Proxy>&)> response) {
  return [response = std::move(response)](const std::shared_ptr<Ice::ObjectPrx>& session) {
    response(Ice::uncheckedCast<Proxy>(session));
  };
}

}  // namespace

bool registry_servant::takes_clients(const failed& exception) const {
  if (hall_->settings().is_master()) return true;
  const auto master = hall_->service().current()->last_master_name;
  exception(to_permission_denied(fmt::format("client session creation is only allowed with the master registry{}",
                                             master.empty() ? "." : fmt::format(", replica '{}'.", master))));
  return false;
}

void registry_servant::createSessionAsync(std::string user, std::string password, client_session response,
                                          failed exception, const Ice::Current& current) {
  if (!takes_clients(exception)) return;
  open_by_password(session::session_kind::client, verifiers_.client, user, password,
                   as<IceGrid::SessionPrx>(std::move(response)), std::move(exception), current);
}

void registry_servant::createAdminSessionAsync(std::string user, std::string password, admin_session response,
                                               failed exception, const Ice::Current& current) {
  open_by_password(session::session_kind::admin, verifiers_.admin, user, password,
                   as<IceGrid::AdminSessionPrx>(std::move(response)), std::move(exception), current);
}

void registry_servant::createSessionFromSecureConnectionAsync(client_session response, failed exception,
                                                              const Ice::Current& current) {
  if (!takes_clients(exception)) return;
  open_by_connection(session::session_kind::client, verifiers_.client_ssl, as<IceGrid::SessionPrx>(std::move(response)),
                     std::move(exception), current);
}

void registry_servant::createAdminSessionFromSecureConnectionAsync(admin_session response, failed exception,
                                                                   const Ice::Current& current) {
  open_by_connection(session::session_kind::admin, verifiers_.admin_ssl,
                     as<IceGrid::AdminSessionPrx>(std::move(response)), std::move(exception), current);
}

void registry_servant::open_by_password(session::session_kind kind,
                                        const std::shared_ptr<permissions_verifier>& verifier, const std::string& user,
                                        const std::string& password, opened then, failed otherwise,
                                        const Ice::Current& current) {
  if (!verifier) {
    otherwise(to_permission_denied(no_verifier(kind, false)));
    return;
  }
  if (user.empty()) {
    otherwise(to_permission_denied("empty user id"));
    return;
  }
  session_hall::request what{kind, user, adapter_, {current.con}, hall_->session_timeout()};
  const auto self = shared_from_this();
  verifier->check(user, password,
                  [self, what = std::move(what), then = std::move(then), otherwise = std::move(otherwise)](
                      const result<verdict>& judged) { self->judge(judged, what, then, otherwise); });
}

void registry_servant::open_by_connection(session::session_kind kind,
                                          const std::shared_ptr<ssl_permissions_verifier>& verifier, opened then,
                                          failed otherwise, const Ice::Current& current) {
  if (!verifier) {
    otherwise(to_permission_denied(no_verifier(kind, true)));
    return;
  }
  auto info = ssl_info_of(current.con);
  if (!info) {
    otherwise(to_permission_denied("not ssl connection"));
    return;
  }
  // Who the user is stands in the certificate, whose subject the connection has shown.
  auto user = subject_of(current.con);
  if (user.empty() && kind == session::session_kind::client) {
    otherwise(to_permission_denied("empty user DN"));
    return;
  }
  session_hall::request what{kind, std::move(user), adapter_, {current.con}, hall_->session_timeout()};
  const auto self = shared_from_this();
  verifier->authorise(*info, [self, what = std::move(what), then = std::move(then), otherwise = std::move(otherwise)](
                                 const result<verdict>& judged) { self->judge(judged, what, then, otherwise); });
}

void registry_servant::judge(const result<verdict>& judged, session_hall::request what, opened then,
                             const failed& otherwise) {
  if (!judged) {
    hall_->log().write(event{severity::warning, "permissions_verifier_failed"}
                           .with("user", what.user)
                           .with("message", judged.error().message));
    otherwise(to_permission_denied("internal server error"));
    return;
  }
  if (!judged->is_allowed) {
    otherwise(to_permission_denied(judged->reason));
    return;
  }
  hall_->open(std::move(what), std::move(then), otherwise);
}

void registry_servant::getSessionTimeoutAsync(std::function<void(int)> response, failed, const Ice::Current&) const {
  const auto& timeout = hall_->settings().sessions.session_timeout;
  response(timeout ? static_cast<int>(timeout->count()) : 0);
}

void registry_servant::getACMTimeoutAsync(std::function<void(int)> response, failed,
                                          const Ice::Current& current) const {
  response(current.con ? current.con->getACM().timeout : 0);
}

}  // namespace muster::ice
