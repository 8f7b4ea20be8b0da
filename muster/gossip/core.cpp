#include "muster/gossip/core.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "muster/gossip/core_state.hpp"

namespace muster::gossip {

core::state::state(const options& how, origin_id self, prng& random, instant now)
    : how_{how}, self_{std::move(self)}, random_{random}, table_{how_}, frozen_{how_}, assemblies_{how_} {
  table_.open(self_);
  // Nodes that start together do not compare together.
  next_comparison_ =
      now +
      duration{static_cast<duration::rep>(random_.below(static_cast<std::uint64_t>(how_.gossip_interval.count())))};
}

// --- this node's registrations ---

result<bool> core::state::add(const shared_text& key, const entry& what) {
  if (key.empty() || what.path.empty()) {
    return fail(errc::invalid_argument, "a registration needs a key and a path; the {} is empty",
                key.empty() ? "key" : "path");
  }
  origin_record& own = *table_.find(self_.node);
  if (table_.holds(own, key.view(), what)) {
    return false;
  }
  if (std::string objection = table_.objection_to(own, key.view(), what); !objection.empty()) {
    return fail(errc::limit_exceeded, "{}", objection);
  }
  operation change{{key, what}, false};
  const mark& after = table_.make(own, change);
  own_news_.push_back({std::move(change), after});
  return true;
}

bool core::state::remove(const shared_text& key, const entry& what) {
  origin_record& own = *table_.find(self_.node);
  if (!table_.holds(own, key.view(), what)) {
    return false;
  }
  operation change{{key, what}, true};
  const mark& after = table_.make(own, change);
  own_news_.push_back({std::move(change), after});
  return true;
}

std::size_t core::state::remove_oldest(std::size_t most) {
  const origin_record& own = *table_.find(self_.node);
  for (; most > 0 && own.held.count > 0; --most) {
    const registration_table::slot& oldest = table_.registrations().at(own.held.first);
    (void)remove(shared_text{oldest.key}, entry{oldest.what});
  }
  return own.held.count;
}

result<void> core::state::reincarnate(incarnation next) {
  const incarnation above = std::max(self_.life, refused_above_);
  if (next <= above) {
    return fail(errc::invalid_argument, "the next incarnation of {} is {}; it must be above {}", self_.node, next,
                above);
  }
  std::vector<registration> kept;
  table_.registrations().for_each_of(table_.find(self_.node)->held, [&](const registration_table::slot& slot) {
    kept.push_back({slot.key, slot.what});
  });
  drop_origin(self_.node);
  self_.life = next;
  own_news_.clear();
  forgotten_self_.reset();
  // Else a node that was cut off for long, and has removed all others, would make each of them come back as well.
  members_.refuse_nobody();
  refused_members_.clear();
  origin_record& own = table_.open(self_);
  for (registration& one : kept) {
    operation change{std::move(one), false};
    const mark& after = table_.make(own, change);
    own_news_.push_back({std::move(change), after});
  }
  return {};
}

// --- members ---

void core::state::handle_member_up(const origin_id& who, instant now) {
  if (is_self(who.node)) {
    judge_own(who, who, version{0}, false);
    return;
  }
  if (members_.is_forgotten(who)) {
    send(who, forgotten{members_.forgotten_of(who.node)});
    refused_members_.insert_or_assign(who.node, who.life);
    tell(event_kind::forgotten_came_back, who,
         fmt::format("{} was announced as a member, and was forgotten before: it is told to take a new incarnation",
                     who),
         now);
    return;
  }
  refused_members_.erase(who.node);
  const std::optional<incarnation> present = members_.life_of(who.node);
  if (present && *present > who.life) {
    return;
  }
  if (present && *present < who.life) {
    const origin_id older{who.node, *present};
    supersede(older, who, now);
    assemblies_.drop_from(older);
    members_.forget(older, now, now + how_.forgotten_horizon, how_.forgotten_max);
  }
  const bool was_up = members_.is_up(who);
  members_.set_up(who);
  if (was_up) {
    return;
  }
  if (members_.up_count() <= how_.push_peers_max) {
    send(who, greeting{table_.find(self_.node)->now, true});
  }
  if (members_.up_count() == 1) {
    compare_with(who);
  }
}

void core::state::handle_member_unreachable(const origin_id& who) {
  members_.set_unreachable(who);
  refuse_no_more(who);
  assemblies_.drop_from(who);
}

void core::state::forget(const origin_id& who, instant now) {
  if (is_self(who.node)) {
    judge_own(who, who, version{0}, true);
    return;
  }
  members_.forget(who, now, now + how_.forgotten_horizon, how_.forgotten_max);
  refuse_no_more(who);
  const std::optional<incarnation> present = members_.life_of(who.node);
  if (!present || *present > who.life) {
    return;
  }
  const origin_record* const known = table_.find(who.node);
  tell(event_kind::origin_forgotten, who,
       fmt::format("{} was removed, and its {} registrations went", who, known == nullptr ? 0 : known->held.count),
       now);
  drop_origin(who.node);
  assemblies_.drop_from({who.node, *present});
  members_.remove(who.node);
}

void core::state::let_go(const origin_id& who) {
  refuse_no_more(who);
  if (members_.contains(who)) {
    drop_origin(who.node);
    assemblies_.drop_from(who);
    members_.remove(who.node);
  }
}

// --- messages and time ---

void core::state::handle_message(const origin_id& from, const message& what, instant now) {
  ++counters_.messages_received;
  if (!members_.contains(from)) {
    // Two nodes may have forgotten each other: to answer a refusal with a refusal would go on for ever, and to pass
    // over it would leave both as they are.
    if (const auto* const refused = std::get_if<forgotten>(&what)) {
      handle(from, *refused, now);
      return;
    }
    ++counters_.messages_dropped;
    if (members_.is_forgotten(from)) {
      send(from, forgotten{members_.forgotten_of(from.node)});
      tell(event_kind::forgotten_came_back, from,
           fmt::format("{} sent a message, and was forgotten before: it is told to take a new incarnation", from), now);
    }
    return;
  }
  std::visit([&](const auto& one) { handle(from, one, now); }, what);
}

void core::state::handle_tick(instant now) {
  std::vector<assemblies::given_up> given_up;
  for (assemblies::request& one : assemblies_.ask_again(now, given_up)) {
    send(one.to, std::move(one.what));
  }
  for (const assemblies::given_up& one : given_up) {
    tell(event_kind::transfer_failed, one.origin,
         fmt::format("the registrations of {} stopped coming from {}", one.origin, one.source), now);
  }
  if (now < next_comparison_) {
    return;
  }
  members_.expire(now);
  frozen_.expire(now);
  std::erase_if(asked_, [&](const auto& one) { return one.second <= now; });
  remind_refused_members(now);
  heal(now);
  if (const auto peer = members_.pick(1, random_, self_, self_); !peer.empty()) {
    compare_with(peer.front());
  }
  // A tenth more or less keeps nodes from falling into step.
  const auto interval = static_cast<std::uint64_t>(how_.gossip_interval.count());
  next_comparison_ =
      now + duration{static_cast<duration::rep>(interval - interval / 10 + random_.below(interval / 5 + 1))};
}

void core::state::set_gossip_interval(duration wanted, instant now) {
  how_.gossip_interval = wanted;
  next_comparison_ = std::min(next_comparison_, now + wanted);
}

instant core::state::next_deadline() const { return std::min(next_comparison_, assemblies_.next_deadline()); }

ready core::state::poll_ready() {
  ready out;
  out.changes = table_.changes().take();
  // News first: a greeting that follows them asks for nothing.
  push_own(out);
  pass_on(out);
  std::ranges::move(std::exchange(sent_, {}), std::back_inserter(out.messages));
  open_answer_bytes_ = 0;
  for (auto& [to, lines] : std::exchange(wants_, {})) {
    constexpr std::size_t lines_in_a_message_max = 256;
    for (std::size_t i = 0; i < lines.size(); i += lines_in_a_message_max) {
      const std::size_t end = std::min(lines.size(), i + lines_in_a_message_max);
      out.messages.push_back(
          {{to},
           want{{lines.begin() + static_cast<std::ptrdiff_t>(i), lines.begin() + static_cast<std::ptrdiff_t>(end)}}});
    }
  }
  out.forgotten_self = std::exchange(forgotten_self_, std::nullopt);
  out.events = std::exchange(events_, {});
  return out;
}

gossip::counters core::state::counted() const {
  gossip::counters out = counters_;
  out.registrations_left_out = table_.left_out_total();
  return out;
}

// --- the core ---

result<std::unique_ptr<core>> core::make(const options& how, origin_id self, prng& random, instant now) {
  if (auto sound = how.check(); !sound) {
    return fail(std::move(sound).error());
  }
  if (self.node.value().empty() || self.node.value().size() > how.node_bytes_max) {
    return fail(errc::invalid_argument, "the node's name has {} bytes; allowed are 1 to {}", self.node.value().size(),
                how.node_bytes_max);
  }
  if (self.life == incarnation{0}) {
    return fail(errc::invalid_argument, "the incarnation of {} is 0; it must be above", self.node);
  }
  return std::unique_ptr<core>{new core{std::make_unique<state>(how, std::move(self), random, now)}};
}

core::core(std::unique_ptr<state> inner) noexcept : state_{std::move(inner)} {}
core::~core() = default;

result<bool> core::add(const shared_text& key, const entry& what) { return state_->add(key, what); }
bool core::remove(const shared_text& key, const entry& what) { return state_->remove(key, what); }
std::size_t core::remove_oldest(std::size_t most) { return state_->remove_oldest(most); }
result<void> core::reincarnate(incarnation next) { return state_->reincarnate(next); }

void core::handle_member_up(const origin_id& who, instant now) { state_->handle_member_up(who, now); }
void core::handle_member_unreachable(const origin_id& who) { state_->handle_member_unreachable(who); }
void core::forget(const origin_id& who, instant now) { state_->forget(who, now); }
void core::let_go(const origin_id& who) { state_->let_go(who); }

void core::handle_message(const origin_id& from, const message& what, instant now) {
  state_->handle_message(from, what, now);
}
void core::handle_tick(instant now) { state_->handle_tick(now); }
void core::set_gossip_interval(duration wanted, instant now) { state_->set_gossip_interval(wanted, now); }
instant core::next_deadline() const { return state_->next_deadline(); }
ready core::poll_ready() { return state_->poll_ready(); }

const origin_id& core::self() const noexcept { return state_->self(); }

void core::for_each_entry(std::string_view key,
                          const std::function<void(const origin_id&, const entry&)>& visit) const {
  const origin_table& table = state_->table();
  table.registrations().for_each_of_key(
      key, [&](const registration_table::slot& slot) { visit(table.owner_of(slot).id, slot.what); });
}

std::size_t core::entry_count(std::string_view key) const { return state_->table().registrations().count_of(key); }

void core::for_each_key(const std::function<void(const shared_text&, std::size_t)>& visit) const {
  state_->table().registrations().for_each_key(visit);
}

std::size_t core::key_count() const noexcept { return state_->table().registrations().key_count(); }
std::size_t core::registration_count() const noexcept { return state_->table().registrations().size(); }

void core::for_each_registration(const node_id& node,
                                 const std::function<void(const shared_text&, const entry&)>& visit) const {
  if (const origin_record* const origin = state_->table().find(node)) {
    state_->table().registrations().for_each_of(
        origin->held, [&](const registration_table::slot& slot) { visit(slot.key, slot.what); });
  }
}

std::optional<origin_status> core::status_of(const node_id& node) const {
  const origin_record* const one = state_->table().find(node);
  return one == nullptr || one->now.at == version{0}
             ? std::nullopt
             : std::optional{origin_status{one->id, one->now.at, one->held.count, one->complete}};
}

void core::for_each_origin(const std::function<void(const origin_status&)>& visit) const {
  for (const origin_record* const one : state_->table().between(place{0}, place{~std::uint64_t{0}})) {
    if (one->now.at > version{0}) {
      visit({one->id, one->now.at, one->held.count, one->complete});
    }
  }
}

std::uint64_t core::root_hash() const noexcept { return state_->table().root_hash(); }
gossip::counters core::counters() const { return state_->counted(); }

}  // namespace muster::gossip
