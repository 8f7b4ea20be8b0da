#include "muster/session/session_table.hpp"

#include <algorithm>

#include "muster/base/invariant.hpp"

namespace muster::session {

std::string_view to_string(session_kind kind) noexcept {
  switch (kind) {
    case session_kind::client: return "client";
    case session_kind::admin: return "administrative";
  }
  return "unknown";
}

session_table::session_table(session_options options) : options_{options} {}

instant session_table::deadline(const session_info& session) noexcept {
  if (session.timeout == duration::zero()) return instant_never;
  // A timeout so long that the sum would overflow means never as well.
  if (session.timeout > instant_never - session.last_keep_alive) return instant_never;
  return session.last_keep_alive + session.timeout;
}

result<session_id> session_table::create(session_kind kind, std::string user, duration timeout, instant now) {
  auto& count = counts_[static_cast<std::size_t>(kind)];
  if (count >= options_.sessions_max_per_kind) {
    return fail(errc::limit_exceeded, "there are {} {} sessions already, which is as many as this replica takes", count,
                to_string(kind));
  }
  session_info session;
  session.id = session_id{++last_id_};
  session.kind = kind;
  session.user = std::move(user);
  session.timeout = std::max(timeout, duration::zero());
  session.created = now;
  session.last_keep_alive = now;

  const session_id id = session.id;
  if (const instant end = deadline(session); end != instant_never) deadlines_.emplace(end, id);
  sessions_.emplace_hint(sessions_.end(), id, std::move(session));
  ++count;
  return id;
}

result<void> session_table::keep_alive(session_id id, instant now) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return fail(errc::not_found, "the session has ended");
  session_info& session = found->second;

  const instant old_end = deadline(session);
  if (old_end <= now) return fail(errc::not_found, "the session has ended: no keep-alive came in time");
  // A caller's turn may reach us after a later one has: time does not go back.
  session.last_keep_alive = std::max(session.last_keep_alive, now);
  const instant new_end = deadline(session);
  if (new_end == old_end) return {};

  // The node of the old deadline is reused: a keep-alive allocates nothing.
  auto node = deadlines_.extract({old_end, id});
  MUSTER_INVARIANT(!node.empty(), "a session that ends by time stands among the deadlines");
  if (new_end != instant_never) {
    node.value().first = new_end;
    deadlines_.insert(std::move(node));
  }
  return {};
}

session_info session_table::take(table::iterator at) {
  session_info session = std::move(at->second);
  sessions_.erase(at);
  if (const instant end = deadline(session); end != instant_never) deadlines_.erase({end, session.id});
  --counts_[static_cast<std::size_t>(session.kind)];
  return session;
}

result<session_info> session_table::destroy(session_id id) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return fail(errc::not_found, "the session has ended");
  return take(found);
}

std::vector<session_info> session_table::expire(instant now) {
  std::vector<session_info> ended;
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    const auto found = sessions_.find(deadlines_.begin()->second);
    MUSTER_INVARIANT(found != sessions_.end(), "a deadline belongs to a session");
    ended.push_back(take(found));
  }
  return ended;
}

instant session_table::next_deadline() const noexcept {
  return deadlines_.empty() ? instant_never : deadlines_.begin()->first;
}

const session_info* session_table::find(session_id id) const noexcept {
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : &found->second;
}

}  // namespace muster::session
