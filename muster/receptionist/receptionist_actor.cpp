#include "muster/receptionist/receptionist_actor.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "muster/base/event.hpp"

namespace muster::receptionist {

namespace {

/// So many changes end a turn even if more messages wait: acknowledgements should not wait for ever. Of what comes as
/// one and has more, so many are handled in a turn.
constexpr std::size_t turn_changes_max = 1024;
/// The more rows there are, the more it costs to put a few of them anew among the others: then it may be more, up to
/// this.
constexpr std::size_t turn_changes_most = 8192;

void add_one(std::atomic<std::uint64_t>& to) noexcept { to.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

receptionist_actor::receptionist_actor(std::shared_ptr<desk> at)
    : desk_{std::move(at)},
      core_{{desk_->how.max_subscribers_per_key, desk_->how.max_subscribers_total},
            desk_->shown,
            desk_->directory->self(),
            desk_->seen_in} {}

template <typename Function>
void receptionist_actor::guard(context& self, std::string_view doing, Function&& function) noexcept {
  const auto failed = [&](std::string_view cause) {
    add_one(desk_->counted.failures);
    self.write(event{severity::error, "receptionist_failed"}.with("doing", doing).with("cause", cause));
  };
  try {
    function();
  } catch (const std::exception& thrown) {
    failed(thrown.what());
  } catch (...) {
    failed("an exception that is no std::exception");
  }
}

void receptionist_actor::on_start(context& self) {
  desk_->directory->attach(
      [to = actor_ref<directory_news>{self.self()}](directory_news news) { to.tell(std::move(news)); });
}

void receptionist_actor::on_stop(context& self) {
  guard(self, "stop", [&] { end_turn(self); });
  guard(self, "stop", [&] { desk_->directory->detach(); });
}

void receptionist_actor::receive(context& self, message what) {
  std::visit([&]<typename Message>(
                 Message& one) { guard(self, actor_kernel::type_of<Message>.in_log, [&] { handle(self, one); }); },
             what);
  guard(self, "the end of a turn", [&] { schedule(self); });
}

void receptionist_actor::schedule(context& self) {
  const std::size_t happened = std::max(core_.pending(), answers_.size());
  const bool has_more = !news_.empty() || !to_withdraw_.empty();
  if (!core_.has_changes() && happened == 0 && !has_more) return;
  if (happened >= std::clamp(core_.row_count() / 16, turn_changes_max, turn_changes_most)) {
    end_turn(self);
    if (!has_more && !core_.has_changes()) return;
  }
  if (turn_ends_) return;
  turn_ends_ = true;
  self.self().tell(turn_over{});
}

void receptionist_actor::end_turn(context& self) {
  guard(self, "telling other nodes", [&] { desk_->directory->commit(); });
  const auto notices = core_.poll_notices();
  const std::vector<answer> answers = std::exchange(answers_, {});
  // The next turn has about as many, if this one had few.
  answers_.reserve(std::min<std::size_t>(answers.size(), 64));
  for (const answer& one : answers) {
    guard(self, "an acknowledgement",
          [&] { std::visit([](const auto& to_and_what) { to_and_what.first.tell(to_and_what.second); }, one); });
  }
  for (const core::notice& notice : notices) {
    for (const auto& to : notice.to) {
      guard(self, "telling a subscriber", [&] {
        const person& whom = *by_id_.at(to.who);
        if (!whom.lines.at(notice.key).way->tell_change(notice.key, to.told, notice.rows)) return;
        add_one(desk_->counted.listings_told);
      });
    }
  }
}

void receptionist_actor::handle(context& self, turn_over&) {
  turn_ends_ = false;
  end_turn(self);
  work_off(self, turn_changes_max);
}

void receptionist_actor::handle(context& self, directory_news& what) {
  const bool is_first = news_.empty();
  news_.push_back({std::move(what)});
  // Small ones that come one after the other make one listing.
  if (is_first) work_off(self, turn_changes_max);
}

void receptionist_actor::work_off(context& self, std::size_t changes_max) {
  const std::size_t end = core_.pending() + changes_max;
  while (!news_.empty()) {
    core::news_in_work& first = news_.front();
    const std::size_t before = first.next;
    if (!core_.handle_some(first, changes_max)) return;
    changes_max -= std::min(changes_max, first.next - before);
    const core::news_in_work done = std::move(first);
    news_.pop_front();
    end_news(self, done.news);
  }
  while (!to_withdraw_.empty()) {
    auto& [whom, keys] = to_withdraw_.front();
    while (!keys.empty()) {
      if (core_.pending() >= end) return;
      withdraw(keys.extract(keys.begin()).value(), whom);
    }
    to_withdraw_.pop_front();
  }
}

void receptionist_actor::end_news(context& self, const directory_news& what) {
  for (const late_refusal& one : what.refused) {
    if (!core_.remove_own(any_key{one.what.key}, one.what.what)) continue;
    add_one(desk_->counted.refused);
    add_one(desk_->counted.deregistered);
    self.write(event{severity::error, "registration_withdrawn"}
                   .with("key", one.what.key)
                   .with("path", one.what.what.path)
                   .with("cause", one.why));
  }
}

// --- registrations ---

const gossip::shared_text& receptionist_actor::path_of(const any_ref& whom) {
  gossip::shared_text& kept = recent_paths_[whom.hash() % recent_paths_.size()];
  if (kept.view() != whom.path()) kept = gossip::shared_text{whom.path()};
  return kept;
}

gossip::entry receptionist_actor::entry_of(const any_ref& whom, std::string_view type) {
  gossip::shared_text& kept = types_[type];
  if (kept.view() != type) kept = gossip::shared_text{type};
  return {path_of(whom), actor_kernel::refs::target(whom)->incarnation().value(), kept};
}

void receptionist_actor::handle(context& self, register_& what) {
  if (!what.ref) {
    return refuse(self, what, refusal::null_ref, fmt::format("a null ref cannot be registered under '{}'", what.key));
  }
  const auto& target = actor_kernel::refs::target(what.ref);
  if (target->is_remote() || &target->core() != desk_->seen_in->system().get()) {
    return refuse(self, what, refusal::remote,
                  fmt::format("{} lives elsewhere and is registered there; here it cannot be registered under '{}'",
                              what.ref.address(), what.key));
  }
  if (what.ref.is_stopped()) {
    return refuse(self, what, refusal::stopped,
                  fmt::format("{} has stopped and cannot be registered under '{}'", what.ref.address(), what.key));
  }
  if (what.key.id().empty()) {
    return refuse(self, what, refusal::invalid_key,
                  fmt::format("{} cannot be registered under a key without an id", what.ref.address()));
  }
  gossip::entry entry = entry_of(what.ref, what.type->name);
  if (!core_.has_own(what.key, entry)) {
    if (const auto added = desk_->directory->add(what.key.text(), entry); !added) {
      return refuse(self, what, refusal::over_bound, added.error().message);
    }
    if (entry.type.empty() && desk_->directory->is_shared()) warn_of_unnamed(self, what);
    core_.add_new_own(what.key, std::move(entry));
    add_one(desk_->counted.registered);
  }
  if (what.ends_with_actor || desk_->how.watch_registered) person_of(self, what.ref).kept_alive.insert(what.key);
  if (what.reply_to) answers_.emplace_back(std::pair{what.reply_to, registered{what.key, what.ref}});
}

void receptionist_actor::warn_of_unnamed(context& self, const register_& what) {
  constexpr std::size_t warnings_max = 1000;
  if (warned_of_.size() >= warnings_max || !warned_of_.insert(what.key).second) return;
  self.write(event{severity::warning, "service_stays_on_this_node"}
                 .with("key", what.key)
                 .with("cause", "its message type has no name; see message_name.hpp")
                 .with("type", what.type->in_log));
}

void receptionist_actor::refuse(context& self, const register_& what, refusal why, std::string sentence) {
  add_one(desk_->counted.refused);
  if (!what.reply_to) return self.unhandled<register_>();
  if (const auto place = what.reply_to.as<register_refused>()) {
    return place->tell(register_refused{what.key, what.ref, why, std::move(sentence)});
  }
  self.write(event{severity::error, "registration_refused"}
                 .with("key", what.key)
                 .with("reason", to_string(why))
                 .with("sentence", sentence));
  desk_->seen_in->system()->letters().publish(what.reply_to, actor_kernel::type_of<register_refused>,
                                              dead_letter_reason::unhandled);
}

void receptionist_actor::withdraw(const any_key& key, const any_ref& whom) {
  const auto& target = actor_kernel::refs::target(whom);
  if (!target || target->is_remote() || &target->core() != desk_->seen_in->system().get()) return;
  const gossip::shared_text path = path_of(whom);
  for (gossip::entry& one : core_.own_entries(key, path, target->incarnation().value())) {
    desk_->directory->remove(key.text(), one);
    core_.remove_present_own(key, std::move(one));
    add_one(desk_->counted.deregistered);
  }
}

void receptionist_actor::handle(context& self, deregister& what) {
  withdraw(what.key, what.ref);
  if (const auto found = people_.find(what.ref); found != people_.end()) {
    found->second.kept_alive.erase(what.key);
    let_go(self, what.ref);
  }
  if (what.reply_to) answers_.emplace_back(std::pair{what.reply_to, deregistered{what.key, what.ref}});
}

// --- who wants to know ---

void receptionist_actor::handle(context& self, find& what) {
  if (!what.reply_to) {
    add_one(desk_->counted.messages_without_use);
    return self.unhandled<find>();
  }
  what.kind->tell(what.reply_to, what.key, core_.current(what.key));
  add_one(desk_->counted.listings_told);
  // A listing that waits in its mailbox would be replaced where it stands, before this answer, which would then be the
  // last that it hears: so the next one gets a place of its own.
  const auto asker = people_.find(what.reply_to);
  if (asker == people_.end()) return;
  if (const auto line = asker->second.lines.find(what.key); line != asker->second.lines.end()) {
    line->second.way = line->second.kind->open_line(what.reply_to);
  }
}

void receptionist_actor::handle(context& self, subscribe& what) {
  if (!what.subscriber) {
    add_one(desk_->counted.messages_without_use);
    return self.unhandled<subscribe>();
  }
  // It would take a place for a moment only; the listing is a dead letter.
  if (what.subscriber.is_stopped()) return what.kind->tell(what.subscriber, what.key, core_.current(what.key));

  const auto known = people_.find(what.subscriber);
  const subscriber_id id = known != people_.end() ? known->second.id : subscriber_id{ids_ + 1};
  const auto [outcome, rows] = core_.subscribe(what.key, id);
  if (outcome == core::outcome::over_per_key || outcome == core::outcome::over_total) {
    return reject(self, what, outcome);
  }
  // The way is a new one also if it is subscribed already: the listing is to come behind all that it was told before.
  auto& line = person_of(self, what.subscriber).lines[what.key];
  line = {what.kind, what.kind->open_line(what.subscriber)};
  line.way->tell(what.key, rows);
  add_one(desk_->counted.listings_told);
}

void receptionist_actor::reject(context& self, const subscribe& what, core::outcome why) {
  add_one(desk_->counted.subscriptions_rejected);
  const bool per_key = why == core::outcome::over_per_key;
  const auto reason = per_key ? rejection::max_subscribers_per_key : rejection::max_subscribers_total;
  const std::size_t limit = per_key ? core_.limits().subscribers_per_key_max : core_.limits().subscribers_total_max;
  if (what.kind->reject(what.subscriber, what.key, reason, limit)) return;
  self.write(event{severity::error, "subscription_rejected"}
                 .with("key", what.key)
                 .with("subscriber", what.subscriber.address())
                 .with("reason", to_string(reason))
                 .with("limit", limit));
  desk_->seen_in->system()->letters().publish(what.subscriber, what.kind->rejected_type(),
                                              dead_letter_reason::unhandled);
}

void receptionist_actor::handle(context& self, unsubscribe& what) {
  const auto found = people_.find(what.subscriber);
  if (found == people_.end()) return;
  (void)core_.unsubscribe(what.key, found->second.id);
  found->second.lines.erase(what.key);
  let_go(self, what.subscriber);
}

receptionist_actor::person& receptionist_actor::person_of(context& self, const any_ref& whom) {
  const auto [found, is_new] = people_.try_emplace(whom);
  if (is_new) {
    found->second.id = subscriber_id{++ids_};
    by_id_.emplace(found->second.id, &found->second);
    self.watch(whom);
  }
  return found->second;
}

void receptionist_actor::let_go(context& self, const any_ref& whom) {
  const auto found = people_.find(whom);
  if (found == people_.end() || !found->second.lines.empty() || !found->second.kept_alive.empty()) return;
  self.unwatch(whom);
  by_id_.erase(found->second.id);
  people_.erase(found);
}

void receptionist_actor::on_terminated(context& self, const terminated& what) {
  guard(self, "the end of an actor", [&] {
    const auto found = people_.find(what.ref);
    if (found == people_.end()) return;
    to_withdraw_.emplace_back(what.ref, std::exchange(found->second.kept_alive, {}));
    core_.forget(found->second.id);
    by_id_.erase(found->second.id);
    people_.erase(found);
    if (to_withdraw_.size() == 1) work_off(self, turn_changes_max);
  });
  guard(self, "the end of a turn", [&] { schedule(self); });
}

}  // namespace muster::receptionist
