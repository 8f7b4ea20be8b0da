#include "muster/cluster/node_actor.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "muster/actor/guarded.hpp"
#include "muster/cluster/identity.hpp"

namespace muster::cluster {
namespace {

/// What a dead letter calls a message of which no more than its name on the wire is known, for as long as the process
/// lives. Peers say such names, too: there is a bound to those that are kept.
std::string_view kept_name(const std::string& name) {
  constexpr std::size_t names_max = 1024;
  constexpr std::string_view whatever = "a message between nodes";
  static auto& kept = *new actor_kernel::guarded<std::set<std::string, std::less<>>>;
  if (name.empty()) return whatever;
  return kept.with([&](auto& all) -> std::string_view {
    if (const auto found = all.find(name); found != all.end()) return *found;
    return all.size() < names_max ? *all.insert(name).first : whatever;
  });
}

/// An actor of another node that takes nothing: what a dead letter names.
class far_target final : public actor_kernel::remote_target {
 public:
  far_target(std::shared_ptr<actor_kernel::system_core> core, const actor_address& of)
      : remote_target{std::move(core), of} {}
  [[nodiscard]] actor_kernel::erased_acceptor find_acceptor(const actor_kernel::message_type&) const noexcept override {
    return nullptr;
  }
};

}  // namespace

node_actor::node_actor(std::reference_wrapper<actor_system> system, std::shared_ptr<node_state> state,
                       std::shared_ptr<const inbound_codecs> codecs, node_parts parts)
    : system_{system.get()},
      state_{std::move(state)},
      codecs_{std::move(codecs)},
      random_{std::move(parts.random)},
      core_{std::move(parts.core)} {}

void node_actor::on_start(context& self) { settle(self); }

void node_actor::receive(context& self, node_message message) {
  // Urgent inputs may call what users gave: they have sent for a turn of the node's own.
  if (!self.is_at_teller()) handle_urgent(self);
  std::visit([&](auto& what) { handle(self, what); }, message);
  if (!is_settling_ && !std::holds_alternative<node_input::settle>(message) &&
      !std::holds_alternative<node_input::look_up>(message)) {
    is_settling_ = true;
    self.self().tell(node_input::settle{});
  }
}

void node_actor::on_stop(context& self) {
  // Nobody waits here: peers hear of it once, or find out.
  core_->handle_leave(self.now());
  take(self, core_->poll_ready(self.now()));
  state_->actor.with([](auto& ref) { ref = {}; });
  state_->ways.with([](auto& ways) { ways.clear(); });
  end_ways_out();
}

// --- what goes before all others ---

void node_actor::handle_urgent(context& self) {
  const bool is_due = armed_for_ <= self.now();
  if (!is_due && !state_->has_urgent.load(std::memory_order_acquire)) {
    return;
  }
  for (const node_input::urgent& one : state_->take_urgent()) {
    std::visit([&](const auto& what) { handle(self, what); }, one);
  }
  if (is_due) {
    core_->handle_tick(self.now());
  }
  settle(self);
}

void node_actor::handle(context& self, const node_input::membership_came& what) {
  core_->handle_frame(what.frame, what.authenticated_name, self.now());
}

void node_actor::handle(context& self, const node_input::connection_broke& what) {
  if (what.was_refused) {
    core_->handle_connection_refused(what.address, self.now());
  } else {
    core_->handle_connection_lost(what.address, self.now());
  }
}

// --- what is told to it ---

void node_actor::handle(context&, node_input::look_up&) {}

void node_actor::handle(context& self, node_input::frame_came& what) {
  core_->handle_frame(what.frame, what.authenticated_name, self.now());
}

void node_actor::handle(context& self, node_input::gossip_came& what) {
  core_->handle_frame(what.frame, what.authenticated_name, self.now());
}

void node_actor::handle(context&, node_input::tell_far& what) {
  if (const member* const to = members_ ? members_->find(what.to.node) : nullptr) {
    // Asked before the message gets its number, so that one that is refused leaves no gap.
    std::size_t& unsent = unsent_bytes_[to->address];
    const std::size_t size =
        what.content.size() + tell_overhead_bytes_max(what.to.path, what.name) + frame_overhead_bytes_max;
    if (!state_->over->has_room(to->address, channel::actors, unsent + size)) {
      lose({what.to, dead_letter_reason::mailbox_full});
      return;
    }
    unsent += size;
  }
  core_->handle_tell(what.to, what.name, std::move(what.content));
}

void node_actor::handle(context& self, node_input::watch_far& what) {
  if (what.is_wanted) {
    core_->handle_watch(what.who, self.now());
  } else {
    core_->handle_unwatch(what.who, self.now());
  }
}

void node_actor::handle(context&, node_input::stop_far& what) { core_->handle_stop(what.which, what.when); }

void node_actor::handle(context& self, node_input::local_ended& what) {
  core_->handle_local_ended(what.which, self.now());
}

void node_actor::handle(context& self, node_input::run_here& what) {
  if (is_withdrawing_) return waiting_to_run_.push_back(std::move(what.what));
  what.what(*this);
  if (is_withdrawing_) self.self().tell(node_input::withdraw_more{});
}

void node_actor::handle(context& self, node_input::withdraw_more&) {
  withdraw_own();
  while (!is_withdrawing_ && !waiting_to_run_.empty()) {
    const auto next = std::move(waiting_to_run_.front());
    waiting_to_run_.pop_front();
    next(*this);
  }
  if (is_withdrawing_) self.self().tell(node_input::withdraw_more{});
}

void node_actor::handle(context&, node_input::own_changes& what) {
  if (is_withdrawing_) return waiting_to_run_.push_back(std::move(what.what));
  what.what(*this);
}

void node_actor::handle(context& self, node_input::show& what) {
  settle(self);
  what.to(*core_);
}

void node_actor::handle(context& self, node_input::subscription& what) {
  settle(self);
  const auto known = std::ranges::find(subscribers_, what.who);
  if (!what.is_wanted) {
    if (known != subscribers_.end()) {
      subscribers_.erase(known);
      self.unwatch(what.who);
    }
    return;
  }
  if (known != subscribers_.end()) {
    return;
  }
  subscribers_.push_back(what.who);
  what.who.tell(member_news{members_, {}});
  self.watch(what.who, node_input::subscription{what.who, false});
}

void node_actor::handle(context& self, node_input::gossip_interval& what) {
  core_->set_gossip_interval(what.wanted, self.now());
}

void node_actor::handle(context& self, node_input::leave& what) {
  if (has_left_) {
    if (what.when_left) {
      what.when_left();
    }
    return;
  }
  if (what.when_left) {
    when_left_.push_back(std::move(what.when_left));
  }
  core_->handle_leave(self.now());
}

void node_actor::handle(context& self, node_input::settle&) {
  is_settling_ = false;
  settle(self);
}

void node_actor::handle(context&, node_input::core_ended&) { end_ways_out(); }

void node_actor::handle(context& self, node_input::tick&) {
  armed_for_ = instant_never;
  core_->handle_tick(self.now());
}

// --- what the core wants ---

void node_actor::settle(context& self) {
  while (true) {
    ready effects = core_->poll_ready(self.now());
    if (effects.empty()) {
      break;
    }
    take(self, std::move(effects));
  }
  welcome_observers();
  arm(self);
}

void node_actor::take(context& self, ready effects) {
  if (effects.renamed) {
    system_.set_node(*effects.renamed);
  }
  for (const member_event& one : effects.events) {
    // Before anything is sent to a new member.
    if (one.kind == member_event_kind::up) {
      state_->over->expect(one.address, one.node.name);
    } else if (one.kind == member_event_kind::left || one.kind == member_event_kind::removed) {
      state_->over->expect(one.address, {});
    }
  }
  send(effects.frames);
  for (const delivery& one : effects.deliveries) {
    deliver(one);
  }
  for (const local_watch& one : effects.watches) {
    const auto whom = system_.resolve({core_->self(), one.whom.path, actor_incarnation{one.whom.incarnation}});
    if (!whom) {
      continue;
    }
    if (one.is_wanted) {
      self.watch(*whom, node_input::local_ended{one.whom});
    } else {
      self.unwatch(*whom);
    }
  }
  for (const local_stop& one : effects.stops) {
    // What belongs to the system is stopped by nobody but the system.
    if (!one.whom.path.starts_with("/user/")) {
      continue;
    }
    if (const auto whom = system_.resolve({core_->self(), one.whom.path, actor_incarnation{one.whom.incarnation}})) {
      system_.stop(*whom, one.when);
    }
  }
  for (const death_watch& one : effects.terminated) {
    one.terminated();
  }
  for (const lost_letter& one : effects.lost_letters) {
    lose(one);
  }
  for (const event& one : effects.log) {
    self.write(one);
  }
  publish(self, effects);
}

void node_actor::send(const std::vector<outgoing>& frames) {
  unsent_bytes_.clear();
  for (const outgoing& one : frames) {
    if (state_->over->send(one.address, one.on, one.content) == send_outcome::refused && one.told) {
      core_->handle_refused(*one.told);
    }
  }
}

void node_actor::deliver(const delivery& what) {
  const actor_address to{core_->self(), what.what.to.path, actor_incarnation{what.what.to.incarnation}};
  static const inbound_codecs none;
  const auto trouble = (codecs_ ? *codecs_ : none).deliver(system_, to, what.what.name, what.what.content);
  if (trouble) {
    core_->handle_undelivered(what, *trouble);
  }
}

void node_actor::publish(context& self, ready& effects) {
  if (effects.members_changed) {
    members_ = core_->members();
    open_ways(*members_);
    state_->members.with([&](auto& present) { present = members_; });
  }
  if (!effects.news.empty()) {
    // An observer may take itself out, or others, while it is told.
    const auto observers = observers_;
    for (const auto& one : observers) {
      one->handle_news(effects.news);
    }
  }
  if (effects.members_changed) {
    for (const auto& one : subscribers_) {
      one.tell(member_news{members_, effects.events});
    }
  }
  if (members_ && members_->phase == phase::ended && !has_left_) {
    has_left_ = true;
    // This may be the thread of somebody who brings a frame, for whom the transport would wait.
    self.self().tell(node_input::core_ended{});
  }
}

void node_actor::end_ways_out() {
  state_->over->stop();
  for (const auto& one : std::exchange(when_left_, {})) {
    one();
  }
}

void node_actor::welcome_observers() {
  for (auto& one : std::exchange(newcomers_, {})) {
    registration_news all;
    core_->registrations().for_each_origin([&](const gossip::origin_status& origin) {
      core_->registrations().for_each_registration(origin.origin.node,
                                                   [&](const gossip::shared_text& key, const gossip::entry& what) {
                                                     all.changes.push_back({key, origin.origin, what, false});
                                                   });
    });
    for (const member& other : members_->members) {
      if (!other.is_reachable) {
        all.nodes.push_back({other.node, registration_news::reach::unreachable});
      }
    }
    observers_.push_back(one);
    one->handle_news(all);
  }
}

void node_actor::open_ways(const member_snapshot& now) {
  state_->ways.with([&](auto& ways) {
    std::unordered_map<std::string, node_state::way> next;
    next.reserve(now.members.size());
    for (const member& one : now.members) {
      if (one.node == now.self) {
        continue;
      }
      const auto known = ways.find(one.node.name);
      const bool stays = known != ways.end() && known->second.incarnation == one.node.incarnation;
      next.emplace(one.node.name, stays ? known->second
                                        : node_state::way{one.node.incarnation, one.address,
                                                          std::make_shared<std::atomic<std::size_t>>(0)});
    }
    ways.swap(next);
  });
}

void node_actor::lose(const lost_letter& what) const {
  const actor_kernel::endpoint_ptr to{new far_target{system_.core(), what.to}};
  const actor_kernel::message_type type{kept_name(what.name), {}};
  system_.dead_letters().publish(actor_kernel::refs::any(to), type, what.why);
}

void node_actor::arm(context& self) {
  const instant due = core_->next_deadline();
  if (due == armed_for_) {
    return;
  }
  if (armed_for_ != instant_never) {
    self.cancel(timer_);
  }
  armed_for_ = due;
  if (due != instant_never) {
    timer_ = self.after(due - self.now(), node_input::tick{});
  }
}

// --- registrations ---

result<bool> node_actor::add(const gossip::shared_text& key, const gossip::entry& what) {
  return core_->add(key, what);
}
bool node_actor::remove(const gossip::shared_text& key, const gossip::entry& what) { return core_->remove(key, what); }

void node_actor::withdraw_own() {
  constexpr std::size_t in_one_turn_max = 1024;
  is_withdrawing_ = core_->remove_oldest(in_one_turn_max) > 0;
}

void node_actor::for_each_entry(
    std::string_view key, const std::function<void(const gossip::origin_id&, const gossip::entry&)>& visit) const {
  core_->registrations().for_each_entry(key, visit);
}

void node_actor::stop_observing(const registration_observer& who) {
  const auto is_it = [&](const auto& one) { return one.get() == &who; };
  std::erase_if(observers_, is_it);
  std::erase_if(newcomers_, is_it);
}

}  // namespace muster::cluster
