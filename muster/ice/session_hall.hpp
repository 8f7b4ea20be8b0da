#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <Ice/Ice.h>

#include "muster/ice/connection_watch.hpp"
#include "muster/ice/owned_object.hpp"
#include "muster/ice/registry_host.hpp"
#include "muster/registry/session_desk.hpp"

namespace muster::ice {

struct session_ticket;

/// Makes sessions and the objects that belong to them, and takes the objects away when their session ends, whatever
/// ends it. Any thread; nothing waits.
class session_hall : public std::enable_shared_from_this<session_hall> {
 public:
  explicit session_hall(const open_adapters& open);

  struct request {
    session::session_kind kind{};
    std::string user;
    Ice::ObjectAdapterPtr adapter;  ///< where the objects are served
    session_owner owner;
    duration timeout{};  ///< zero: it lives as long as its connection, or until it is destroyed
  };
  /// The session's proxy, or why there is none (`Ice` exceptions as they go to the caller).
  using opened = std::function<void(const std::shared_ptr<Ice::ObjectPrx>& session)>;
  using failed = std::function<void(std::exception_ptr)>;

  /// Any thread. One of the two is called once, on the strand or within the call.
  void open(request what, opened then, failed otherwise);

  [[nodiscard]] registry::service& service() const noexcept { return service_; }
  [[nodiscard]] registry::session_desk& desk() const noexcept { return service_.sessions(); }
  [[nodiscard]] const config::registry_settings& settings() const noexcept { return settings_; }
  [[nodiscard]] const Ice::CommunicatorPtr& communicator() const noexcept { return communicator_; }
  [[nodiscard]] registry::executor& shell() const noexcept { return shell_; }
  /// For proxies that are to be called from here and name a well-known object or an adapter.
  [[nodiscard]] const std::shared_ptr<Ice::LocatorPrx>& locator() const noexcept { return locator_; }
  [[nodiscard]] event_log& log() const noexcept { return log_; }
  /// For stamps that people read: milliseconds since 1970, by the wall clock.
  [[nodiscard]] static std::int64_t wall_clock_ms();
  /// `settings().sessions.session_timeout`, or zero.
  [[nodiscard]] duration session_timeout() const;

 private:
  struct session_objects;

  [[nodiscard]] std::shared_ptr<Ice::ObjectPrx> add_objects(const session_ticket& ticket, const request& from,
                                                            session_objects& objects);
  void trace(std::string_view what, session::session_kind kind, const std::string& user) const;

  const config::registry_settings& settings_;
  const Ice::CommunicatorPtr communicator_;
  registry::service& service_;
  registry::executor& shell_;
  const std::shared_ptr<Ice::LocatorPrx> locator_;
  event_log& log_;
  const std::shared_ptr<connection_watch> watch_;
};

}  // namespace muster::ice
