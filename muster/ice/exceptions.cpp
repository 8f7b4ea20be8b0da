#include "muster/ice/exceptions.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include <Ice/Ice.h>
#include <IceGrid/Admin.h>
#include <IceGrid/Registry.h>

namespace muster::ice {

std::optional<locator::locator_exception> to_locator_exception(registry::registration_failure why) noexcept {
  using enum registry::registration_failure;
  switch (why) {
    case adapter_unknown: return locator::locator_exception::adapter_not_found;
    case adapter_active: return locator::locator_exception::adapter_already_active;
    case replica_group_invalid: return locator::locator_exception::invalid_replica_group_id;
    case server_unknown: return locator::locator_exception::server_not_found;
    case unavailable:
    case outcome_unknown: return std::nullopt;
  }
  return std::nullopt;
}

std::exception_ptr to_exception(const registry::registration_refusal& refusal) {
  const auto named = to_locator_exception(refusal.why);
  if (!named) return std::make_exception_ptr(Ice::UnknownException{__FILE__, __LINE__, refusal.reason});
  using enum locator::locator_exception;
  switch (*named) {
    case object_not_found: return std::make_exception_ptr(Ice::ObjectNotFoundException{});
    case adapter_not_found: return std::make_exception_ptr(Ice::AdapterNotFoundException{});
    case adapter_already_active: return std::make_exception_ptr(Ice::AdapterAlreadyActiveException{});
    case invalid_replica_group_id: return std::make_exception_ptr(Ice::InvalidReplicaGroupIdException{});
    case server_not_found: return std::make_exception_ptr(Ice::ServerNotFoundException{});
  }
  return std::make_exception_ptr(Ice::UnknownException{__FILE__, __LINE__, refusal.reason});
}

std::exception_ptr to_deployment_exception(const error& cause) {
  return std::make_exception_ptr(IceGrid::DeploymentException{cause.message});
}

std::exception_ptr to_permission_denied(const std::string& reason) {
  return std::make_exception_ptr(IceGrid::PermissionDeniedException{reason});
}

namespace {

// From the particular to the general, as the hierarchy of Ice's exceptions has it.
errc code_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Ice::ConnectTimeoutException&) {
    return errc::unavailable;
  } catch (const Ice::TimeoutException&) {  // of an invocation, too
    return errc::timed_out;
  } catch (const Ice::OperationNotExistException&) {
    return errc::incompatible;
  } catch (const Ice::RequestFailedException&) {
    return errc::unavailable;
  } catch (const Ice::ConnectionLostException&) {
    return errc::outcome_unknown;
  } catch (const Ice::CloseConnectionException&) {
    return errc::unavailable;
  } catch (const Ice::SocketException&) {
    return errc::unavailable;
  } catch (const Ice::DNSException&) {
    return errc::unavailable;
  } catch (const Ice::NoEndpointException&) {
    return errc::unavailable;
  } catch (const Ice::NotRegisteredException&) {
    return errc::unavailable;
  } catch (const Ice::SecurityException&) {
    return errc::permission_denied;
  } catch (const Ice::ProtocolException&) {
    return errc::incompatible;
  } catch (const Ice::CommunicatorDestroyedException&) {
    return errc::unavailable;
  } catch (...) {
    return errc::io_error;
  }
}

}  // namespace

error to_error(const std::exception_ptr& thrown) { return {code_of(thrown), to_text(thrown)}; }

std::string to_text(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Ice::Exception& failed) {
    // Without file and line of the run time's sources, which say nothing to an operator.
    std::ostringstream out;
    failed.ice_print(out);
    std::string text = std::move(out).str();
    if (const auto type = text.find(": ::"); type != std::string::npos) text.erase(0, type + 2);
    // The run time ends the name of the exception, and quotations, with line feeds.
    std::ranges::replace(text, '\n', ' ');
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  } catch (const std::exception& failed) {
    return failed.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

}  // namespace muster::ice
