#include "muster/ice/session_servants.hpp"

#include <limits>
#include <utility>

#include "muster/catalog/identity.hpp"
#include "muster/ice/exceptions.hpp"

namespace muster::ice {
namespace {

constexpr const char* no_allocation = "this version of the registry does not allocate objects";

template <typename Exception, typename... Args>
std::exception_ptr thrown(Args&&... args) {
  return std::make_exception_ptr(Exception{std::forward<Args>(args)...});
}

// What has ended meanwhile does not exist: the same answer as when its objects are taken away already.
std::exception_ptr no_longer_there(const Ice::Current& current) {
  return std::make_exception_ptr(
      Ice::ObjectNotExistException{__FILE__, __LINE__, current.id, current.facet, current.operation});
}

void destroy(session_hall& hall, const session_ticket& ticket, std::function<void()> response,
             std::function<void(std::exception_ptr)> exception, const Ice::Current& current) {
  hall.desk().destroy(ticket.id,
                      [response = std::move(response), exception = std::move(exception), current](
                          const result<void>& outcome) { outcome ? response() : exception(no_longer_there(current)); });
}

void keep_alive(session_hall& hall, const session_ticket& ticket, std::function<void()> response,
                std::function<void(std::exception_ptr)> exception, const Ice::Current& current) {
  hall.desk().keep_alive(
      ticket.id, [response = std::move(response), exception = std::move(exception), current](
                     const result<void>& outcome) { outcome ? response() : exception(no_longer_there(current)); });
}

// A Glacier2 router pings the session of a client that is there, and means what others say by `keepAlive`.
void count_ping(session_hall& hall, const session_ticket& ticket) {
  hall.desk().keep_alive(ticket.id, [](const result<void>&) {});
}

std::exception_ptr access_denied(const session::access_denied& why) {
  return std::make_exception_ptr(IceGrid::AccessDeniedException{why.holder});
}

// The interface has no exception for this; `ObserverAlreadyRegisteredException` would say what is not so.
std::exception_ptr no_observers() {
  return std::make_exception_ptr(
      Ice::UnknownException{__FILE__, __LINE__,
                            "this version of the registry does not call observers: ask for what "
                            "they would be told by the session's Admin object"});
}

bool is_none(const Ice::Identity& id) { return id.name.empty() && id.category.empty(); }

}  // namespace

// --- AdminSession ---

admin_session_servant::admin_session_servant(std::shared_ptr<session_hall> hall, session_ticket ticket,
                                             const std::shared_ptr<Ice::ObjectPrx>& admin)
    : hall_{std::move(hall)}, ticket_{std::move(ticket)}, admin_{Ice::uncheckedCast<IceGrid::AdminPrx>(admin)} {}

void admin_session_servant::ice_ping(const Ice::Current&) const { count_ping(*hall_, ticket_); }

void admin_session_servant::destroyAsync(done response, failed exception, const Ice::Current& current) {
  destroy(*hall_, ticket_, std::move(response), std::move(exception), current);
}

void admin_session_servant::keepAliveAsync(done response, failed exception, const Ice::Current& current) {
  keep_alive(*hall_, ticket_, std::move(response), std::move(exception), current);
}

void admin_session_servant::getAdminAsync(std::function<void(const std::shared_ptr<IceGrid::AdminPrx>&)> response,
                                          failed, const Ice::Current&) const {
  response(admin_);
}

void admin_session_servant::getAdminCallbackTemplateAsync(
    std::function<void(const std::shared_ptr<Ice::ObjectPrx>&)> response, failed, const Ice::Current&) const {
  response(nullptr);  // callbacks through the registry come with the routing to servers
}

void admin_session_servant::setObserversAsync(std::shared_ptr<IceGrid::RegistryObserverPrx> registries,
                                              std::shared_ptr<IceGrid::NodeObserverPrx> nodes,
                                              std::shared_ptr<IceGrid::ApplicationObserverPrx> applications,
                                              std::shared_ptr<IceGrid::AdapterObserverPrx> adapters,
                                              std::shared_ptr<IceGrid::ObjectObserverPrx> objects, done response,
                                              failed exception, const Ice::Current&) {
  if (!registries && !nodes && !applications && !adapters && !objects) {
    response();
    return;
  }
  exception(no_observers());
}

void admin_session_servant::setObserversByIdentityAsync(Ice::Identity registries, Ice::Identity nodes,
                                                        Ice::Identity applications, Ice::Identity adapters,
                                                        Ice::Identity objects, done response, failed exception,
                                                        const Ice::Current&) {
  if (is_none(registries) && is_none(nodes) && is_none(applications) && is_none(adapters) && is_none(objects)) {
    response();
    return;
  }
  exception(no_observers());
}

void admin_session_servant::startUpdateAsync(std::function<void(int)> response, failed exception, const Ice::Current&) {
  hall_->desk().acquire_lock(ticket_.id,
                             [hall = hall_, response = std::move(response),
                              exception = std::move(exception)](const session::update_lock::outcome& outcome) {
                               if (!outcome) {
                                 exception(access_denied(outcome.error()));
                                 return;
                               }
                               const auto serial = hall->service().current()->serial.value();
                               response(static_cast<int>(serial % std::numeric_limits<int>::max()));
                             });
}

void admin_session_servant::finishUpdateAsync(done response, failed exception, const Ice::Current&) {
  hall_->desk().release_lock(ticket_.id, [response = std::move(response), exception = std::move(exception)](
                                             const session::update_lock::outcome& outcome) {
    outcome ? response() : exception(access_denied(outcome.error()));
  });
}

void admin_session_servant::getReplicaNameAsync(std::function<void(const std::string&)> response, failed,
                                                const Ice::Current&) const {
  response(hall_->settings().replica_name);
}

// Files of servers, nodes and registries come with the nodes that run servers. What does not exist is told apart.

void admin_session_servant::refuse_server_file(const std::string& id, const failed& exception) const {
  const auto now = hall_->service().current();
  const auto* server = now->view.state.find_server(id);
  if (server == nullptr) {
    exception(thrown<IceGrid::ServerNotExistException>(id));
  } else {
    exception(thrown<IceGrid::NodeUnreachableException>(server->entry.node, "the node is not active"));
  }
}

void admin_session_servant::refuse_node_file(const std::string& name, const failed& exception) const {
  const auto now = hall_->service().current();
  for (const auto& application : now->view.state.applications()) {
    for (const auto& node : application.contents->nodes) {
      if (node == name) {
        exception(thrown<IceGrid::NodeUnreachableException>(name, "the node is not active"));
        return;
      }
    }
  }
  exception(thrown<IceGrid::NodeNotExistException>(name));
}

void admin_session_servant::refuse_registry_file(const std::string& name, const failed& exception) const {
  if (hall_->service().current()->replicas->find(name) == nullptr) {
    exception(thrown<IceGrid::RegistryNotExistException>(name));
  } else {
    exception(thrown<IceGrid::FileNotAvailableException>("this version of the registry does not offer its own files"));
  }
}

void admin_session_servant::openServerLogAsync(std::string id, std::string, int, file, failed exception,
                                               const Ice::Current&) {
  refuse_server_file(id, exception);
}

void admin_session_servant::openServerStdErrAsync(std::string id, int, file, failed exception, const Ice::Current&) {
  refuse_server_file(id, exception);
}

void admin_session_servant::openServerStdOutAsync(std::string id, int, file, failed exception, const Ice::Current&) {
  refuse_server_file(id, exception);
}

void admin_session_servant::openNodeStdErrAsync(std::string name, int, file, failed exception, const Ice::Current&) {
  refuse_node_file(name, exception);
}

void admin_session_servant::openNodeStdOutAsync(std::string name, int, file, failed exception, const Ice::Current&) {
  refuse_node_file(name, exception);
}

void admin_session_servant::openRegistryStdErrAsync(std::string name, int, file, failed exception,
                                                    const Ice::Current&) {
  refuse_registry_file(name, exception);
}

void admin_session_servant::openRegistryStdOutAsync(std::string name, int, file, failed exception,
                                                    const Ice::Current&) {
  refuse_registry_file(name, exception);
}

// --- Session ---

void client_session_servant::ice_ping(const Ice::Current&) const { count_ping(*hall_, ticket_); }

void client_session_servant::destroyAsync(done response, failed exception, const Ice::Current& current) {
  destroy(*hall_, ticket_, std::move(response), std::move(exception), current);
}

void client_session_servant::keepAliveAsync(done response, failed exception, const Ice::Current& current) {
  keep_alive(*hall_, ticket_, std::move(response), std::move(exception), current);
}

void client_session_servant::allocateObjectByIdAsync(Ice::Identity id, object, failed exception, const Ice::Current&) {
  const auto now = hall_->service().current();
  if (now->view.state.find_allocatable(catalog::view_of(id)) == nullptr) {
    exception(thrown<IceGrid::ObjectNotRegisteredException>(id));
  } else {
    exception(thrown<IceGrid::AllocationException>(no_allocation));
  }
}

void client_session_servant::allocateObjectByTypeAsync(std::string type, object, failed exception,
                                                       const Ice::Current&) {
  const auto now = hall_->service().current();
  for (const auto& allocatable : now->view.state.allocatables()) {
    if (allocatable.type() == type) {
      exception(thrown<IceGrid::AllocationException>(no_allocation));
      return;
    }
  }
  exception(thrown<IceGrid::AllocationException>("no allocatable objects with type `" + type + "' registered"));
}

void client_session_servant::releaseObjectAsync(Ice::Identity id, done, failed exception, const Ice::Current&) {
  const auto now = hall_->service().current();
  if (now->view.state.find_allocatable(catalog::view_of(id)) == nullptr) {
    exception(thrown<IceGrid::ObjectNotRegisteredException>(id));
  } else {
    exception(thrown<IceGrid::AllocationException>("the object is not allocated by this session"));
  }
}

void client_session_servant::setAllocationTimeoutAsync(int, done response, failed, const Ice::Current&) {
  response();  // nothing is waited for: an allocation is answered at once
}

}  // namespace muster::ice
