#include "muster/actor/remote.hpp"

#include "muster/actor/system_core.hpp"

namespace muster::actor_kernel {

remote_target::remote_target(std::shared_ptr<system_core> core, const actor_address& of)
    : endpoint{of.path, of.incarnation, std::hash<actor_address>{}(of)}, core_{std::move(core)}, node_{of.node} {}

namespace {

told outcome_of(errc why) noexcept {
  switch (why) {
    case errc::limit_exceeded: return told::full;
    case errc::invalid_argument: return told::too_large;
    default: return told::unreachable;
  }
}

dead_letter_reason reason_of(told outcome) noexcept {
  switch (outcome) {
    case told::full: return dead_letter_reason::mailbox_full;
    case told::too_large: return dead_letter_reason::unsendable;
    default: return dead_letter_reason::unreachable;
  }
}

}  // namespace

told remote_target::send(const outbound_message& what, const message_type& type, if_not otherwise) {
  const auto route = core_->route();
  told outcome = told::unreachable;
  if (route) {
    const auto sent = route->tell(address(), what);
    if (sent) return told::accepted;
    outcome = outcome_of(sent.error().code);
  }
  if (otherwise == if_not::dead_letter) {
    core_->letters().publish(refs::any(this), type, reason_of(outcome));
  }
  return outcome;
}

told remote_target::refuse(const message_type& type, if_not otherwise) {
  if (otherwise == if_not::dead_letter) {
    core_->letters().publish(refs::any(this), type, dead_letter_reason::unsendable);
  }
  return told::unsendable;
}

void remote_target::add_watcher(const endpoint_ptr& who) {
  const death_watch watch{this, who};
  if (const auto route = core_->route()) {
    route->watch(watch);
  } else {
    // A system that has no way to its node, or has left the cluster, can know no better.
    watch.terminated();
  }
}

void remote_target::remove_watcher(const endpoint_ptr& who) {
  if (const auto route = core_->route()) route->unwatch({this, who});
}

void remote_target::handle_stop(stop_when when) {
  if (const auto route = core_->route()) route->stop(address(), when);
}

}  // namespace muster::actor_kernel
