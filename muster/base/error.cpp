#include "muster/base/error.hpp"

namespace muster {

std::string_view to_string(errc code) noexcept {
  switch (code) {
    case errc::invalid_argument: return "invalid_argument";
    case errc::not_found: return "not_found";
    case errc::already_exists: return "already_exists";
    case errc::conflict: return "conflict";
    case errc::locked: return "locked";
    case errc::permission_denied: return "permission_denied";
    case errc::not_master: return "not_master";
    case errc::unavailable: return "unavailable";
    case errc::timed_out: return "timed_out";
    case errc::outcome_unknown: return "outcome_unknown";
    case errc::limit_exceeded: return "limit_exceeded";
    case errc::storage_full: return "storage_full";
    case errc::io_error: return "io_error";
    case errc::corrupt: return "corrupt";
    case errc::incompatible: return "incompatible";
    case errc::unsupported: return "unsupported";
  }
  return "unknown";
}

}  // namespace muster
