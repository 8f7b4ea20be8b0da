#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "muster/base/instant.hpp"
#include "muster/base/uuid.hpp"
#include "muster/replication/messages.hpp"
#include "muster/replication/options.hpp"
#include "muster/replication/position.hpp"
#include "muster/replication/snapshot_sender.hpp"

namespace muster::replication {

/// How far one slave is, as its master knows.
struct slave_session {
  enum class standing : std::uint8_t {
    waiting,  ///< opened; nothing flows before its first acknowledgement
    copying,  ///< a snapshot is on its way
    reading,  ///< catches up by the log
    joining,  ///< what it was just sent ends at the last change: answers wait for it, briefly
    active,   ///< holds all that was answered; answers wait for it, bounded
  };

  session_id id;
  peer_id peer;
  std::uint8_t version{1};
  std::uint64_t attempt{0};
  open_purpose purpose{open_purpose::follow};
  catch_up_plan plan{catch_up_plan::log};
  replica_info who;
  uuid incarnation;

  standing now{standing::waiting};
  serial matched;       ///< durable there
  instant join_from{};  ///< it has failed to keep up: before this it may hold answers only if it has all

  /// At most one message with changes is on its way; up to which change, and since when.
  std::optional<serial> sent_through;
  instant sent_first{};
  /// The oldest unanswered heartbeat.
  std::optional<instant> heartbeat_since;
  instant last_sent{};
  instant active_since{};
  std::uint64_t roster_known{0};
  std::unique_ptr<snapshot_sender> snapshot;

  /// Answers to callers wait for this slave.
  [[nodiscard]] bool holds_answers() const noexcept { return now == standing::joining || now == standing::active; }
  [[nodiscard]] bool reads_log() const noexcept { return now >= standing::reading; }

  /// When the time for its next answer is over.
  [[nodiscard]] instant overdue_at(const options& how) const noexcept {
    switch (now) {
      case standing::waiting: return last_sent + how.catch_up_timeout;
      case standing::copying: return snapshot->last_progress() + how.catch_up_timeout;
      case standing::reading: return unanswered_since(how.catch_up_timeout);
      case standing::joining: return unanswered_since(how.join_timeout);
      case standing::active: return unanswered_since(how.acknowledge_timeout);
    }
    return instant_never;
  }

  /// When something is to be sent to it though nothing happened: a message again, or a heartbeat.
  [[nodiscard]] instant next_send(const options& how) const noexcept {
    if (now == standing::copying) {
      return snapshot->resend_due();
    }
    if (!reads_log()) {
      return instant_never;
    }
    return last_sent + (sent_through ? how.resend_interval : how.heartbeat_interval);
  }

 private:
  [[nodiscard]] instant unanswered_since(duration bound) const noexcept {
    const instant since = std::min(sent_through ? sent_first : instant_never, heartbeat_since.value_or(instant_never));
    return since == instant_never ? instant_never : since + bound;
  }
};

}  // namespace muster::replication
