#pragma once

#include <string_view>

#include "muster/base/result.hpp"
#include "muster/catalog/state.hpp"
#include "muster/descriptor/contents.hpp"

namespace muster::catalog {

/// Whether an application may put `added` into the registry's name spaces: `already_exists` names what another
/// application, or a registration of its own, has already. What the application named `own` has does not count: it is
/// about to be replaced.
[[nodiscard]] result<void> check_names(const state& current, const descriptor::contents& added, std::string_view own);

/// Whether the adapters in `added` name replica groups that some application deploys; `invalid_argument` otherwise.
[[nodiscard]] result<void> check_groups_exist(const state& current, const descriptor::contents& added,
                                              std::string_view own);

/// Whether the groups in `removed` that `kept` does not have are free of other applications' adapters; `conflict`
/// otherwise. `deed` completes the sentence: "remove" or "update".
[[nodiscard]] result<void> check_groups_unused(const state& current, const descriptor::contents& removed,
                                               const descriptor::contents& kept, std::string_view own,
                                               std::string_view deed);

}  // namespace muster::catalog
