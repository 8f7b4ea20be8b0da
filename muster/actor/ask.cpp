#include "muster/actor/ask.hpp"

#include "muster/actor/system_core.hpp"

namespace muster::actor_kernel {

std::uint64_t next_number(system_core& of) { return of.next_number(); }

question::question(std::shared_ptr<system_core> core, std::uint64_t number, endpoint_ptr whom, duration timeout)
    : endpoint{fmt::format("/system/ask/{}", number), actor_incarnation{number}, local_hash(actor_incarnation{number})},
      core_{std::move(core)},
      whom_{std::move(whom)},
      timeout_{timeout},
      timer_{due_after(core_->executor().now(), timeout), number} {}

actor_node question::node() const { return core_->node(); }

void question::begin() {
  if (!core_->add_question(this)) return handle_system_stopped();
  core_->timers().add(timer_, this);
  if (whom_) whom_->add_watcher(this);
  // It may have ended before it was watching.
  if (is_stopped()) stand_down();
}

void question::stand_down() {
  core_->timers().cancel(timer_);
  if (whom_) whom_->remove_watcher(this);
  core_->forget_question(*this);
}

void question::handle_system_stopped() {
  end_with({errc::unavailable, fmt::format("the actor system '{}' has stopped", core_->name())});
}

bool question::end() {
  if (ended_.exchange(true, std::memory_order_acq_rel)) return false;
  const endpoint_ptr keep{this};
  stand_down();
  const auto told = watchers_.with([](watchers& all) {
    all.ended = true;
    return std::exchange(all.who, {});
  });
  for (const auto& who : told) {
    who->handle_terminated(keep);
  }
  return true;
}

void question::end_with(error why) {
  const endpoint_ptr keep{this};
  if (end()) complete(std::move(why));
}

void question::handle_terminated(const endpoint_ptr& who) {
  end_with({errc::unavailable, fmt::format("{} stopped before it answered", who->address())});
}

void question::handle_alarm(std::uint64_t) {
  end_with({errc::timed_out, fmt::format("no answer from {} within {} ms", whom_ ? whom_->address() : actor_address{},
                                         std::chrono::duration_cast<std::chrono::milliseconds>(timeout_).count())});
}

void question::add_watcher(const endpoint_ptr& who) {
  const bool ended = watchers_.with([&](watchers& all) {
    if (!all.ended) all.who.insert(who);
    return all.ended;
  });
  if (ended) who->handle_terminated(this);
}

void question::remove_watcher(const endpoint_ptr& who) {
  watchers_.with([&](watchers& all) { all.who.erase(who); });
}

told question::refuse(const message_type& type, if_not otherwise) {
  if (otherwise == if_not::dead_letter) core_->letters().publish(refs::any(this), type, dead_letter_reason::stopped);
  return told::stopped;
}

}  // namespace muster::actor_kernel
