#pragma once

#include <string>

namespace muster::config {

/// The reference of all properties as Markdown: what `--list-properties` prints and docs/properties.md holds.
[[nodiscard]] std::string property_reference();

}  // namespace muster::config
