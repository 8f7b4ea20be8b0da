#pragma once

#include <exception>
#include <optional>
#include <string>

#include "muster/base/error.hpp"
#include "muster/locator/replies.hpp"
#include "muster/registry/registration.hpp"

namespace muster::ice {

/// The one place where what is told inside by values becomes what Ice tells by exceptions, and back.

/// The exception of `Ice::LocatorRegistry` for a registration that was not done. None where its contract has no name
/// for the failure (no master, unknown outcome): then `to_exception` says it in words.
[[nodiscard]] std::optional<locator::locator_exception> to_locator_exception(
    registry::registration_failure why) noexcept;

/// Likewise as a thrown value: the exception of the contract, or `Ice::UnknownException` with the reason, which a
/// server's run time hands on to whoever activates the adapter.
[[nodiscard]] std::exception_ptr to_exception(const registry::registration_refusal& refusal);

/// `IceGrid::DeploymentException` with the error's sentence: what `IceGrid::Admin` answers where an operation has no
/// exception of its own for the case.
[[nodiscard]] std::exception_ptr to_deployment_exception(const error& cause);

/// `IceGrid::PermissionDeniedException` with the sentence.
[[nodiscard]] std::exception_ptr to_permission_denied(const std::string& reason);

/// What the failure of a call that this process made means: `timed_out` (nothing answered within the bound),
/// `unavailable` (it cannot be reached or has no such object), `outcome_unknown` (the connection broke after the
/// request was sent), `incompatible` (no such operation, not the same encoding), else `io_error`.
[[nodiscard]] error to_error(const std::exception_ptr& thrown);

/// The exception as Ice prints it, in one line.
[[nodiscard]] std::string to_text(const std::exception_ptr& thrown);

}  // namespace muster::ice
