#pragma once

#include "muster/config/registry_settings.hpp"
#include "muster/replication/options.hpp"

namespace muster::apps {

/// What the settings say, in the replication core's own terms.
[[nodiscard]] replication::options to_replication_options(const config::registry_settings& settings);

}  // namespace muster::apps
