#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "muster/ice/admin_servant.hpp"
#include "muster/ice/exceptions.hpp"

// This replica and the others that are active. A slave knows of them what the master last told it.
namespace muster::ice {
namespace {

std::exception_ptr no_such_registry(const std::string& name) {
  return std::make_exception_ptr(IceGrid::RegistryNotExistException{name});
}

}  // namespace

void admin_servant::pingRegistryAsync(std::string name, std::function<void(bool)> response, failed exception,
                                      const Ice::Current&) const {
  if (name == hall_->settings().replica_name || now()->replicas->find(name) != nullptr) {
    response(true);
  } else {
    exception(no_such_registry(name));
  }
}

void admin_servant::getRegistryInfoAsync(std::string name, given<IceGrid::RegistryInfo> response, failed exception,
                                         const Ice::Current&) const {
  const auto at = now();
  if (const auto* replica = at->replicas->find(name)) {
    response(IceGrid::RegistryInfo{name, replica->host});
  } else {
    exception(no_such_registry(name));
  }
}

void admin_servant::getRegistryAdminAsync(std::string name, proxy_given, failed exception, const Ice::Current&) const {
  if (name != hall_->settings().replica_name && now()->replicas->find(name) == nullptr) {
    exception(no_such_registry(name));
    return;
  }
  exception(std::make_exception_ptr(
      Ice::UnknownException{__FILE__, __LINE__, "this version of the registry has no administrative facets"}));
}

void admin_servant::shutdownRegistryAsync(std::string name, done response, failed exception, const Ice::Current&) {
  hall_->service().shut_down_replica(name, [hall = hall_, name, response = std::move(response),
                                            exception = std::move(exception)](const result<void>& outcome) {
    if (outcome) {
      response();
    } else if (hall->service().current()->replicas->find(name) == nullptr) {
      exception(no_such_registry(name));
    } else {
      // Known, but only the master has a way to it.
      exception(std::make_exception_ptr(IceGrid::RegistryUnreachableException{
          name, fmt::format("replica '{}' is a slave and ends no other replica: ask the master",
                            hall->settings().replica_name)}));
    }
  });
}

// As in Ice 3.7: the others by name, then the one that is asked.
void admin_servant::getAllRegistryNamesAsync(given<Ice::StringSeq> response, failed, const Ice::Current&) const {
  const auto at = now();
  const auto& own = hall_->settings().replica_name;
  Ice::StringSeq names;
  for (const auto& replica : at->replicas->replicas) {
    if (replica.objects.name != own) names.push_back(replica.objects.name);
  }
  std::ranges::sort(names);
  names.push_back(own);
  response(names);
}

void admin_servant::shutdownAsync(done response, failed exception, const Ice::Current&) {
  hall_->service().shut_down_replica(
      hall_->settings().replica_name,
      [response = std::move(response), exception = std::move(exception)](const result<void>& outcome) {
        outcome ? response() : exception(to_deployment_exception(outcome.error()));
      });
}

void admin_servant::getSliceChecksumsAsync(given<Ice::SliceChecksumDict> response, failed, const Ice::Current&) const {
  response({});
}

}  // namespace muster::ice
