#include "muster/base/event.hpp"

namespace muster {

std::string_view to_string(severity level) noexcept {
  switch (level) {
    case severity::trace: return "trace";
    case severity::debug: return "debug";
    case severity::info: return "info";
    case severity::warning: return "warning";
    case severity::error: return "error";
  }
  return "unknown";
}

}  // namespace muster
