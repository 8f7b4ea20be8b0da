#pragma once

#include <cstdint>
#include <vector>

#include "muster/base/result.hpp"
#include "muster/catalog/change.hpp"
#include "muster/catalog/row.hpp"
#include "muster/catalog/state.hpp"

namespace muster::catalog {

/// Makes `one` happen to `current` as the change number `serial`, and appends the rows that make it durable. On failure
/// neither is touched. The outcome depends on the arguments alone: the same history gives the same state, the same rows
/// and the same refusals on every replica.
///
/// `already_exists`    an object, adapter, group, server or application of that name is there. For `set_adapter` and
///                     `unset_adapter`: the id is that of an adapter or replica group that an application deploys
/// `not_found`         there is none
/// `conflict`          it is there, and the change may not touch it since it belongs to an application, or since others
///                     need it. For `set_adapter`: the replica group is one that an application deploys
/// `invalid_argument`  the change itself makes no sense: no name, a descriptor that `descriptor::validate` refuses, a
///                     replica group that is nowhere
///
/// The sentences are meant for the exception that the caller gets. Where `current` shares no structure with another
/// state, it is changed in place (the second change of a batch costs no copies).
[[nodiscard]] result<void> apply(state& current, const change& one, std::uint64_t serial, std::vector<row>& rows);

/// True if `one` would leave everything as it is, as when a server registers the same adapter again: such a change need
/// not be numbered or committed.
[[nodiscard]] bool changes_nothing(const state& current, const change& one) noexcept;

}  // namespace muster::catalog
