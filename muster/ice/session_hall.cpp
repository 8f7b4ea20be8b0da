#include "muster/ice/session_hall.hpp"

#include <optional>
#include <utility>

#include <IceUtil/Time.h>

#include "muster/ice/admin_servant.hpp"
#include "muster/ice/exceptions.hpp"
#include "muster/ice/session_servants.hpp"

namespace muster::ice {
namespace {

Ice::Identity fresh_identity(const std::string& instance) { return {Ice::generateUUID(), instance}; }

}  // namespace

// The objects of one session, as long as they are served.
struct session_hall::session_objects {
  session_objects(Ice::ObjectAdapterPtr at, Ice::Identity session_id)
      : adapter{std::move(at)}, session{std::move(session_id)} {}

  Ice::ObjectAdapterPtr adapter;
  Ice::Identity session;
  std::optional<Ice::Identity> admin;

  void take_away() const {
    remove(session);
    if (admin) remove(*admin);
  }

 private:
  void remove(const Ice::Identity& object) const {
    try {
      adapter->remove(object);
    } catch (const Ice::LocalException&) {
      // The adapter is gone, and it with it.
    }
  }
};

session_hall::session_hall(const open_adapters& open)
    : settings_{open.settings},
      communicator_{open.communicator},
      service_{open.service},
      shell_{open.shell},
      locator_{open.locator},
      log_{open.log},
      // The desk outlives the run time's last callback; this object may not.
      watch_{std::make_shared<connection_watch>(
          [&desk = open.service.sessions()](session::session_id id) { desk.destroy(id, [](const result<void>&) {}); },
          [&desk = open.service.sessions()](session::session_id id) {
            desk.keep_alive(id, [](const result<void>&) {});
          })} {}

void session_hall::trace(std::string_view what, session::session_kind kind, const std::string& user) const {
  if (settings_.trace.session < 1) return;
  log_.write(event{severity::info, what}.with("kind", session::to_string(kind)).with("user", user));
}

duration session_hall::session_timeout() const {
  return settings_.sessions.session_timeout ? duration{*settings_.sessions.session_timeout} : duration{};
}

std::int64_t session_hall::wall_clock_ms() { return IceUtil::Time::now(IceUtil::Time::Realtime).toMilliSeconds(); }

void session_hall::open(request what, opened then, failed otherwise) {
  // The objects are known only when the session has its number; the end of the session comes after that.
  struct life {
    request made_by;
    session::session_id number{};
    std::optional<session_objects> objects;
  };
  auto shared = std::make_shared<life>(life{std::move(what), {}, std::nullopt});
  const auto& asked = shared->made_by;
  auto ended = [self = shared_from_this(), shared] {
    const auto& from = shared->made_by;
    if (from.owner.connection) self->watch_->remove(from.owner.connection, shared->number);
    if (shared->objects) shared->objects->take_away();
    self->trace("session_ended", from.kind, from.user);
  };
  desk().create({.kind = asked.kind, .user = asked.user, .timeout = asked.timeout, .ended = std::move(ended)},
                [self = shared_from_this(), shared, then = std::move(then),
                 otherwise = std::move(otherwise)](result<session::session_id> number) {
                  if (!number) {
                    otherwise(to_permission_denied(number.error().message));
                    return;
                  }
                  shared->number = *number;
                  const auto& from = shared->made_by;
                  self->trace("session_created", from.kind, from.user);
                  try {
                    shared->objects.emplace(from.adapter, fresh_identity(self->settings_.instance_name));
                    const auto session = self->add_objects({*number, from.user}, from, *shared->objects);
                    // Only now: a connection that is closed already ends the session at once.
                    if (from.owner.connection) self->watch_->add(from.owner.connection, *number);
                    then(session);
                  } catch (const Ice::LocalException&) {
                    self->desk().destroy(*number, [](const result<void>&) {});
                    otherwise(std::current_exception());
                  }
                });
}

std::shared_ptr<Ice::ObjectPrx> session_hall::add_objects(const session_ticket& ticket, const request& from,
                                                          session_objects& objects) {
  owned_object::observer on_request;
  if (settings_.trace.admin > 0 && from.kind == session::session_kind::admin) {
    on_request = [&log = log_, user = from.user](const Ice::Current& current) {
      log.write(event{severity::info, "admin_request"}.with("user", user).with("operation", current.operation));
    };
  }
  const auto add = [&](const std::shared_ptr<Ice::Object>& object, const Ice::Identity& id) {
    return from.adapter->add(std::make_shared<owned_object>(from.owner, object, on_request), id);
  };
  const auto self = shared_from_this();
  if (from.kind == session::session_kind::client) {
    return add(std::make_shared<client_session_servant>(self, ticket), objects.session);
  }
  objects.admin = fresh_identity(settings_.instance_name);
  const auto admin = add(std::make_shared<admin_servant>(self, ticket), *objects.admin);
  return add(std::make_shared<admin_session_servant>(self, ticket, admin), objects.session);
}

}  // namespace muster::ice
