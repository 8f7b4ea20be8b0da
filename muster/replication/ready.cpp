#include "muster/replication/ready.hpp"

namespace muster::replication {

std::string_view to_string(event_kind value) noexcept {
  switch (value) {
    case event_kind::master_serving: return "master_serving";
    case event_kind::term_begun: return "term_begun";
    case event_kind::startup_unanswered: return "startup_unanswered";
    case event_kind::start_forced: return "start_forced";
    case event_kind::start_refused: return "start_refused";
    case event_kind::stepped_down: return "stepped_down";
    case event_kind::other_master_seen: return "other_master_seen";
    case event_kind::slave_opened: return "slave_opened";
    case event_kind::slave_active: return "slave_active";
    case event_kind::slave_dropped: return "slave_dropped";
    case event_kind::snapshot_sent: return "snapshot_sent";
    case event_kind::slave_refused: return "slave_refused";
    case event_kind::no_master: return "no_master";
    case event_kind::master_found: return "master_found";
    case event_kind::slave_caught_up: return "slave_caught_up";
    case event_kind::master_lost: return "master_lost";
    case event_kind::refused_by_master: return "refused_by_master";
    case event_kind::refused_master: return "refused_master";
    case event_kind::snapshot_installed: return "snapshot_installed";
    case event_kind::apply_failed: return "apply_failed";
    case event_kind::tail_saved: return "tail_saved";
    case event_kind::tail_not_saved: return "tail_not_saved";
    case event_kind::storage_refused: return "storage_refused";
    case event_kind::storage_failed: return "storage_failed";
  }
  return "unknown";
}

}  // namespace muster::replication
