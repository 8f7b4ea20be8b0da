#include "muster/registry/session_desk.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace muster::registry {
namespace {

metrics::session_kind figure_of(session::session_kind kind) {
  return kind == session::session_kind::admin ? metrics::session_kind::admin : metrics::session_kind::client;
}

}  // namespace

session_desk::session_desk(executor& strand, metrics::registry_metrics& figures, session::session_options bounds)
    : strand_{strand}, figures_{figures}, table_{bounds} {}

void session_desk::create(request what, created answer) {
  auto shared = std::make_shared<created>(std::move(answer));
  auto posted = strand_.try_post([this, what = std::move(what), shared]() mutable {
    if (closed_) {
      (*shared)(fail(errc::unavailable, "this replica is about to end and takes no more sessions"));
      return;
    }
    const auto kind = what.kind;
    const auto id = table_.create(kind, std::move(what.user), what.timeout, strand_.now());
    if (id) {
      ended_.emplace(id->value(), std::move(what.ended));
      figures_.sessions[figure_of(kind)].set_count(table_.size(kind));
    }
    (*shared)(id);
  });
  if (!posted) (*shared)(fail(std::move(posted).error()));
}

void session_desk::keep_alive(session::session_id id, done answer) {
  auto shared = std::make_shared<done>(std::move(answer));
  auto posted = strand_.try_post([this, id, shared] { (*shared)(table_.keep_alive(id, strand_.now())); });
  if (!posted) (*shared)(std::move(posted));
}

void session_desk::destroy(session::session_id id, done answer) {
  // Ending something frees memory, so a full queue must not prevent it.
  auto shared = std::make_shared<done>(std::move(answer));
  const bool posted = strand_.post([this, id, shared] {
    auto last = table_.destroy(id);
    if (last) end(*last);
    (*shared)(last ? result<void>{} : fail(std::move(last).error()));
  });
  if (!posted) (*shared)({});
}

void session_desk::acquire_lock(session::session_id id, lock_done answer) {
  strand_.post([this, id, answer = std::move(answer)] {
    const auto* info = table_.find(id);
    // What has ended takes no lock, of which nobody would relieve it.
    answer(info != nullptr ? lock_.acquire(id, info->user) : tl::unexpected<session::access_denied>{{}});
  });
}

void session_desk::release_lock(session::session_id id, lock_done answer) {
  strand_.post([this, id, answer = std::move(answer)] { answer(lock_.release(id)); });
}

void session_desk::when_not_locked(session::session_id id, task allowed,
                                   std::function<void(session::access_denied)> denied) {
  strand_.post([this, id, allowed = std::move(allowed), denied = std::move(denied)]() mutable {
    if (auto outcome = lock_.check(id); !outcome) {
      denied(std::move(outcome).error());
      return;
    }
    allowed();
  });
}

void session_desk::tick(instant now) {
  for (const auto& session : table_.expire(now)) end(session);
}

void session_desk::close() {
  closed_ = true;
  std::vector<session::session_id> all;
  table_.for_each([&](const session::session_info& one) { all.push_back(one.id); });
  for (const auto id : all) {
    if (const auto last = table_.destroy(id)) end(*last);
  }
}

void session_desk::end(const session::session_info& which) {
  lock_.session_ended(which.id);
  figures_.sessions[figure_of(which.kind)].set_count(table_.size(which.kind));
  const auto found = ended_.find(which.id.value());
  if (found == ended_.end()) return;
  auto tell = std::move(found->second);
  ended_.erase(found);
  if (tell) tell();
}

}  // namespace muster::registry
