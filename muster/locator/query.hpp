#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "muster/base/bytes.hpp"
#include "muster/base/prng.hpp"
#include "muster/catalog/encoded_proxy.hpp"
#include "muster/locator/requests.hpp"
#include "muster/locator/view.hpp"

namespace muster::locator {

/// The operations of `IceGrid::Query` beside `findObjectById`, which is `resolver::find_object` with a null proxy for
/// what is unknown. Proxies are given where they lie in the view.

/// One of the objects of a type, each as likely; the null proxy if there is none.
[[nodiscard]] byte_view find_object_of_type(const view& from, std::string_view type, prng& random);

/// Likewise, of those on the least loaded node. While no node reports its load this is any of those that do not belong
/// to a deployed adapter, whose nodes count as out of reach, and any at all if there are no others.
[[nodiscard]] byte_view find_object_of_type_on_least_loaded_node(const view& from, const type_and_sample& wanted,
                                                                 prng& random);

/// Beyond so many objects of a type they are not put in order: it would take longer than others should wait for a
/// dispatch thread.
inline constexpr std::size_t ordered_objects_max = 10'000;

/// All objects of a type, in the order of `list_objects_of_type` up to `ordered_objects_max`.
[[nodiscard]] std::vector<byte_view> find_all_objects_of_type(const view& from, std::string_view type);

/// For the proxy of a replicated object: one proxy for each member of its replica group, indirect through the member's
/// adapter id. None for a proxy that is null, unknown or not replicated.
[[nodiscard]] std::vector<bytes> find_all_replicas(const view& from, const catalog::proxy_view& proxy);

}  // namespace muster::locator
