#include "muster/cluster/node.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "muster/base/duration_text.hpp"
#include "muster/cluster/frame.hpp"
#include "muster/cluster/node_actor.hpp"
#include "muster/cluster/node_core.hpp"
#include "muster/cluster/node_state.hpp"
#include "muster/cluster/route.hpp"

namespace muster::cluster {

actor_node node::self() const { return members()->self; }

const std::string& node::address() const noexcept { return state_->address; }

std::shared_ptr<const member_snapshot> node::members() const {
  return state_->members.with([](const auto& present) { return present; });
}

void node::subscribe(actor_ref<member_news> who) const {
  (void)state_->tell(node_input::subscription{std::move(who), true});
}

void node::unsubscribe(const actor_ref<member_news>& who) const {
  (void)state_->tell(node_input::subscription{who, false});
}

void node::leave(std::function<void()> when_left) const {
  if (!state_->tell(node_input::leave{when_left}) && when_left) {
    when_left();
  }
}

void node::post(std::function<void(registrations&)> what) const {
  (void)state_->tell(node_input::run_here{std::move(what)});
}

void node::change(std::function<void(registrations&)> what) const {
  (void)state_->tell(node_input::own_changes{std::move(what)});
}

void node::inspect(std::function<void(const node_core&)> what) const {
  (void)state_->tell(node_input::show{std::move(what)});
}

const gossip::options& node::bounds() const noexcept { return state_->bounds; }

duration node::gossip_interval() const noexcept {
  return duration{state_->gossip_interval.load(std::memory_order_relaxed)};
}

result<void> node::set_gossip_interval(duration wanted) const {
  const auto ms = [](duration time) { return std::chrono::duration_cast<std::chrono::milliseconds>(time).count(); };
  const duration given = state_->bounds.gossip_interval;
  if (given != wanted && given != gossip::options{}.gossip_interval) {
    return fail(errc::conflict,
                "the gossip interval is to be {} ms, but the node '{}' was given {} ms when it joined: give it one of "
                "the two only",
                ms(wanted), self().name, ms(given));
  }
  // What gossip forgets later than membership would be refused by one of the two alone.
  if (wanted > state_->gossip_interval_max) {
    return fail(errc::invalid_argument,
                "cluster.receptionist.gossip-interval is {}; allowed is 1ms to {} (a twelfth of "
                "cluster.removed-horizon, or 1s where that is more)",
                to_duration_text(wanted), to_duration_text(state_->gossip_interval_max));
  }
  gossip::options checked = state_->bounds;
  checked.gossip_interval = wanted;
  if (auto sound = checked.check(); !sound) {
    return sound;
  }
  state_->gossip_interval.store(wanted.count(), std::memory_order_relaxed);
  (void)state_->tell(node_input::gossip_interval{wanted});
  return {};
}

result<std::shared_ptr<node>> try_join(actor_system& system, options how, attachment by) {
  if (by.over == nullptr) {
    return fail(errc::invalid_argument, "the node of '{}' has no transport to reach others by", system.name());
  }
  if (how.name.empty()) how.name = system.node().name;
  if (how.cluster.empty()) how.cluster = system.name();
  if (auto sound = validate(how); !sound) {
    return fail(std::move(sound).error());
  }

  auto state = std::make_shared<node_state>();
  state->over = by.over;
  state->frame_bytes_max = how.frame_bytes_max;
  state->waiting_bytes_max = how.waiting_bytes_max;
  state->arrived_bytes_max = how.arrived_bytes_max;
  state->gossip_interval_max = std::max(gossip::options{}.gossip_interval, how.membership.removed_horizon / 12);
  state->urgent_frame_bytes_max = how.membership.message_bytes_max + frame_overhead_bytes_max;
  auto address = by.over->start(std::make_shared<frame_inlet>(state));
  if (!address) {
    return fail(std::move(address).error());
  }
  state->address = *std::move(address);

  node_parts parts;
  parts.random = std::make_unique<prng>(by.seed);
  auto core = node_core::make(std::move(how), state->address, by.wall_clock_ms, *parts.random, system.now());
  if (!core) {
    by.over->stop();
    return fail(std::move(core).error());
  }
  parts.core = *std::move(core);
  state->bounds = parts.core->gossip_options();
  state->gossip_interval.store(state->bounds.gossip_interval.count(), std::memory_order_relaxed);
  // Known by its name from the first moment on.
  const auto members = parts.core->members();
  const actor_node before = system.node();
  system.set_node(members->self);
  state->members.with([&](auto& present) { present = members; });

  auto made = system.try_spawn_system<node_actor>({.name = "cluster/node", .is_brief = true}, std::ref(system), state,
                                                  std::move(by.codecs), std::move(parts));
  if (!made) {
    by.over->stop();
    system.set_node(before);
    return fail(std::move(made).error());
  }
  state->actor.with([&](auto& ref) { ref = *made; });
  (void)state->tell(node_input::look_up{});  // at what came before there was somebody to be told
  system.set_route(std::make_shared<route>(state));
  return std::make_shared<node>(std::move(state));
}

std::shared_ptr<node> join(actor_system& system, options how, attachment by) {
  auto joined = try_join(system, std::move(how), std::move(by));
  if (!joined) throw refused{std::move(joined).error()};
  return *std::move(joined);
}

}  // namespace muster::cluster
