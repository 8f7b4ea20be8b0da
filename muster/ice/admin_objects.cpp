#include <cstddef>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "muster/ice/admin_servant.hpp"
#include "muster/ice/exceptions.hpp"
#include "muster/ice/proxies.hpp"
#include "muster/ice/reply_size.hpp"
#include "muster/ice/type_probe.hpp"
#include "muster/locator/listing.hpp"

namespace muster::ice {
namespace {

IceGrid::ObjectInfo to_info(const Ice::CommunicatorPtr& communicator, const locator::object_entry& entry) {
  const auto proxy = to_proxy(communicator, entry.proxy);
  return {proxy ? *proxy : nullptr, std::string{entry.type}};
}

std::exception_ptr explain_object(const Ice::Identity& id, const error& cause) {
  switch (cause.code) {
    case errc::already_exists: return std::make_exception_ptr(IceGrid::ObjectExistsException{id});
    case errc::not_found: return std::make_exception_ptr(IceGrid::ObjectNotRegisteredException{id});
    default: return nullptr;
  }
}

// The exception for an identity that only the registry itself may give; null for all others.
std::exception_ptr refuse_reserved(const locator::view& view, const Ice::Identity& id, std::string_view doing) {
  if (!view.own->is_reserved(catalog::view_of(id))) return nullptr;
  return to_deployment_exception(
      {errc::invalid_argument, fmt::format("{} object `{}' is not allowed:\nobjects with identity category `{}' are "
                                           "managed by IceGrid",
                                           doing, catalog::to_text(catalog::view_of(id)), id.category)});
}

// A list is converted away from the threads that others wait for, and refused where the run time could not send it.
void answer_list(const session_hall& hall, const std::vector<locator::object_entry>& entries,
                 const std::function<void(const IceGrid::ObjectInfoSeq&)>& response,
                 const std::function<void(std::exception_ptr)>& exception) {
  std::size_t bytes = 0;
  for (const auto& entry : entries) bytes += entry.proxy.size() + entry.type.size() + 5;
  if (auto refused = refuse_oversized_list(hall.communicator(), bytes, entries.size(), "objects")) {
    exception(refused);
    return;
  }
  IceGrid::ObjectInfoSeq infos;
  infos.reserve(entries.size());
  for (const auto& entry : entries) infos.push_back(to_info(hall.communicator(), entry));
  response(infos);
}

}  // namespace

bool admin_servant::takes_object(const std::shared_ptr<Ice::ObjectPrx>& object, std::string_view doing,
                                 const failed& exception) const {
  if (!takes_changes(exception)) return false;
  if (!object) {
    exception(to_deployment_exception({errc::invalid_argument, "proxy is null"}));
    return false;
  }
  if (auto refused = refuse_reserved(now()->view, object->ice_getIdentity(), doing)) {
    exception(refused);
    return false;
  }
  return true;
}

void admin_servant::addObjectAsync(std::shared_ptr<Ice::ObjectPrx> object, done response, failed exception,
                                   const Ice::Current&) {
  if (!takes_object(object, "adding", exception)) return;
  const auto id = object->ice_getIdentity();
  const auto bound = static_cast<int>(hall_->settings().requests.probe_timeout.count());
  const auto self = shared_from_this();
  probe_type(object, hall_->locator(), bound,
             [self, id, encoded = to_encoded(object), response = std::move(response),
              exception = std::move(exception)](result<std::string> type) {
               if (!type) {
                 exception(to_deployment_exception(type.error()));
                 return;
               }
               self->propose(catalog::add_object{*std::move(type), encoded}, response, exception,
                             [id](const error& cause) { return explain_object(id, cause); });
             });
}

void admin_servant::addObjectWithTypeAsync(std::shared_ptr<Ice::ObjectPrx> object, std::string type, done response,
                                           failed exception, const Ice::Current&) {
  if (!takes_object(object, "adding", exception)) return;
  const auto id = object->ice_getIdentity();
  propose(catalog::add_object{std::move(type), to_encoded(object)}, std::move(response), std::move(exception),
          [id](const error& cause) { return explain_object(id, cause); });
}

void admin_servant::updateObjectAsync(std::shared_ptr<Ice::ObjectPrx> object, done response, failed exception,
                                      const Ice::Current&) {
  if (!takes_object(object, "updating", exception)) return;
  const auto id = object->ice_getIdentity();
  propose(catalog::update_object{to_encoded(object)}, std::move(response), std::move(exception),
          [id](const error& cause) { return explain_object(id, cause); });
}

void admin_servant::removeObjectAsync(Ice::Identity id, done response, failed exception, const Ice::Current&) {
  if (!takes_changes(exception)) return;
  if (auto refused = refuse_reserved(now()->view, id, "removing")) {
    exception(refused);
    return;
  }
  propose(catalog::remove_object{id}, std::move(response), std::move(exception),
          [id](const error& cause) { return explain_object(id, cause); });
}

void admin_servant::getObjectInfoAsync(Ice::Identity id, given<IceGrid::ObjectInfo> response, failed exception,
                                       const Ice::Current&) const {
  const auto at = now();
  const auto found = locator::find_object_entry(at->view, catalog::view_of(id));
  if (found) {
    response(to_info(hall_->communicator(), *found));
  } else {
    exception(std::make_exception_ptr(IceGrid::ObjectNotRegisteredException{id}));
  }
}

void admin_servant::getObjectInfosByTypeAsync(std::string type, given<IceGrid::ObjectInfoSeq> response,
                                              failed exception, const Ice::Current&) const {
  on_shell(
      [hall = hall_, type = std::move(type), response = std::move(response), exception] {
        const auto at = hall->service().current();
        answer_list(*hall, locator::list_objects_of_type(at->view, type), response, exception);
      },
      exception);
}

void admin_servant::getAllObjectInfosAsync(std::string expression, given<IceGrid::ObjectInfoSeq> response,
                                           failed exception, const Ice::Current&) const {
  on_shell(
      [hall = hall_, expression = std::move(expression), response = std::move(response), exception] {
        const auto at = hall->service().current();
        answer_list(*hall, locator::list_objects(at->view, locator::pattern{expression}), response, exception);
      },
      exception);
}

}  // namespace muster::ice
