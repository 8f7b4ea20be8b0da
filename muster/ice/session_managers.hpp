#pragma once

#include <memory>
#include <string>

#include <Glacier2/Session.h>

#include "muster/ice/session_hall.hpp"

namespace muster::ice {

/// What a Glacier2 router asks for the sessions of its clients (`Glacier2.SessionManager`). The router has checked who
/// they are; whoever reaches these endpoints is trusted, which is why they are closed unless configured.
class session_manager final : public Glacier2::SessionManager {
 public:
  session_manager(std::shared_ptr<session_hall> hall, session::session_kind kind, Ice::ObjectAdapterPtr adapter)
      : hall_{std::move(hall)}, kind_{kind}, adapter_{std::move(adapter)} {}

  void createAsync(std::string user, std::shared_ptr<Glacier2::SessionControlPrx> control,
                   std::function<void(const std::shared_ptr<Glacier2::SessionPrx>&)> response,
                   std::function<void(std::exception_ptr)> exception, const Ice::Current& current) override;

 private:
  const std::shared_ptr<session_hall> hall_;
  const session::session_kind kind_;
  const Ice::ObjectAdapterPtr adapter_;
};

/// Likewise for clients that the router knows by their certificate.
class ssl_session_manager final : public Glacier2::SSLSessionManager {
 public:
  ssl_session_manager(std::shared_ptr<session_hall> hall, session::session_kind kind, Ice::ObjectAdapterPtr adapter)
      : hall_{std::move(hall)}, kind_{kind}, adapter_{std::move(adapter)} {}

  void createAsync(Glacier2::SSLInfo info, std::shared_ptr<Glacier2::SessionControlPrx> control,
                   std::function<void(const std::shared_ptr<Glacier2::SessionPrx>&)> response,
                   std::function<void(std::exception_ptr)> exception, const Ice::Current& current) override;

 private:
  const std::shared_ptr<session_hall> hall_;
  const session::session_kind kind_;
  const Ice::ObjectAdapterPtr adapter_;
};

}  // namespace muster::ice
