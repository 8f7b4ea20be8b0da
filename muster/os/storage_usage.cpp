#include "muster/os/storage_usage.hpp"

#include <algorithm>
#include <utility>

namespace muster::os {
namespace {

/// A share has to fall so far below a threshold before that is reported again.
constexpr unsigned hysteresis_percent = 5;

}  // namespace

storage_watch::storage_watch(std::string database, unsigned warn_percent, std::function<void(const event&)> report)
    : database_{std::move(database)},
      thresholds_{warn_percent, std::max(warn_percent, 90U), std::max(warn_percent, 95U)},
      report_{std::move(report)} {}

void storage_watch::look(const storage_usage& now) {
  look(map_, now.used_bytes, now.map_limit_bytes - now.reserved_bytes);
  look(disk_, now.file_bytes, now.file_bytes + now.disk_free_bytes);
}

void storage_watch::look(gauge& of, std::uint64_t used, std::uint64_t limit) {
  if (limit == 0) {
    return;
  }
  const auto percent = static_cast<unsigned>(static_cast<double>(used) * 100.0 / static_cast<double>(limit));
  const auto reached = static_cast<std::size_t>(
      std::count_if(thresholds_.begin(), thresholds_.end(), [percent](unsigned at) { return percent >= at; }));
  if (reached > of.passed) {
    of.passed = reached;
    if (report_) {
      report_(event{severity::warning, "storage_filling"}
                  .with("database", database_)
                  .with("limit", of.what)
                  .with("used_percent", percent)
                  .with("used_bytes", used)
                  .with("limit_bytes", limit));
    }
    return;
  }
  while (of.passed > 0 && percent + hysteresis_percent < thresholds_[of.passed - 1]) {
    --of.passed;
  }
}

}  // namespace muster::os
