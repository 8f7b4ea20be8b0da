#pragma once

#include <string>

namespace muster::metrics {

/// The table of all metrics as Markdown, which docs/metrics.md holds.
[[nodiscard]] std::string metrics_reference();

}  // namespace muster::metrics
