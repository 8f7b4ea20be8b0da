#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include <Ice/Ice.h>

#include "muster/session/session_table.hpp"

namespace muster::ice {

/// Which sessions hang on which connection: its close ends them, its heartbeats keep them alive. A connection has room
/// for one callback of each kind, and may carry many sessions in its life: this is the one holder of both.
class connection_watch : public std::enable_shared_from_this<connection_watch> {
 public:
  using told = std::function<void(session::session_id)>;

  /// Both are called on threads of the run time and must not block.
  connection_watch(told on_closed, told on_heartbeat)
      : on_closed_{std::move(on_closed)}, on_heartbeat_{std::move(on_heartbeat)} {}

  void add(const Ice::ConnectionPtr& connection, session::session_id session);
  void remove(const Ice::ConnectionPtr& connection, session::session_id session);

 private:
  void tell(const Ice::ConnectionPtr& connection, bool is_closed);

  const told on_closed_;
  const told on_heartbeat_;
  std::mutex mutex_;  // a leaf
  std::map<Ice::ConnectionPtr, std::set<session::session_id>> sessions_;
};

}  // namespace muster::ice
