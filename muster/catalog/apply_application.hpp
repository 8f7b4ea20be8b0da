#pragma once

#include <cstdint>
#include <string_view>

#include "muster/base/result.hpp"
#include "muster/catalog/change.hpp"
#include "muster/catalog/state.hpp"

namespace muster::catalog {

/// The application that a change makes, judged against the state: the part of `apply` that has to do with descriptors.
/// Nothing is changed.
[[nodiscard]] result<ref<application>> add(const state& current, const add_application& one, std::uint64_t serial);
[[nodiscard]] result<ref<application>> sync(const state& current, const sync_application& one);
[[nodiscard]] result<ref<application>> update(const state& current, const update_application& one);

/// Whether the application is there and nobody else needs what it deploys.
[[nodiscard]] result<void> check_removal(const state& current, std::string_view name);

}  // namespace muster::catalog
