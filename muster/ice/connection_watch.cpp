#include "muster/ice/connection_watch.hpp"

#include <utility>
#include <vector>

namespace muster::ice {

void connection_watch::add(const Ice::ConnectionPtr& connection, session::session_id session) {
  bool is_new = false;
  {
    const std::lock_guard lock{mutex_};
    auto& of_connection = sessions_[connection];
    is_new = of_connection.empty();
    of_connection.insert(session);
  }
  if (!is_new) return;
  // Called at once if the connection is closed already, so that no session is left behind.
  const auto weak = weak_from_this();
  connection->setCloseCallback([weak](const Ice::ConnectionPtr& closed) {
    if (const auto self = weak.lock()) self->tell(closed, true);
  });
  connection->setHeartbeatCallback([weak](const Ice::ConnectionPtr& alive) {
    if (const auto self = weak.lock()) self->tell(alive, false);
  });
}

void connection_watch::remove(const Ice::ConnectionPtr& connection, session::session_id session) {
  const std::lock_guard lock{mutex_};
  const auto found = sessions_.find(connection);
  if (found == sessions_.end()) return;
  found->second.erase(session);
  if (found->second.empty()) sessions_.erase(found);
}

void connection_watch::tell(const Ice::ConnectionPtr& connection, bool is_closed) {
  std::vector<session::session_id> all;
  {
    const std::lock_guard lock{mutex_};
    const auto found = sessions_.find(connection);
    if (found == sessions_.end()) return;
    all.assign(found->second.begin(), found->second.end());
    if (is_closed) sessions_.erase(found);
  }
  for (const auto session : all) is_closed ? on_closed_(session) : on_heartbeat_(session);
}

}  // namespace muster::ice
