#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "muster/base/instant.hpp"
#include "muster/base/result.hpp"
#include "muster/replication/core.hpp"
#include "muster/replication/discovery.hpp"
#include "muster/replication/judgement.hpp"
#include "muster/replication/messages.hpp"
#include "muster/replication/snapshot_receiver.hpp"

namespace muster::replication {

/// The receiving end of a session: a slave that looks for the master of the highest term and follows it, or, with a
/// name to copy, any replica that fetches that one's database once.
///
/// It applies what comes in order, acknowledges only what is durable and published, and refuses whatever would
/// overwrite something that may be acknowledged. Whatever ends a session, it rests a little and searches again.
class follower {
 public:
  explicit follower(core& shared) : core_{shared} {}
  follower(core& shared, std::string copy_from) : core_{shared}, copy_from_{std::move(copy_from)} {}

  void start(instant now);

  void handle_description(peer_id from, const description& what, instant now);
  void handle_discovery_complete(std::uint64_t round, instant now);
  void handle_opened(peer_id from, const opened& what, instant now);
  void handle_refused(peer_id from, const refused& what, instant now);
  void handle_append(peer_id from, append what, instant now);
  void handle_snapshot_chunk(peer_id from, snapshot_chunk what, instant now);
  void handle_closed(peer_id from, const closed& what, instant now);
  void handle_peer_gone(peer_id which, instant now);
  void handle_tail_saved(const result<std::string>& outcome, instant now);
  /// Never `io_error`: with that the replica has failed.
  void handle_committed(const result<void>& outcome, instant now);
  void handle_tick(instant now);
  [[nodiscard]] instant next_deadline() const;

  /// Another replica said who it is: one that is master of a higher term ends the session with a lower one.
  void observe(const self_description& other, instant now);
  /// Others must learn this replica's endpoints anew.
  void announce_endpoints(instant now);
  void stop();
  /// Begins what had to wait for the store.
  void begin_steps(instant now);

  [[nodiscard]] std::optional<replica_info> current_master() const;
  [[nodiscard]] std::optional<peer_id> master_peer() const {
    return session_ && copy_from_.empty() ? std::optional{session_->peer} : std::nullopt;
  }
  /// The name of the master that was followed last in this life; empty before the first.
  [[nodiscard]] const std::string& last_master() const noexcept { return last_master_; }
  /// With a name to copy: how it ended, once it has.
  [[nodiscard]] const std::optional<result<void>>& copied() const noexcept { return copied_; }

 private:
  enum class step : std::uint8_t {
    stopped,
    resting,  ///< until `due_`
    searching,
    opening,  ///< until `due_`
    saving_tail,
    adopting,  ///< persists the master's terms before it acknowledges anything
    following,
    receiving,  ///< a snapshot
  };
  enum class stored : std::uint8_t { nothing, terms, changes, chunk, snapshot };

  struct session {
    session_id id;
    peer_id peer;
    std::uint8_t version{1};
    self_description master;
    catch_up_plan plan{catch_up_plan::log};
    std::uint64_t roster_version{0};
    instant heard{};
    instant sent{};
    serial acknowledged{};         ///< the master's
    bool moved{false};             ///< this replica's endpoints are not those of `open` any more
    std::optional<append> next{};  ///< came while an earlier one was being stored
  };

  // follower.cpp: from searching to an open session
  void search(instant now);
  void rest(instant now);
  void finish_search(instant now);
  [[nodiscard]] std::optional<discovery::answer> choose(instant now);
  [[nodiscard]] std::optional<discovery::answer> choose_source(instant now);
  void show_who_answers();
  void open_session(const discovery::answer& with, instant now);
  [[nodiscard]] bool accept(const opened& what, follow_verdict& histories, instant now);
  void save_tail_after(serial fork, const self_description& master);
  void begin_session(instant now);
  void become_refused(event_kind kind, const std::string& who, const std::string& sentence, instant now);
  void copy_failed(std::string sentence, bool for_good, instant now);
  void set_doing(phase what);

  // follower_session.cpp: an open session
  [[nodiscard]] bool in_session(session_id id, peer_id from) const;
  void apply(append what, instant now);
  void note_from_master(const append& what, instant now);
  void acknowledge(instant now);
  [[nodiscard]] bool roster_shows_own_endpoints() const;
  /// Something worked: the next trouble is told again, and the next rest is short.
  void trouble_is_over();
  void take_next_chunk(instant now);
  void finish_snapshot(const snapshot_chunk& last, instant now);
  void store(stored what, commit stage);
  void cannot_apply(const std::string& sentence, instant now);
  /// Ends the session; tells the other side if `reason` is set.
  void leave(std::optional<refusal> reason, const std::string& sentence);
  void lose_master(const std::string& sentence, instant now);
  [[nodiscard]] duration silence_bound() const;

  core& core_;
  std::string copy_from_;  // empty: follow
  std::optional<result<void>> copied_;
  unsigned copy_failures_{0};

  step now_{step::stopped};
  instant due_{};
  unsigned failures_{0};
  std::string last_master_;
  discovery round_;
  std::uint64_t attempts_{0};
  discovery::answer asked_;
  std::optional<session> session_;
  bool wants_snapshot_{false};
  bool tail_being_saved_{false};
  std::string tail_story_;
  std::string told_;  // the sentence of the last trouble, so that each is told once

  std::optional<snapshot_receiver> receiver_;
  stored storing_{stored::nothing};
  std::optional<session_id> storing_for_;
};

}  // namespace muster::replication
