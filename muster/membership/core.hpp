#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "muster/membership/awareness.hpp"
#include "muster/membership/departed.hpp"
#include "muster/membership/member_table.hpp"
#include "muster/membership/message_codec.hpp"
#include "muster/membership/news_queue.hpp"
#include "muster/membership/participant.hpp"
#include "muster/membership/suspicion.hpp"

namespace muster::membership {

/// What a participant is made of. Its functions stand in files by subject: core.cpp (time, effects), receiving.cpp (who
/// may say what), claims.cpp (what is believed of members), probing.cpp, tables.cpp (joining, comparing, healing),
/// endings.cpp (leaving, removal, majority).
///
/// Time in here is the time that this process was running: what a pause takes is left out, so that no deadline passes
/// in it (see `advance`).
class participant::core {
 public:
  core(options how, prng& random, instant now);
  core(const core&) = delete;
  core& operator=(const core&) = delete;

  void handle_message(byte_view content, std::string_view authenticated_name, instant now);
  void handle_connection_lost(std::string_view address, instant now);
  void handle_connection_refused(std::string_view address, instant now);
  void handle_leave(instant now);
  void handle_tick(instant now);
  [[nodiscard]] ready poll_ready(instant now);
  [[nodiscard]] instant next_deadline() const;

  [[nodiscard]] const member_ptr& self() const noexcept { return self_; }
  [[nodiscard]] const member_table& table() const noexcept { return table_; }
  [[nodiscard]] const departed& gone() const noexcept { return gone_; }
  [[nodiscard]] std::shared_ptr<const member_list> members() const;
  [[nodiscard]] membership::status status() const;

 private:
  using slot = member_table::slot;
  static constexpr slot none = member_table::none;

  /// By which way a claim came; it decides how much it is trusted and whether it is told on.
  enum class heard : std::uint8_t {
    first_hand,  ///< from the member that it is about
    news,        ///< gossip: fresh
    table,       ///< an exchange of tables: may be as old as the last contact of two sides
    own_join,    ///< the table that a newcomer gets: no news to anybody else
  };

  enum class timer_kind : std::uint8_t { ask_others, probe_ends, relay_ends, suspicion_ends, removal };

  struct timer {
    instant at;
    timer_kind kind{};
    std::uint64_t id{0};  ///< a sequence number or a slot; what it stands for may be gone by then

    friend bool operator>(const timer& left, const timer& right) noexcept { return left.at > right.at; }
  };

  struct relay {
    enum class answer : std::uint8_t { waiting, nacked, refused, gone };

    member_ptr who;
    answer said{answer::waiting};
  };

  /// One probe under way.
  struct probe {
    member_ptr target;
    bool introduced{false};    ///< it was a `hello`, which carries no claim
    bool challenge{false};     ///< it carries what is held against the target
    bool asked{false};         ///< others were asked
    bool refused{false};       ///< our own attempt was refused
    std::uint8_t repeated{0};  ///< sent again, for the connection broke
    std::vector<relay> relays;
  };

  /// A probe in another's stead.
  struct favour {
    member_ptr asker;
    std::uint64_t asker_sequence{0};
    member_ptr target;
  };

  /// A `hello` (join or compare) that may still be answered.
  struct question {
    hello_purpose purpose{};
    std::string address;
    instant asked_at;
    bool alone{false};  ///< this participant knew nobody else when it asked
  };

  struct seed {
    std::string address;
    bool is_self{false};
  };

  // --- core.cpp ---
  void advance(instant now);
  void run_timers();
  void fire(const timer& due);
  [[nodiscard]] instant next_internal() const;
  void at(instant when, timer_kind kind, std::uint64_t id);
  [[nodiscard]] duration jittered(duration about);

  [[nodiscard]] header header_to(incarnation to) const noexcept;
  [[nodiscard]] introduction introduce() const noexcept;
  void post(member_ptr to, std::string address, traffic kind, bytes content);
  /// To a member, with as much news as fits. `first` goes before all other news.
  void send(const member_ptr& to, body what, traffic kind, const std::optional<claim>& first = {});
  /// One of the closed list; carries no news. `to` may be null, then it goes to `address`.
  void send_handshake(const member_ptr& to, std::string_view address, incarnation to_incarnation, body what,
                      traffic kind);
  void tell(news_queue::item news);
  void gossip_now();

  // --- receiving.cpp ---
  void receive(const message& what);
  void receive_from_removed(departed::record& from, const message& what);
  void receive_from_member(slot from, const message& what);
  void receive_from_stranger(const message& what);
  void handle(const member_ptr& from, const ping& what);
  void handle(const member_ptr& from, const ack& what);
  void handle(const member_ptr& from, const ping_request& what);
  void handle(const member_ptr& from, const nack& what);

  // --- claims.cpp ---
  void hear(const claim& what, heard how);
  void hear_of_self(const claim& what, heard how);
  void hear_final(const claim& what, heard how);
  void hear_of_member(slot which, const claim& what, heard how);
  void hear_of_unknown(const claim& what, heard how);
  [[nodiscard]] bool give_way(slot holder, const claim& to);
  [[nodiscard]] member_ptr member_of(const claim& what);
  void add_member(const claim& what, heard how);
  void set_alive(slot which, std::uint32_t counter);
  void set_suspect(slot which, std::uint32_t counter, incarnation accuser);
  void set_unreachable(slot which, std::uint32_t counter, bool is_news = true);
  void remove(slot which, standing how);
  void tell_of(slot which, incarnation accuser = {});
  void tell_departed(const member_ptr& who, standing how);
  /// Another table says worse of a living member than this one does: it shall speak for itself.
  void challenge(const member_ptr& who);
  void refute(std::uint32_t counter);
  /// What this participant says against a suspicion.
  [[nodiscard]] claim defence() const;
  void changed() noexcept { ++version_; }
  void emit(event_kind kind, const member_ptr& who);
  /// What this participant holds against a member, to be put to it; nothing for one that is alive.
  [[nodiscard]] std::optional<claim> held_against(slot which) const;

  // --- probing.cpp ---
  void probe_next();
  /// Whether this member, if reachable, follows this participant more closely than the one that is watched.
  void consider_watching(slot which);
  [[nodiscard]] slot watched();
  void start_probe(slot which, bool urgent, bool challenge = false);
  void send_probe(std::uint64_t sequence);
  /// What was sent went down with its connection.
  void repeat_probe(std::uint64_t sequence);
  void ask_others(std::uint64_t sequence);
  void end_probe(std::uint64_t sequence);
  void probe_failed(std::uint64_t sequence);
  void conclude_if_refused(std::uint64_t sequence);
  void end_favour(std::uint64_t sequence, bool refused);
  void ask_challenged();

  // --- tables.cpp ---
  void handle_hello(const message& from, const hello& what);
  void handle_refused(const refused& what);
  void handle_digest(const message& from, const digest& what);
  void handle_records(const message& from, const records& what);
  /// Makes the sender a member if it may be one. Its slot, or `none`.
  [[nodiscard]] slot admit(const header& from, const introduction& who);
  void send_table(const member_ptr& to, std::uint64_t sequence, std::size_t bucket_count, std::uint64_t low,
                  std::uint64_t high, bool ask_back);
  [[nodiscard]] bool answers_question(std::uint64_t sequence) const { return questions_.contains(sequence); }
  void ask(const member_ptr& to, const std::string& address, hello_purpose purpose);
  void join_seeds();
  void compare_with_somebody();
  [[nodiscard]] duration sooner() const;
  void try_to_heal();
  void note_joined();

  // --- endings.cpp ---
  void tell_removed(departed::record& whom, std::string_view address, bool is_answer);
  void handle_removed_notice(const message& from, const removed_notice& what, bool sender_is_removed);
  void continue_leave();
  void decide_majority();
  void reconsider_majority();
  [[nodiscard]] std::string_view lowest_address(bool reachable_only) const;
  void come_back(incarnation above, std::string_view told_by, std::string sentence);
  void end();

  options how_;
  prng& random_;
  member_ptr self_;
  member_table table_;
  departed gone_;
  news_queue news_;
  awareness awareness_;
  counters counters_;
  ready out_;
  phase phase_{phase::joining};

  // Time: `seen_` is the driver's, `now_` what is left of it without the pauses.
  instant seen_;
  duration stopped_{0};
  instant now_;
  std::priority_queue<timer, std::vector<timer>, std::greater<>> timers_;
  instant next_probe_{instant_never};
  instant next_gossip_{instant_never};
  instant last_gossip_{instant::min()};
  instant next_challenge_{instant_never};
  instant next_sync_{instant_never};
  instant next_heal_{instant_never};
  instant next_join_{instant_never};
  instant next_leave_{instant_never};
  instant leave_deadline_{instant_never};
  instant majority_at_{instant_never};

  std::uint64_t sequence_;
  slot watched_{none};     // the next on the ring of identity keys that is reachable; none: to be looked for
  bool watch_turn_{true};  // whether the next probe goes to it
  std::unordered_map<std::uint64_t, probe> probes_;
  std::unordered_map<const member*, std::uint64_t> probe_of_;
  std::unordered_map<std::uint64_t, favour> favours_;
  std::unordered_map<slot, suspicion> suspicions_;
  std::unordered_map<slot, instant> removals_;
  std::vector<member_ptr> challenged_;  // members with whose standing another table disagrees

  std::vector<seed> seeds_;
  duration join_delay_;
  std::uint32_t join_rounds_{0};
  std::unordered_map<std::uint64_t, question> questions_;
  std::vector<member_ptr> former_;  // removed ones, whose addresses are tried again

  std::vector<member_ptr> farewells_;  // those who have not confirmed yet that this one leaves
  std::uint64_t farewells_from_{0};    // the sequence number of the first
  bool accused_{false};                // the message being handled holds something against this participant

  std::uint64_t version_{1};
  std::uint64_t shown_version_{1};  // of the last `ready::members_changed`
  mutable std::shared_ptr<const member_list> list_;
};

}  // namespace muster::membership
