#include "muster/actor/cell.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "muster/actor/system_core.hpp"

namespace muster::actor_kernel {
namespace {

/// What a teller's thread handles before it goes back to what it has to do.
constexpr std::size_t teller_batch_max = 8;

class stop_signal final : public envelope {
 public:
  void deliver(cell& to) override { to.deliver_stop(); }
};

class child_stopped_signal final : public envelope {
 public:
  explicit child_stopped_signal(endpoint_ptr child) noexcept : child_{std::move(child)} {}
  void deliver(cell& to) override { to.deliver_child_stopped(child_); }

 private:
  const endpoint_ptr child_;
};

class terminated_signal final : public envelope {
 public:
  explicit terminated_signal(endpoint_ptr who) noexcept : who_{std::move(who)} {}
  void deliver(cell& to) override { to.deliver_watched(who_); }

 private:
  const endpoint_ptr who_;
};

class alarm_signal final : public envelope {
 public:
  explicit alarm_signal(std::uint64_t number) noexcept : number_{number} {}
  void deliver(cell& to) override { to.deliver_alarm(number_); }

 private:
  const std::uint64_t number_;
};

}  // namespace

cell::cell(birth of)
    : endpoint{std::move(of.path), of.incarnation, local_hash(of.incarnation)},
      core_{std::move(of.core)},
      executor_{core_->executor()},
      parent_{std::move(of.parent)},
      at_{of.at},
      supervision_{of.how.on_failure},
      capacity_{of.how.mailbox.capacity},
      when_full_{of.how.mailbox.when_full},
      batch_max_{of.how.batch_max != 0 ? of.how.batch_max : core_->batch_max()},
      is_brief_{of.how.is_brief},
      suits_tellers_{is_brief_ && at_ == level::system},
      actor_type_{of.actor_type} {}

cell::~cell() {
  while (inbox_ != nullptr) {
    delete std::exchange(inbox_, inbox_->next);
  }
}

// --- from any thread ---

actor_node cell::node() const { return core_->node(); }

void cell::write(const event& what) const { core_->write(what); }

void cell::signal(std::unique_ptr<envelope> what) {
  switch (mailbox_.push(*what)) {
    case mailbox::pushed::queued: (void)what.release(); return;
    case mailbox::pushed::wake:
      (void)what.release();
      executor_.execute(*this);
      return;
    case mailbox::pushed::closed: return;
  }
}

void cell::handle_stop(stop_when when) {
  if (when == stop_when::now) stop_now_.store(true, std::memory_order_relaxed);
  // For `now` too: it wakes one that sleeps.
  signal(std::make_unique<stop_signal>());
}

void cell::handle_terminated(const endpoint_ptr& who) { signal(std::make_unique<terminated_signal>(who)); }

void cell::handle_alarm(std::uint64_t number) { signal(std::make_unique<alarm_signal>(number)); }

void cell::add_watcher(const endpoint_ptr& who) {
  const bool ended = watchers_.with([&](watchers& all) {
    if (!all.ended) all.who.insert(who);
    return all.ended;
  });
  if (ended) who->handle_terminated(this);
}

void cell::remove_watcher(const endpoint_ptr& who) {
  watchers_.with([&](watchers& all) { all.who.erase(who); });
}

void cell::give_up() {
  stop_now_.store(true, std::memory_order_relaxed);
  const auto rest = mailbox_.close();
  bury(rest.waiting);
  // One whose turn is running or asked for sees the closed mailbox when it is done with its message.
  if (rest.reader_slept) executor_.execute(*this);
}

told cell::refuse_full(const message_type& type, if_not otherwise) {
  waiting_.fetch_sub(1, std::memory_order_relaxed);
  if (mailbox_.closed()) return refuse_stopped(type, otherwise);
  if (otherwise == if_not::report && when_full_ == mailbox_options::overflow::refuse) return told::full;
  core_->letters().publish(refs::any(this), type, dead_letter_reason::mailbox_full);
  return otherwise == if_not::report ? told::accepted : told::full;
}

told cell::refuse_stopped(const message_type& type, if_not otherwise) {
  if (otherwise == if_not::dead_letter) core_->letters().publish(refs::any(this), type, dead_letter_reason::stopped);
  return told::stopped;
}

void cell::publish_unhandled(const message_type& type) {
  core_->letters().publish(refs::any(this), type, dead_letter_reason::unhandled);
}

void cell::bury(envelope* list) noexcept {
  while (list != nullptr) {
    bury_one(std::unique_ptr<envelope>{std::exchange(list, list->next)});
  }
}

void cell::bury_one(std::unique_ptr<envelope> what) noexcept {
  const message_type* type = what->type();
  if (type == nullptr) return;
  if (capacity_ != 0) waiting_.fetch_sub(1, std::memory_order_relaxed);
  core_->letters().publish(refs::any(this), *type, dead_letter_reason::stopped);
}

// --- the turn ---

void cell::run() noexcept {
  const bool at_teller = is_at_teller();
  std::size_t budget = at_teller ? std::min(batch_max_, teller_batch_max) : batch_max_;
  while (true) {
    // A teller's thread neither begins nor ends anything, even if somebody asks for the end meanwhile.
    if (at_teller) {
      if (!is_for_tellers()) return executor_.execute(*this);
    } else {
      if ((stop_asked_ || stop_now_.load(std::memory_order_relaxed)) && life_ != life::stopping) begin_stop();
      if (life_ == life::stopping && children_.empty()) return end();
      if (may_start()) {
        if (budget == 0) return executor_.execute(*this);
        --budget;
        start();
        continue;
      }
    }
    if (inbox_ == nullptr) {
      inbox_ = mailbox_.take();
      if (inbox_ == nullptr) {
        // After a rest nothing here may be touched: another turn may have begun, and ended it.
        if (mailbox_.rest()) return;
        if (mailbox_.closed()) {
          // Given up: whoever else has not stopped has been given up as well.
          children_.clear();
          stop_asked_ = true;
        }
        continue;
      }
    }
    // In the order of the mailbox all the same: the rest waits for the turn that goes on with it.
    if (at_teller && !is_for_tellers()) return executor_.execute(*this);
    if (budget == 0) return executor_.execute(*this);
    --budget;
    if (is_brief_) executor_.hand_over();
    handle(std::unique_ptr<envelope>{std::exchange(inbox_, inbox_->next)});
  }
}

void cell::handle(std::unique_ptr<envelope> what) noexcept {
  const bool is_message = what->type() != nullptr;
  if (is_message) {
    if (life_ == life::stopping) return bury_one(std::move(what));
    if (life_ == life::due) return stash_.push_back(std::move(what));
    if (capacity_ != 0) waiting_.fetch_sub(1, std::memory_order_relaxed);
  }
  guard(is_message ? what->type()->in_log : "a signal", [&] { what->deliver(*this); });
}

template <typename Function>
void cell::guard(std::string_view doing, Function&& function) noexcept {
  try {
    function();
  } catch (const std::exception& thrown) {
    fail(doing, thrown.what());
  } catch (...) {
    fail(doing, "an exception that is no std::exception");
  }
}

void cell::start() noexcept {
  life_ = life::running;
  guard("its start", [&] { make_instance(); });
  if (life_ != life::running) return;
  // What waited for this instance is older than the rest of the inbox.
  while (!stash_.empty()) {
    stash_.back()->next = inbox_;
    inbox_ = stash_.back().release();
    stash_.pop_back();
  }
}

void cell::fail(std::string_view doing, std::string_view cause) {
  const bool was_running = life_ == life::running;
  const bool restart = was_running && !stop_asked_ && may_restart();
  core_->write(event{severity::error, "actor_failed"}
                   .with("actor", address())
                   .with("type", actor_type_)
                   .with("doing", doing)
                   .with("cause", cause)
                   .with("then", restart ? "restart" : "stop"));
  if (!was_running) return;
  if (!restart) {
    stop_asked_ = true;
    return;
  }
  end_affairs();
  drop_instance();
  ++generation_;
  life_ = life::due;
  if (supervision_.backoff > duration{0}) {
    backoff_ = {due_after(executor_.now(), supervision_.backoff), core_->next_number()};
    core_->timers().add(backoff_, this);
  }
}

bool cell::may_restart() {
  if (supervision_.on_failure != supervision::action::restart) return false;
  const instant now = executor_.now();
  std::erase_if(failures_, [&](instant failure) { return now - failure >= supervision_.window; });
  failures_.push_back(now);
  return failures_.size() <= supervision_.restarts_max;
}

void cell::end_affairs() noexcept {
  for (auto& [number, set] : timers_) {
    core_->timers().cancel(set.key);
  }
  timers_.clear();
  for (const auto& [whom, news] : watched_) {
    if (whom) refs::target(whom)->remove_watcher(this);
  }
  watched_.clear();
  for (const auto& child : children_) {
    child->handle_stop(stop_now_.load(std::memory_order_relaxed) ? stop_when::now : stop_when::drained);
  }
}

void cell::begin_stop() noexcept {
  life_ = life::stopping;
  end_affairs();
  if (backoff_ != timer_key{}) core_->timers().cancel(std::exchange(backoff_, {}));
  for (auto& waiting : std::exchange(stash_, {})) {
    bury_one(std::move(waiting));
  }
}

void cell::end() noexcept {
  // The directory lets go of it in here.
  const endpoint_ptr keep{this};
  if (has_instance()) guard("its stop", [&] { call_on_stop(); });
  // Whatever it began in its last function.
  end_affairs();
  drop_instance();
  drop_source();
  bury(std::exchange(inbox_, nullptr));
  bury(mailbox_.close().waiting);
  core_->forget(*this);
  const auto told = watchers_.with([](watchers& all) {
    all.ended = true;
    return std::exchange(all.who, {});
  });
  for (const auto& who : told) {
    who->handle_terminated(keep);
  }
  if (parent_) parent_->signal(std::make_unique<child_stopped_signal>(keep));
  core_->handle_ended(*this);
}

// --- what the actor does, and what comes of it ---

void cell::watch(const any_ref& whom, std::unique_ptr<envelope> news) {
  const auto [place, is_new] = watched_.insert_or_assign(whom, std::move(news));
  if (!is_new) return;
  if (whom) {
    refs::target(whom)->add_watcher(this);
  } else {
    handle_terminated(nullptr);
  }
}

void cell::unwatch(const any_ref& whom) {
  if (watched_.erase(whom) != 0 && whom) refs::target(whom)->remove_watcher(this);
}

void cell::deliver_watched(const endpoint_ptr& who) {
  // Not watched, or no more: the news was on its way when the actor lost interest.
  auto watched = watched_.extract(refs::any(who));
  if (watched.empty()) return;
  if (watched.mapped()) {
    watched.mapped()->deliver(*this);
  } else {
    call_on_terminated(terminated{watched.key()});
  }
}

timer_id cell::set_timer(duration delay, duration period, std::unique_ptr<envelope> what) {
  const timer_key key{due_after(executor_.now(), delay), core_->next_number()};
  timers_.emplace(key.number, timer{key, period, std::move(what)});
  core_->timers().add(key, this);
  return timer_id{key.number};
}

bool cell::cancel_timer(timer_id which) {
  const auto found = timers_.find(which.value());
  if (found == timers_.end()) return false;
  core_->timers().cancel(found->second.key);
  timers_.erase(found);
  return true;
}

void cell::deliver_alarm(std::uint64_t number) {
  if (number == backoff_.number && number != 0) {
    backoff_ = {};
    return;
  }
  const auto found = timers_.find(number);
  if (found == timers_.end()) return;
  // The actor may cancel the timer while it handles the message.
  const std::shared_ptr<envelope> what = found->second.what;
  if (found->second.period == duration{0}) {
    timers_.erase(found);
  } else {
    auto& [key, period, message] = found->second;
    const instant now = executor_.now();
    key.due += period;
    if (key.due <= now) key.due += period * ((now - key.due) / period + 1);
    core_->timers().add(key, this);
  }
  what->deliver(*this);
}

void cell::deliver_stop() {
  stop_asked_ = true;
  // One that waits for its children is in more of a hurry than when it asked them.
  if (life_ != life::stopping || !stop_now_.load(std::memory_order_relaxed)) return;
  for (const auto& child : children_) {
    child->handle_stop(stop_when::now);
  }
}

void cell::deliver_child_stopped(const endpoint_ptr& which) {
  std::erase_if(children_, [&](const auto& child) { return child == which; });
}

}  // namespace muster::actor_kernel
