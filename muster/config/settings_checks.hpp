#pragma once

#include <string>
#include <vector>

#include "muster/base/result.hpp"
#include "muster/config/property_map.hpp"
#include "muster/config/registry_settings.hpp"

// What single values cannot show: whether they fit together. Parts of read_registry_settings.

namespace muster::config {

/// Fills in `instance_name` where no property gives it: IceLocatorDiscovery.InstanceName, the category of the default
/// locator, `IceGrid`. On a slave it has to be the locator's, for it is looked up there.
[[nodiscard]] result<void> complete_instance_name(registry_settings& settings);

/// Refuses what is required and missing, and values that contradict each other.
[[nodiscard]] result<void> check_settings(const property_map& properties, const registry_settings& settings);

/// What is allowed and probably not meant.
void warn_of_surprises(const property_map& properties, const registry_settings& settings,
                       std::vector<std::string>& warnings);

/// What lets strangers in; left out with --nowarn.
void warn_of_openness(const property_map& properties, const registry_settings& settings,
                      std::vector<std::string>& warnings);

}  // namespace muster::config
