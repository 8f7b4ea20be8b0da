#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "muster/replication/messages.hpp"
#include "muster/replication/position.hpp"

namespace muster::replication {

/// One slave as its master sees it.
struct slave_status {
  std::string name;
  bool active{false};
  bool by_snapshot{false};  ///< a snapshot is on its way
  serial matched;           ///< durable there
};

/// For metrics, `describe` and health; a copy, cheap enough for every scrape.
struct status {
  replication::role role{role::master};
  replication::phase phase{phase::asking};
  replication::history history;
  serial log_first;  ///< the oldest change in the log; next(last) when it is empty
  std::size_t log_entries{0};
  std::size_t log_bytes{0};
  std::size_t waiting_proposals{0};
  std::vector<slave_status> slaves;  ///< on a master, by name
  std::string master_name;           ///< on a slave with a session; on a master its own
  std::string trouble;               ///< why the phase is refused, stepped_down, start_refused or failed
};

}  // namespace muster::replication
