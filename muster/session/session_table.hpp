#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "muster/base/instant.hpp"
#include "muster/base/result.hpp"
#include "muster/base/strong.hpp"

namespace muster::session {

/// Names a session for the life of the process. Never given twice, so an id that is held on to after its session has
/// ended cannot reach another one. It says nothing to the outside and is no secret: the object that a caller holds has
/// an identity of its own.
using session_id = strong<struct admitted_session_tag, std::uint64_t>;

/// What a session is for. Kinds do not share their bound: clients cannot lock administrators out.
enum class session_kind : std::uint8_t { client, admin };

inline constexpr std::size_t session_kinds = 2;

[[nodiscard]] std::string_view to_string(session_kind kind) noexcept;

/// One session as it stands now.
struct session_info {
  session_id id;
  session_kind kind{};
  /// Whom the permissions verifier let in; names the holder of a lock to others.
  std::string user;
  /// How long a session lives without a keep-alive. Zero: for as long as its connection does.
  duration timeout{};
  instant created{};
  instant last_keep_alive{};

  friend bool operator==(const session_info&, const session_info&) = default;
};

struct session_options {
  /// Sessions of one kind at a time; more are refused with `limit_exceeded`.
  std::size_t sessions_max_per_kind{10'000};
};

/// The sessions of one replica, and when each of them ends.
///
/// Owned by one strand; it has no clock and no timer. The owner creates, keeps alive and destroys sessions as calls
/// come in, calls `expire` when `next_deadline` has passed, and ends with each session what hangs on it (its servants,
/// the update lock). Memory is proportional to the sessions that live now, whatever went before.
class session_table {
 public:
  explicit session_table(session_options options = {});

  /// Starts a session. `limit_exceeded` if there are as many of this kind as may be, and nothing is changed. A negative
  /// timeout means the same as zero.
  [[nodiscard]] result<session_id> create(session_kind kind, std::string user, duration timeout, instant now);

  /// Says that the owner of the session is alive. `not_found` if the session has ended, also when its time passed
  /// before `now` and `expire` has not been called since: what has ended does not come back.
  [[nodiscard]] result<void> keep_alive(session_id id, instant now);

  /// Ends a session and gives its last state. `not_found` if it has ended before.
  [[nodiscard]] result<session_info> destroy(session_id id);

  /// Ends every session whose time has passed and gives them, the longest overdue first.
  [[nodiscard]] std::vector<session_info> expire(instant now);

  /// When the next session ends unless it is kept alive; `instant_never` if none does.
  [[nodiscard]] instant next_deadline() const noexcept;

  /// The session, or null if it has ended. The pointer holds until the table is next changed.
  [[nodiscard]] const session_info* find(session_id id) const noexcept;

  [[nodiscard]] std::size_t size(session_kind kind) const noexcept { return counts_[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] std::size_t size() const noexcept { return sessions_.size(); }

  /// All sessions in the order in which they were made.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (const auto& [id, session] : sessions_) visit(session);
  }

 private:
  using table = std::map<session_id, session_info>;

  [[nodiscard]] static instant deadline(const session_info& session) noexcept;
  session_info take(table::iterator at);

  session_options options_;
  std::uint64_t last_id_{0};
  table sessions_;
  /// Those that end by time, the earliest first.
  std::set<std::pair<instant, session_id>> deadlines_;
  std::size_t counts_[session_kinds]{};
};

}  // namespace muster::session
