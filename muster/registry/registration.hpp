#pragma once

#include <functional>
#include <optional>
#include <string>

#include <tl/expected.hpp>

#include "muster/base/error.hpp"
#include "muster/catalog/encoded_proxy.hpp"
#include "muster/catalog/state.hpp"

namespace muster::registry {

/// What a server says of one of its adapters: `Ice::LocatorRegistry`. A null proxy takes the adapter back.
struct adapter_registration {
  std::string adapter_id;
  std::string replica_group_id;  ///< empty: in no group
  catalog::encoded_proxy proxy;
};

/// What a server says of itself: `Ice::LocatorRegistry::setServerProcessProxy`.
struct process_registration {
  std::string server_id;
  catalog::encoded_proxy process;
};

/// Why a registration was not done: one value for each thing that a server can be told.
enum class registration_failure {
  adapter_unknown,        ///< Ice::AdapterNotFoundException
  adapter_active,         ///< Ice::AdapterAlreadyActiveException
  replica_group_invalid,  ///< Ice::InvalidReplicaGroupIdException
  server_unknown,         ///< Ice::ServerNotFoundException
  unavailable,            ///< no master takes changes, or storage is full: nothing was done
  outcome_unknown,        ///< it may have been done
};

/// The failure and one sentence for the log, and for the exception where the interface has room.
struct registration_refusal {
  registration_failure why{};
  std::string reason;
};

using registration_outcome = tl::expected<void, registration_refusal>;
using registration_done = std::function<void(registration_outcome)>;

/// Whether a server may say this of an adapter, by the state as it is now. The rules of dynamic registration in
/// Ice 3.7: the id is not empty; the adapter is not described by an application; a replica group that an application
/// deploys takes no dynamic member; with dynamic registration off no adapter becomes known that no application
/// describes.
[[nodiscard]] registration_outcome may_register(const catalog::state& now, const adapter_registration& what,
                                                bool dynamic_registration);

/// What remains of an error of the catalog or of the replication when a registration was not done.
[[nodiscard]] registration_refusal to_refusal(const error& cause, const adapter_registration& what);

}  // namespace muster::registry
