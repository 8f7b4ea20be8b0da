#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <boost/unordered/unordered_flat_map.hpp>

#include "muster/metrics/registry_metrics.hpp"
#include "muster/registry/executor.hpp"
#include "muster/session/session_table.hpp"
#include "muster/session/update_lock.hpp"

namespace muster::registry {

/// The sessions of this replica as its servants use them: calls from any thread, done in order on the strand, answered
/// there. A session ends once, whoever ends it (its owner, its connection, its time, the replica's end), and what was
/// given as `ended` is then called on the strand.
class session_desk {
 public:
  using created = std::function<void(result<session::session_id>)>;
  using done = std::function<void(result<void>)>;
  using lock_done = std::function<void(session::update_lock::outcome)>;

  session_desk(executor& strand, metrics::registry_metrics& figures, session::session_options bounds);

  struct request {
    session::session_kind kind{};
    std::string user;
    duration timeout{};  ///< zero: lives as long as its connection
    std::function<void()> ended;
  };

  /// `limit_exceeded` when there are too many. `answer` is called before anything can end the session.
  void create(request what, created answer);
  /// `not_found` when the session has ended.
  void keep_alive(session::session_id id, done answer);
  /// `not_found` when the session had ended before.
  void destroy(session::session_id id, done answer);

  void acquire_lock(session::session_id id, lock_done answer);
  void release_lock(session::session_id id, lock_done answer);
  /// Runs `allowed` on the strand unless another session holds the lock; else `denied`. What `allowed` proposes comes
  /// before any later change of the lock.
  void when_not_locked(session::session_id id, task allowed, std::function<void(session::access_denied)> denied);

  // On the strand, by the service.
  void tick(instant now);
  [[nodiscard]] instant next_deadline() const noexcept { return table_.next_deadline(); }
  /// Ends all sessions, and takes no more.
  void close();

 private:
  void end(const session::session_info& which);

  executor& strand_;
  metrics::registry_metrics& figures_;
  session::session_table table_;
  session::update_lock lock_;
  boost::unordered_flat_map<std::uint64_t, std::function<void()>> ended_;
  bool closed_{false};
};

}  // namespace muster::registry
