#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <Ice/Ice.h>
#include <IceGrid/Admin.h>

#include "bench/load.hpp"

namespace muster::bench {

/// Names end in seven digits, so that their requests have one length.
[[nodiscard]] std::string object_name(std::uint64_t number);
[[nodiscard]] std::string adapter_name(std::uint64_t number);
[[nodiscard]] std::string group_name(std::uint64_t number);

enum class located_kind : std::uint8_t { object, adapter, group };

/// Locates one of the first `count` names of a kind in each call, spread over all of them. The parameters are written
/// and the replies taken as bytes, so that the client costs least and the registry is what is measured; a reply that is
/// an exception counts as failure. The n-th lane asks over the n-th proxy, modulo their number.
[[nodiscard]] start_call locate_calls(const std::vector<std::shared_ptr<Ice::LocatorPrx>>& over, located_kind what,
                                      std::uint64_t count);

/// `addObjectWithType` of the object `number` in each call.
[[nodiscard]] start_call add_object_calls(const std::vector<std::shared_ptr<IceGrid::AdminPrx>>& over);

/// `setAdapterDirectProxy` of the adapter `number` modulo `count`, with always the same proxy.
[[nodiscard]] start_call register_adapter_calls(const std::vector<std::shared_ptr<Ice::LocatorRegistryPrx>>& over,
                                                std::uint64_t count);

/// Registers three members for each group: call `number` registers member `number` % 3 of group `number` / 3.
[[nodiscard]] start_call register_member_calls(const std::vector<std::shared_ptr<Ice::LocatorRegistryPrx>>& over);

}  // namespace muster::bench
