#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "muster/ice/admin_servant.hpp"
#include "muster/ice/exceptions.hpp"
#include "muster/ice/reply_size.hpp"

// Applications as replicated state. Descriptions are stored whole; running their servers comes with the nodes.
namespace muster::ice {
namespace {

std::function<std::exception_ptr(const error&)> explain_application(std::string name) {
  return [name = std::move(name)](const error& cause) -> std::exception_ptr {
    if (cause.code != errc::not_found) return nullptr;
    return std::make_exception_ptr(IceGrid::ApplicationNotExistException{name});
  };
}

std::shared_ptr<const IceGrid::ApplicationDescriptor> shared(IceGrid::ApplicationDescriptor descriptor) {
  return std::make_shared<const IceGrid::ApplicationDescriptor>(std::move(descriptor));
}

/// As it travels: what came in a request just below the bound of messages is a little larger on its way back.
std::size_t size_of_reply(const IceGrid::ApplicationInfo& info) {
  Ice::OutputStream out;
  out.startEncapsulation();
  out.write(info);
  out.writePendingValues();
  out.endEncapsulation();
  return out.b.size();
}

std::exception_ptr no_distribution() {
  return std::make_exception_ptr(
      IceGrid::PatchException{{"this version of the registry does not distribute files (IcePatch2)"}});
}

}  // namespace

void admin_servant::addApplicationAsync(IceGrid::ApplicationDescriptor descriptor, done response, failed exception,
                                        const Ice::Current&) {
  propose_update(catalog::add_application{Ice::generateUUID(), edited_now(), shared(std::move(descriptor))},
                 std::move(response), std::move(exception), nullptr);
}

void admin_servant::syncApplicationAsync(IceGrid::ApplicationDescriptor descriptor, done response, failed exception,
                                         const Ice::Current&) {
  auto own = explain_application(descriptor.name);
  propose_update(catalog::sync_application{edited_now(), shared(std::move(descriptor))}, std::move(response),
                 std::move(exception), std::move(own));
}

void admin_servant::updateApplicationAsync(IceGrid::ApplicationUpdateDescriptor descriptor, done response,
                                           failed exception, const Ice::Current&) {
  auto own = explain_application(descriptor.name);
  propose_update(catalog::update_application{edited_now(), std::make_shared<const IceGrid::ApplicationUpdateDescriptor>(
                                                               std::move(descriptor))},
                 std::move(response), std::move(exception), std::move(own));
}

// No server runs, so none is restarted by a change.

void admin_servant::syncApplicationWithoutRestartAsync(IceGrid::ApplicationDescriptor descriptor, done response,
                                                       failed exception, const Ice::Current& current) {
  syncApplicationAsync(std::move(descriptor), std::move(response), std::move(exception), current);
}

void admin_servant::updateApplicationWithoutRestartAsync(IceGrid::ApplicationUpdateDescriptor descriptor, done response,
                                                         failed exception, const Ice::Current& current) {
  updateApplicationAsync(std::move(descriptor), std::move(response), std::move(exception), current);
}

void admin_servant::removeApplicationAsync(std::string name, done response, failed exception, const Ice::Current&) {
  auto own = explain_application(name);
  propose_update(catalog::remove_application{std::move(name)}, std::move(response), std::move(exception),
                 std::move(own));
}

void admin_servant::instantiateServerAsync(std::string application, std::string, IceGrid::ServerInstanceDescriptor,
                                           done, failed exception, const Ice::Current&) {
  if (!takes_changes(exception)) return;
  if (now()->view.state.find_application(application) == nullptr) {
    exception(std::make_exception_ptr(IceGrid::ApplicationNotExistException{application}));
    return;
  }
  exception(to_deployment_exception(
      {errc::unsupported,
       "this version of the registry does not expand server templates; describe the server in the "
       "application, by syncApplication or updateApplication"}));
}

void admin_servant::patchApplicationAsync(std::string name, bool, done response, failed exception,
                                          const Ice::Current&) {
  const auto at = now();
  const auto* application = at->view.state.find_application(name);
  if (application == nullptr) {
    exception(std::make_exception_ptr(IceGrid::ApplicationNotExistException{name}));
    return;
  }
  const auto has_files = [](const descriptor::server_entry& one) { return !one.server->distrib.icepatch.empty(); };
  if (!application->info->descriptor.distrib.icepatch.empty() ||
      std::ranges::any_of(application->contents->servers, has_files)) {
    exception(no_distribution());
    return;
  }
  response();  // nothing to distribute, as after every `application add` of icegridadmin
}

void admin_servant::patchServerAsync(std::string id, bool, done response, failed exception, const Ice::Current&) {
  const auto at = now();
  const auto* server = at->view.state.find_server(id);
  const auto* application = server != nullptr ? at->view.state.find_application(server->application->text()) : nullptr;
  if (application == nullptr) {
    exception(std::make_exception_ptr(IceGrid::ServerNotExistException{id}));
    return;
  }
  if (!application->info->descriptor.distrib.icepatch.empty() || !server->entry.server->distrib.icepatch.empty()) {
    exception(no_distribution());
    return;
  }
  response();
}

void admin_servant::getApplicationInfoAsync(std::string name, given<IceGrid::ApplicationInfo> response,
                                            failed exception, const Ice::Current&) const {
  const auto at = now();
  const auto* application = at->view.state.find_application(name);
  if (application == nullptr) {
    exception(std::make_exception_ptr(IceGrid::ApplicationNotExistException{name}));
  } else if (auto refused = refuse_oversized(hall_->communicator(), size_of_reply(*application->info),
                                             fmt::format("the description of the application \"{}\"", name), "")) {
    exception(refused);
  } else {
    response(*application->info);
  }
}

void admin_servant::getDefaultApplicationDescriptorAsync(given<IceGrid::ApplicationDescriptor>, failed exception,
                                                         const Ice::Current&) const {
  exception(to_deployment_exception({errc::unsupported,
                                     "no default templates configured: this version of the registry does not read "
                                     "IceGrid.Registry.DefaultTemplates"}));
}

void admin_servant::getAllApplicationNamesAsync(given<Ice::StringSeq> response, failed exception,
                                                const Ice::Current&) const {
  const auto at = now();
  Ice::StringSeq names;
  for (const auto& application : at->view.state.applications()) names.emplace_back(application.id());
  std::ranges::sort(names);
  answer_names(*hall_, names, "applications", response, exception);
}

}  // namespace muster::ice
