#include "muster/receptionist/messages.hpp"

namespace muster::receptionist {

std::string_view to_string(rejection why) noexcept {
  switch (why) {
    case rejection::max_subscribers_per_key: return "max_subscribers_per_key";
    case rejection::max_subscribers_total: return "max_subscribers_total";
  }
  return "unknown";
}

std::string_view to_string(refusal why) noexcept {
  switch (why) {
    case refusal::null_ref: return "null_ref";
    case refusal::stopped: return "stopped";
    case refusal::remote: return "remote";
    case refusal::invalid_key: return "invalid_key";
    case refusal::over_bound: return "over_bound";
  }
  return "unknown";
}

}  // namespace muster::receptionist
