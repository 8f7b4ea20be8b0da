#include "apps/replication_options.hpp"

#include <algorithm>

namespace muster::apps {

replication::options to_replication_options(const config::registry_settings& settings) {
  replication::options made;
  made.name = settings.replica_name;
  made.role = settings.is_master() ? replication::role::master : replication::role::slave;
  made.force = settings.start.force;
  made.initdb_from_replica = settings.start.initialise_from_replica;
  made.read_only = settings.start.read_only;
  const auto& from = settings.replication;
  made.active_slaves_min = from.active_slaves_min;
  made.startup_check_timeout = from.discovery_timeout;
  made.discovery_timeout = from.discovery_timeout;
  made.acknowledge_timeout = from.acknowledge_timeout;
  made.heartbeat_interval = from.heartbeat_interval;
  made.master_silence_timeout = from.master_silence_timeout;
  made.batch_changes_max = from.batch_changes_max;
  made.message_bytes_max = from.snapshot_chunk_bytes;
  made.proposals_max = settings.requests.changes_waiting_max;
  made.log_entries_max = from.log_changes_max;
  made.log_bytes_max = from.log_bytes_max;
  made.log_bytes_hard_max = std::max(made.log_bytes_hard_max, made.log_bytes_max);
  made.sessions_max = from.slaves_max;
  return made;
}

}  // namespace muster::apps
