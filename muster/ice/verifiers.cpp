#include "muster/ice/verifiers.hpp"

#include <chrono>
#include <utility>

#include <Glacier2/PermissionsVerifier.h>
#include <IceSSL/IceSSL.h>

#include "muster/ice/exceptions.hpp"

namespace muster::ice {

namespace {

using verifier_prx = std::shared_ptr<Glacier2::PermissionsVerifierPrx>;
using ssl_verifier_prx = std::shared_ptr<Glacier2::SSLPermissionsVerifierPrx>;

class allow_everybody final : public permissions_verifier {
 public:
  void check(const std::string&, const std::string&, verdict_done done) override { done(verdict{true, {}}); }
};

class allow_every_connection final : public ssl_permissions_verifier {
 public:
  void authorise(const Glacier2::SSLInfo&, verdict_done done) override { done(verdict{true, {}}); }
};

class ask_password_file final : public permissions_verifier {
 public:
  explicit ask_password_file(password_check file) : file_{std::move(file)} {}

  void check(const std::string& user, const std::string& password, verdict_done done) override {
    file_(user, password, [done = std::move(done)](result<bool> accepted) {
      if (!accepted) {
        done(fail(std::move(accepted).error()));
      } else {
        done(verdict{*accepted, {}});
      }
    });
  }

 private:
  const password_check file_;
};

// A verifier may say no by its answer or by the exception that is made for it; anything else is no verdict.
void answer_failure(const std::exception_ptr& thrown, const verdict_done& done) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Glacier2::PermissionDeniedException& denied) {
    done(verdict{false, denied.reason});
  } catch (...) {
    done(fail(to_error(thrown)));
  }
}

// Asks, and turns a failure of the very attempt into an answer, so that `done` is called once in any case.
template <typename Start>
void ask(const Start& start, verdict_done done) {
  const auto shared = std::make_shared<const verdict_done>(std::move(done));
  try {
    start(
        [shared](bool is_allowed, std::string reason) {
          (*shared)(verdict{is_allowed, std::move(reason)});
        },
        [shared](const std::exception_ptr& thrown) { answer_failure(thrown, *shared); });
  } catch (const Ice::Exception&) {
    answer_failure(std::current_exception(), *shared);
  }
}

class ask_object final : public permissions_verifier {
 public:
  explicit ask_object(verifier_prx object) : object_{std::move(object)} {}

  void check(const std::string& user, const std::string& password, verdict_done done) override {
    ask([&](auto answered, auto failed) { object_->checkPermissionsAsync(user, password, answered, failed); },
        std::move(done));
  }

 private:
  const verifier_prx object_;
};

class ask_ssl_object final : public ssl_permissions_verifier {
 public:
  explicit ask_ssl_object(ssl_verifier_prx object) : object_{std::move(object)} {}

  void authorise(const Glacier2::SSLInfo& connection, verdict_done done) override {
    ask([&](auto answered, auto failed) { object_->authorizeAsync(connection, answered, failed); }, std::move(done));
  }

 private:
  const ssl_verifier_prx object_;
};

class maker {
 public:
  maker(const Ice::CommunicatorPtr& communicator, const config::registry_settings& settings,
        const verifier_sources& sources)
      : communicator_{communicator}, settings_{settings}, sources_{sources} {}

  [[nodiscard]] result<std::shared_ptr<permissions_verifier>> plain(const std::string& property,
                                                                    const std::string& configured,
                                                                    const password_check& file) const {
    if (configured.empty()) {
      if (file) return std::make_shared<ask_password_file>(file);
      return nullptr;
    }
    auto object = proxy_of(property, configured);
    if (!object) return fail(std::move(object).error());
    if (is_null_object(*object, "NullPermissionsVerifier")) return std::make_shared<allow_everybody>();
    return std::make_shared<ask_object>(Ice::uncheckedCast<Glacier2::PermissionsVerifierPrx>(bounded(*object)));
  }

  [[nodiscard]] result<std::shared_ptr<ssl_permissions_verifier>> ssl(const std::string& property,
                                                                      const std::string& configured) const {
    if (configured.empty()) return nullptr;
    auto object = proxy_of(property, configured);
    if (!object) return fail(std::move(object).error());
    if (is_null_object(*object, "NullSSLPermissionsVerifier")) return std::make_shared<allow_every_connection>();
    return std::make_shared<ask_ssl_object>(Ice::uncheckedCast<Glacier2::SSLPermissionsVerifierPrx>(bounded(*object)));
  }

 private:
  // By the property where the communicator has it, which also reads the suffixes of proxy properties.
  [[nodiscard]] result<std::shared_ptr<Ice::ObjectPrx>> proxy_of(const std::string& property,
                                                                 const std::string& configured) const {
    try {
      const bool is_property = communicator_->getProperties()->getProperty(property) == configured;
      auto proxy = is_property ? communicator_->propertyToProxy(property) : communicator_->stringToProxy(configured);
      if (proxy) return proxy;
      return fail(errc::invalid_argument, "{}={}: a proxy is needed, such as {}/NullPermissionsVerifier", property,
                  configured, settings_.instance_name);
    } catch (const Ice::Exception&) {
      return fail(errc::invalid_argument, "{}={} is no proxy that Ice takes: {}", property, configured,
                  to_text(std::current_exception()));
    }
  }

  [[nodiscard]] bool is_null_object(const std::shared_ptr<Ice::ObjectPrx>& proxy, std::string_view name) const {
    const auto id = proxy->ice_getIdentity();
    return id.category == settings_.instance_name && id.name == name;
  }

  [[nodiscard]] std::shared_ptr<Ice::ObjectPrx> bounded(const std::shared_ptr<Ice::ObjectPrx>& proxy) const {
    const auto bound = static_cast<int>(settings_.requests.verifier_timeout.count());
    auto asked = proxy->ice_invocationTimeout(bound);
    return sources_.locator ? asked->ice_locator(sources_.locator) : asked;
  }

  const Ice::CommunicatorPtr& communicator_;
  const config::registry_settings& settings_;
  const verifier_sources& sources_;
};

}  // namespace

result<permissions_verifiers> make_verifiers(const Ice::CommunicatorPtr& communicator,
                                             const config::registry_settings& settings,
                                             const verifier_sources& sources) {
  const maker make{communicator, settings, sources};
  const auto& clients = settings.client_permissions;
  const auto& admins = settings.admin_permissions;
  auto client = make.plain("IceGrid.Registry.PermissionsVerifier", clients.verifier, sources.client_passwords);
  if (!client) return fail(std::move(client).error());
  auto client_ssl = make.ssl("IceGrid.Registry.SSLPermissionsVerifier", clients.ssl_verifier);
  if (!client_ssl) return fail(std::move(client_ssl).error());
  auto admin = make.plain("IceGrid.Registry.AdminPermissionsVerifier", admins.verifier, sources.admin_passwords);
  if (!admin) return fail(std::move(admin).error());
  auto admin_ssl = make.ssl("IceGrid.Registry.AdminSSLPermissionsVerifier", admins.ssl_verifier);
  if (!admin_ssl) return fail(std::move(admin_ssl).error());
  return permissions_verifiers{*std::move(client), *std::move(client_ssl), *std::move(admin), *std::move(admin_ssl)};
}

result<Glacier2::SSLInfo> ssl_info_of(const Ice::ConnectionPtr& connection) {
  if (!connection) return fail(errc::unsupported, "not ssl connection");
  try {
    Ice::ConnectionInfoPtr info = connection->getInfo();
    Glacier2::SSLInfo out;
    bool is_secure = false;
    // Layers lie one above the other: ws over ssl over tcp, say.
    for (; info; info = info->underlying) {
      if (const auto ip = std::dynamic_pointer_cast<Ice::IPConnectionInfo>(info)) {
        out.remoteHost = ip->remoteAddress;
        out.remotePort = ip->remotePort;
        out.localHost = ip->localAddress;
        out.localPort = ip->localPort;
      }
      if (const auto tls = std::dynamic_pointer_cast<IceSSL::ConnectionInfo>(info)) {
        is_secure = true;
        out.cipher = tls->cipher;
        for (const auto& certificate : tls->certs) out.certs.push_back(certificate->encode());
      }
    }
    if (!is_secure) return fail(errc::unsupported, "not ssl connection");
    return out;
  } catch (const Ice::Exception&) {
    return fail(errc::unavailable, "the connection is gone: {}", to_text(std::current_exception()));
  }
}

std::string subject_of(const Ice::ConnectionPtr& connection) {
  if (!connection) return {};
  try {
    for (auto info = connection->getInfo(); info; info = info->underlying) {
      const auto tls = std::dynamic_pointer_cast<IceSSL::ConnectionInfo>(info);
      if (tls && !tls->certs.empty()) return static_cast<std::string>(tls->certs.front()->getSubjectDN());
    }
  } catch (const Ice::Exception&) {
    // The connection is gone, and with it whoever asked.
  }
  return {};
}

}  // namespace muster::ice
