#include <algorithm>
#include <set>
#include <utility>

#include "muster/ice/admin_servant.hpp"
#include "muster/ice/exceptions.hpp"

// Servers and nodes of stored applications. No node is connected in this version: each is unreachable.
namespace muster::ice {
namespace {

constexpr const char* not_active = "the node is not active";

bool is_node(const catalog::state& state, const std::string& name) {
  for (const auto& application : state.applications()) {
    const auto& nodes = application.contents->nodes;
    if (std::ranges::find(nodes, name) != nodes.end()) return true;
  }
  return false;
}

}  // namespace

void admin_servant::refuse_server(const std::string& id, const failed& exception) const {
  const auto at = now();
  if (const auto* server = at->view.state.find_server(id)) {
    exception(std::make_exception_ptr(IceGrid::NodeUnreachableException{server->entry.node, not_active}));
  } else {
    exception(std::make_exception_ptr(IceGrid::ServerNotExistException{id}));
  }
}

void admin_servant::refuse_node(const std::string& name, const failed& exception) const {
  if (is_node(now()->view.state, name)) {
    exception(std::make_exception_ptr(IceGrid::NodeUnreachableException{name, not_active}));
  } else {
    exception(std::make_exception_ptr(IceGrid::NodeNotExistException{name}));
  }
}

void admin_servant::getServerInfoAsync(std::string id, given<IceGrid::ServerInfo> response, failed exception,
                                       const Ice::Current&) const {
  const auto at = now();
  const auto* server = at->view.state.find_server(id);
  const auto* application = server != nullptr ? at->view.state.find_application(server->application->text()) : nullptr;
  if (application == nullptr) {
    exception(std::make_exception_ptr(IceGrid::ServerNotExistException{id}));
    return;
  }
  IceGrid::ServerInfo info;
  info.application = application->info->descriptor.name;
  info.uuid = application->info->uuid;
  info.revision = application->info->revision;
  info.node = server->entry.node;
  info.descriptor = server->entry.server;
  response(info);
}

void admin_servant::getServerStateAsync(std::string id, std::function<void(IceGrid::ServerState)>, failed exception,
                                        const Ice::Current&) const {
  refuse_server(id, exception);
}

void admin_servant::getServerPidAsync(std::string id, std::function<void(int)>, failed exception,
                                      const Ice::Current&) const {
  refuse_server(id, exception);
}

void admin_servant::getServerAdminCategoryAsync(given<std::string> response, failed, const Ice::Current&) const {
  response(hall_->settings().instance_name + "-RegistryServerAdminRouter");
}

void admin_servant::getServerAdminAsync(std::string id, proxy_given, failed exception, const Ice::Current&) const {
  refuse_server(id, exception);
}

void admin_servant::enableServerAsync(std::string id, bool, done, failed exception, const Ice::Current&) {
  refuse_server(id, exception);
}

void admin_servant::isServerEnabledAsync(std::string id, std::function<void(bool)>, failed exception,
                                         const Ice::Current&) const {
  refuse_server(id, exception);
}

void admin_servant::startServerAsync(std::string id, done, failed exception, const Ice::Current&) {
  refuse_server(id, exception);
}

void admin_servant::stopServerAsync(std::string id, done, failed exception, const Ice::Current&) {
  refuse_server(id, exception);
}

void admin_servant::sendSignalAsync(std::string id, std::string, done, failed exception, const Ice::Current&) {
  refuse_server(id, exception);
}

void admin_servant::getAllServerIdsAsync(given<Ice::StringSeq> response, failed exception, const Ice::Current&) const {
  on_shell(
      [hall = hall_, response = std::move(response), exception] {
        const auto at = hall->service().current();
        Ice::StringSeq ids;
        for (const auto& server : at->view.state.servers()) ids.emplace_back(server.id());
        std::ranges::sort(ids);
        answer_names(*hall, ids, "servers", response, exception);
      },
      exception);
}

void admin_servant::pingNodeAsync(std::string name, std::function<void(bool)> response, failed exception,
                                  const Ice::Current&) const {
  if (is_node(now()->view.state, name)) {
    response(false);
  } else {
    exception(std::make_exception_ptr(IceGrid::NodeNotExistException{name}));
  }
}

void admin_servant::getNodeLoadAsync(std::string name, given<IceGrid::LoadInfo>, failed exception,
                                     const Ice::Current&) const {
  refuse_node(name, exception);
}

void admin_servant::getNodeInfoAsync(std::string name, given<IceGrid::NodeInfo>, failed exception,
                                     const Ice::Current&) const {
  refuse_node(name, exception);
}

void admin_servant::getNodeAdminAsync(std::string name, proxy_given, failed exception, const Ice::Current&) const {
  refuse_node(name, exception);
}

void admin_servant::getNodeProcessorSocketCountAsync(std::string name, std::function<void(int)>, failed exception,
                                                     const Ice::Current&) const {
  refuse_node(name, exception);
}

void admin_servant::shutdownNodeAsync(std::string name, done, failed exception, const Ice::Current&) {
  refuse_node(name, exception);
}

void admin_servant::getNodeHostnameAsync(std::string name, given<std::string>, failed exception,
                                         const Ice::Current&) const {
  refuse_node(name, exception);
}

void admin_servant::getAllNodeNamesAsync(given<Ice::StringSeq> response, failed exception, const Ice::Current&) const {
  const auto at = now();
  std::set<std::string> names;
  for (const auto& application : at->view.state.applications()) {
    names.insert(application.contents->nodes.begin(), application.contents->nodes.end());
  }
  answer_names(*hall_, {names.begin(), names.end()}, "nodes", response, exception);
}

}  // namespace muster::ice
