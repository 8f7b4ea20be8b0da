#include "muster/session/update_lock.hpp"

#include <fmt/format.h>

namespace muster::session {

namespace {

constexpr session_id nobody{};

}  // namespace

error access_denied::as_error() const {
  if (!held) return error{errc::locked, "nobody holds the update lock: call startUpdate first"};
  return error{errc::locked, fmt::format("the update lock is held by '{}'", holder)};
}

update_lock::outcome update_lock::acquire(session_id session, std::string_view user) {
  if (session_ != nobody && session_ != session) return denied();
  session_ = session;
  user_ = user;
  return {};
}

update_lock::outcome update_lock::release(session_id session) {
  if (session_ == nobody || session_ != session) return denied();
  session_ended(session);
  return {};
}

update_lock::outcome update_lock::check(session_id session) const {
  if (session_ != nobody && session_ != session) return denied();
  return {};
}

void update_lock::session_ended(session_id session) noexcept {
  if (session_ != session) return;
  session_ = nobody;
  user_.clear();
}

std::optional<std::string_view> update_lock::holder() const noexcept {
  if (session_ == nobody) return std::nullopt;
  return user_;
}

tl::unexpected<access_denied> update_lock::denied() const {
  return tl::unexpected<access_denied>{access_denied{session_ != nobody, user_}};
}

}  // namespace muster::session
