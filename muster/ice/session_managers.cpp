#include "muster/ice/session_managers.hpp"

#include <chrono>
#include <utility>

#include <IceSSL/IceSSL.h>

#include "muster/ice/exceptions.hpp"

namespace muster::ice {
namespace {

using given_session = std::function<void(const std::shared_ptr<Glacier2::SessionPrx>&)>;
using refuse = std::function<void(std::exception_ptr)>;

std::exception_ptr cannot_create(const std::string& reason) {
  return std::make_exception_ptr(Glacier2::CannotCreateSessionException{reason});
}

void open(const std::shared_ptr<session_hall>& hall, session_hall::request what, given_session response,
          refuse exception) {
  hall->open(
      std::move(what),
      [response = std::move(response)](const std::shared_ptr<Ice::ObjectPrx>& session) {
        response(Ice::uncheckedCast<Glacier2::SessionPrx>(session));
      },
      [exception = std::move(exception)](const std::exception_ptr& why) { exception(cannot_create(to_text(why))); });
}

// How long the router gives its client without a sign of life is for the router to say. It is asked while it waits for
// our answer, so nothing here may wait for it.
void create(const std::shared_ptr<session_hall>& hall, session_hall::request what,
            const std::shared_ptr<Glacier2::SessionControlPrx>& control, given_session response, refuse exception) {
  if (!control) {
    what.timeout = hall->session_timeout();
    open(hall, std::move(what), std::move(response), std::move(exception));
    return;
  }
  const auto shared = std::make_shared<refuse>(std::move(exception));
  const auto bound = static_cast<int>(hall->settings().requests.verifier_timeout.count());
  try {
    control->ice_locator(hall->locator())
        ->ice_invocationTimeout(bound)
        ->getSessionTimeoutAsync(
            [hall, what = std::move(what), response = std::move(response), shared](int seconds) mutable {
              what.timeout = std::chrono::seconds{seconds};
              open(hall, std::move(what), std::move(response), *shared);
            },
            [shared](const std::exception_ptr& why) {
              (*shared)(cannot_create("the router does not say how long its session lives: " + to_text(why)));
            });
  } catch (const Ice::LocalException&) {
    (*shared)(cannot_create(to_text(std::current_exception())));
  }
}

// The subject of the client's certificate, which the router hands on.
std::string subject_in(const Glacier2::SSLInfo& info) {
  if (info.certs.empty()) return {};
  try {
    return static_cast<std::string>(IceSSL::Certificate::decode(info.certs.front())->getSubjectDN());
  } catch (const IceUtil::Exception&) {
    return {};
  }
}

}  // namespace

void session_manager::createAsync(std::string user, std::shared_ptr<Glacier2::SessionControlPrx> control,
                                  given_session response, refuse exception, const Ice::Current&) {
  create(hall_, {kind_, std::move(user), adapter_, {}, {}}, control, std::move(response), std::move(exception));
}

void ssl_session_manager::createAsync(Glacier2::SSLInfo info, std::shared_ptr<Glacier2::SessionControlPrx> control,
                                      given_session response, refuse exception, const Ice::Current&) {
  auto user = subject_in(info);
  if (user.empty() && kind_ == session::session_kind::client) {
    exception(cannot_create("empty user DN"));
    return;
  }
  create(hall_, {kind_, std::move(user), adapter_, {}, {}}, control, std::move(response), std::move(exception));
}

}  // namespace muster::ice
