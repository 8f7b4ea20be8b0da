#pragma once

#include <string>
#include <string_view>

namespace muster {

/// Why an operation failed. A code exists only where some caller reacts to it in its own way.
enum class errc {
  invalid_argument,   ///< the caller's input is malformed; the message names it and what is allowed
  not_found,          ///< the thing named does not exist
  already_exists,     ///< the thing named exists and was to be made
  conflict,           ///< the input is well formed but contradicts the present state
  locked,             ///< somebody else holds the exclusive lock; the message names the holder
  permission_denied,  ///< the caller may not do this
  not_master,         ///< this replica takes no changes; nothing was changed
  unavailable,        ///< a peer that is needed cannot be reached; nothing was changed
  timed_out,          ///< the bound passed before the operation began to take effect
  outcome_unknown,    ///< the operation may or may not have taken effect
  limit_exceeded,     ///< a bound of this process; the message names it
  storage_full,       ///< disk or map is full; nothing was changed
  io_error,           ///< the storage failed; its state is unknown, so the process has to end
  corrupt,            ///< bytes read back or received are not what was written
  incompatible,       ///< another version, database or history
  unsupported,        ///< known, and not offered by this version
};

[[nodiscard]] std::string_view to_string(errc code) noexcept;

/// A failure: a code to react to and one sentence for people (what, where, what is allowed).
struct error {
  errc code{};
  std::string message;

  friend bool operator==(const error&, const error&) = default;
};

}  // namespace muster
