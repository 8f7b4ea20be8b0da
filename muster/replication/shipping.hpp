#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "muster/base/instant.hpp"
#include "muster/replication/core.hpp"
#include "muster/replication/judgement.hpp"
#include "muster/replication/messages.hpp"
#include "muster/replication/slave_session.hpp"
#include "muster/replication/status.hpp"

namespace muster::replication {

/// The giving end of all sessions: a master's slaves, and on any replica those who copy its database.
///
/// It admits and refuses, ships what is durable here, catches slaves up, and lets go of those that miss their bound.
/// It never answers callers: `leader` does, by what `held_by_all` says after each input.
class shipping {
 public:
  explicit shipping(core& shared) noexcept : core_{shared} {}

  void handle_open(peer_id from, const open& what, instant now);
  void handle_appended(peer_id from, const appended& what, instant now);
  void handle_snapshot_received(peer_id from, const snapshot_received& what, instant now);
  /// False when the session is none of these.
  bool handle_closed(peer_id from, const closed& what, instant now);
  void handle_peer_gone(peer_id which, instant now);
  void handle_tick(instant now);
  [[nodiscard]] instant next_deadline() const;

  /// Something has become durable here: sends it to all slaves that wait for it.
  void ship_all(instant now);
  /// This replica serves as master now, or its endpoints have changed: the roster is told anew.
  void refresh_roster(instant now);
  void close_all(refusal reason, const std::string& sentence);

  /// The last change that every slave which answers wait for holds; the last one of all if there is no such slave.
  [[nodiscard]] serial held_by_all() const;
  [[nodiscard]] bool answers_wait_for_slaves() const;
  [[nodiscard]] std::size_t active_count() const;
  /// The log is still read after this change.
  [[nodiscard]] serial log_needed_after() const;
  [[nodiscard]] std::vector<slave_status> slaves() const;
  [[nodiscard]] bool is_active(peer_id which) const;
  /// The peer of the active slave of this name.
  [[nodiscard]] std::optional<peer_id> peer_of(std::string_view name) const;

 private:
  using sessions = std::map<session_id, slave_session>;

  struct objection {
    refusal reason{};
    std::string sentence;
  };

  /// Why there can be no session for this opener; nothing if there can.
  [[nodiscard]] std::optional<objection> object_to(const open& what, const follow_verdict& histories) const;
  void refuse(peer_id from, const open& what, objection why);
  void admit(peer_id from, const open& what, const follow_verdict& histories, instant now);

  [[nodiscard]] slave_session* find(session_id id, peer_id from);
  void tell_unknown(peer_id from, session_id id);
  void start_snapshot(slave_session& slave, instant now);
  void send_chunks(slave_session& slave, instant now);
  void ship(slave_session& slave, instant now);
  void send_again(slave_session& slave, instant now);
  /// False, and the slave is dropped, when the log no longer holds what it needs.
  [[nodiscard]] bool keeps_up(slave_session& slave, instant now);
  void send_append(slave_session& slave, std::vector<log_entry> entries, instant now);
  /// It holds all that callers have been told is done.
  [[nodiscard]] bool may_be_active(const slave_session& slave, instant now) const;
  void become_active(slave_session& slave, instant now);
  /// When the bound of this slave passes: of its next answer, and of any change that it holds up. A slave that answers
  /// each message in time but falls behind all the same must not make callers wait for ever.
  [[nodiscard]] instant overdue_at(const slave_session& slave) const;
  void forget_what_all_hold();
  void remember_trouble(const std::string& name, instant now);
  /// The bound of this slave has passed; it may be gone afterwards.
  void handle_overdue(slave_session& slave, instant now);
  void answer_open(slave_session& slave);
  /// Ends the session from this side: the slave is told why, and forgotten.
  void dismiss(slave_session& slave, refusal why, const std::string& sentence, instant now);
  /// Forgets the slave; without `why` its connection broke.
  void forget(slave_session& slave, std::optional<refusal> why, const std::string& sentence, instant now);

  struct committed {
    serial through;
    instant at;
  };

  core& core_;
  sessions sessions_;
  /// When what some slave may still hold up became durable here, oldest first.
  std::deque<committed> unheld_;
  /// Slaves that could not store or apply what they got, and from when on they may hold answers again while joining.
  std::map<std::string, instant> troubled_;
  /// The last refusal of each name that was told as an event: a refused slave tries again and again.
  std::map<std::string, std::string> told_refusals_;
};

}  // namespace muster::replication
