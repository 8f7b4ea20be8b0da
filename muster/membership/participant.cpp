#include "muster/membership/participant.hpp"

#include <utility>

#include "muster/membership/core.hpp"

namespace muster::membership {

participant::participant(std::unique_ptr<core> inner) noexcept : core_{std::move(inner)} {}
participant::~participant() = default;

result<std::unique_ptr<participant>> participant::make(options how, prng& random, instant now) {
  if (auto ok = validate(how); !ok) {
    return fail(std::move(ok).error());
  }
  return std::unique_ptr<participant>{new participant{std::make_unique<core>(std::move(how), random, now)}};
}

void participant::handle_message(byte_view content, std::string_view authenticated_name, instant now) {
  core_->handle_message(content, authenticated_name, now);
}

void participant::handle_connection_lost(std::string_view address, instant now) {
  core_->handle_connection_lost(address, now);
}

void participant::handle_connection_refused(std::string_view address, instant now) {
  core_->handle_connection_refused(address, now);
}

void participant::handle_leave(instant now) { core_->handle_leave(now); }

void participant::handle_tick(instant now) { core_->handle_tick(now); }

ready participant::poll_ready(instant now) { return core_->poll_ready(now); }

instant participant::next_deadline() const { return core_->next_deadline(); }

const member_ptr& participant::self() const noexcept { return core_->self(); }

std::shared_ptr<const member_list> participant::members() const { return core_->members(); }

member_ptr participant::find(std::string_view name) const {
  const auto which = core_->table().find_name(name);
  return which == member_table::none ? nullptr : core_->table().at(which).who;
}

member_ptr participant::find_at(std::string_view address) const {
  const auto which = core_->table().find_address(address);
  return which == member_table::none ? nullptr : core_->table().at(which).who;
}

std::optional<member_state> participant::state_of(std::string_view name, incarnation of) const {
  const auto which = core_->table().find(name, of);
  if (which == member_table::none) {
    return std::nullopt;
  }
  return core_->table().at(which).standing == standing::unreachable ? member_state::unreachable : member_state::up;
}

bool participant::is_removed(std::string_view name, incarnation of) const {
  return core_->gone().find(name, of) != nullptr;
}

membership::status participant::status() const { return core_->status(); }

}  // namespace muster::membership
