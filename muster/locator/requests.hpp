#pragma once

#include <cstdint>
#include <string_view>

#include "muster/base/bytes.hpp"
#include "muster/base/result.hpp"
#include "muster/catalog/encoded_proxy.hpp"
#include "muster/catalog/identity.hpp"
#include "muster/locator/ice_encoding.hpp"

namespace muster::locator {

/// The in-parameters of an operation, with the version in which its reply has to be written. Views live as long as the
/// bytes that were read.
template <typename Params>
struct request {
  encoding version{encoding::v1_1};
  Params params{};
};

struct no_params {};

/// `IceGrid::LoadSample`.
enum class load_sample : std::uint8_t { one_minute = 0, five_minutes = 1, fifteen_minutes = 2 };

struct type_and_sample {
  std::string_view type;
  load_sample sample{load_sample::one_minute};
};

struct adapter_registration {
  std::string_view adapter_id;
  /// Empty: in no group.
  std::string_view replica_group_id;
  /// Null: the adapter takes itself back.
  catalog::encoded_proxy proxy;
};

/// Readers of a whole in-parameters encapsulation as it came off the wire: `params` is from its size to its end. They
/// are for the operations that are worth the while of being dispatched from the bytes; any input is safe.
///
/// `corrupt`: the bytes are not what the operation takes (Ice: MarshalException and its kin). `incompatible`: an
/// encoding that is neither 1.0 nor 1.1 (Ice: UnsupportedEncodingException).
[[nodiscard]] result<request<no_params>> read_no_params(byte_view params);

/// `Locator::findObjectById`, `Query::findObjectById`.
[[nodiscard]] result<request<catalog::identity_view>> read_identity(byte_view params);

/// `Locator::findAdapterById`, `Query::findObjectByType`, `Query::findAllObjectsByType`.
[[nodiscard]] result<request<std::string_view>> read_string(byte_view params);

/// `Query::findObjectByTypeOnLeastLoadedNode`.
[[nodiscard]] result<request<type_and_sample>> read_type_and_sample(byte_view params);

/// `Query::findAllReplicas`. A proxy that came in 1.0 is given in 1.1.
[[nodiscard]] result<request<catalog::encoded_proxy>> read_proxy(byte_view params);

/// `LocatorRegistry::setAdapterDirectProxy`, which has no replica group.
[[nodiscard]] result<request<adapter_registration>> read_adapter_registration(byte_view params);

/// `LocatorRegistry::setReplicatedAdapterDirectProxy`.
[[nodiscard]] result<request<adapter_registration>> read_replicated_adapter_registration(byte_view params);

}  // namespace muster::locator
