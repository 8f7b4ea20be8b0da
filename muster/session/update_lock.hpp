#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "muster/base/error.hpp"
#include "muster/session/session_table.hpp"

namespace muster::session {

/// Why a session may not change applications or the lock now.
struct access_denied {
  /// Whether another session holds the lock; if not, nobody does.
  bool held{};
  /// The user of the session that holds it, which may be empty: what `IceGrid::AccessDeniedException` carries.
  std::string holder;

  /// The same as an error of code `locked` with a sentence.
  [[nodiscard]] error as_error() const;

  friend bool operator==(const access_denied&, const access_denied&) = default;
};

/// The exclusive lock of an administrative session on the deployed applications (`startUpdate` and `finishUpdate` of
/// `IceGrid::AdminSession`).
///
/// Owned by the strand that owns the sessions, which calls `session_ended` for every session that ends, however it
/// does. It lives in one replica and is not replicated: only the master takes changes.
class update_lock {
 public:
  using outcome = tl::expected<void, access_denied>;

  /// Takes the lock for a session; taking it again changes nothing. Denied while another session holds it.
  [[nodiscard]] outcome acquire(session_id session, std::string_view user);

  /// Gives the lock back. Denied, naming the holder if there is one, unless this session holds it.
  [[nodiscard]] outcome release(session_id session);

  /// Whether a session may change applications: nobody holds the lock, or this session does.
  [[nodiscard]] outcome check(session_id session) const;

  /// Frees the lock if this session held it.
  void session_ended(session_id session) noexcept;

  /// The user of the session that holds the lock.
  [[nodiscard]] std::optional<std::string_view> holder() const noexcept;

 private:
  [[nodiscard]] tl::unexpected<access_denied> denied() const;

  session_id session_{};  // zero: free; no session has this id
  std::string user_;
};

}  // namespace muster::session
