#include "apps/receptionist/console.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

#include <fmt/format.h>
#include <boost/json/array.hpp>

namespace muster::apps {
namespace {

namespace json = boost::json;
using echo_key = service_key<echo_message>;

constexpr std::chrono::seconds find_timeout{5};
/// After a leave, which is bounded itself, the end does not wait for ever either.
constexpr std::chrono::seconds end_timeout{10};
/// For answers to what was asked before the end.
constexpr std::chrono::seconds answers_timeout{2};
constexpr std::chrono::milliseconds lost_retry{100};
/// An event has to find room among others.
constexpr std::size_t keys_shown_max = 1000;

json::object member_fields(std::string_view status, const actor_node& node, std::string_view address) {
  json::object out;
  out["status"] = json::string_view{status.data(), status.size()};
  for (const auto& [key, value] : to_json(node)) out[key] = value;
  out["address"] = to_json_text(address);
  return out;
}

json::object key_and_ref(const any_key& key, const any_ref& ref) {
  json::object out;
  out["key"] = to_json_text(key.id());
  out["ref"] = to_json(ref.address());
  return out;
}

json::string_view literal(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

void console::on_start(context& self) {
  self_ = &self;
  self_node_ = how_->node->self();
  json::object fields = to_json(self_node_);
  fields["address"] = to_json_text(how_->node->address());
  show({"started", std::move(fields)});
  how_->system.dead_letters().subscribe(self.self());
  how_->node->subscribe(self.self());
}

void console::receive(context&, console_message message) {
  std::visit([this](auto&& one) { handle(std::forward<decltype(one)>(one)); }, std::move(message));
}

// --- what is shown ---

void console::show(const console_event& what) {
  if (has_ended_) return;
  if (lost_ > 0) show_lost_count();
  // Between what was left out and what comes after it stands how much that was.
  if (lost_ == 0 && how_->out->write(what, self_->now())) return;
  if (lost_++ == 0) self_->after(lost_retry, show_lost{});
}

void console::show_lost_count() {
  if (!how_->out->is_drained()) return;
  json::object fields;
  fields["count"] = lost_;
  if (how_->out->write({"lost", std::move(fields)}, self_->now())) lost_ = 0;
}

void console::handle(const show_lost&) {
  if (lost_ > 0) show_lost_count();
  if (lost_ > 0) self_->after(lost_retry, show_lost{});
}

void console::show_error(std::size_t line, std::string_view sentence) {
  json::object fields;
  if (line > 0) fields["line"] = line;
  fields["sentence"] = to_json_text(sentence);
  show({"error", std::move(fields)});
}

void console::show_listing(const any_listing& what, const json::object& head) {
  json::array refs;
  json::array all_refs;
  for (const auto& one : what.entries()) {
    json::object entry = to_json(one.ref.address());
    entry["type"] = to_json_text(one.type);
    if (one.is_reachable) refs.push_back(entry);
    all_refs.push_back(std::move(entry));
  }
  json::object fields;
  fields["key"] = to_json_text(what.key.id());
  for (const auto& [key, value] : head) fields[key] = value;
  fields["refs"] = std::move(refs);
  fields["all_refs"] = std::move(all_refs);
  show({"listing", std::move(fields)});
}

void console::show_rejection(const any_subscribe_rejected& what, const any_ref* subscriber) {
  json::object fields;
  fields["key"] = to_json_text(what.key.id());
  if (subscriber != nullptr) fields["subscriber"] = to_json(subscriber->address());
  fields["reason"] = literal(to_string(what.reason));
  fields["limit"] = what.limit;
  show({"rejected", std::move(fields)});
}

void console::show_member(std::string_view status, const actor_node& node, std::string_view address) {
  show({"member", member_fields(status, node, address)});
}

void console::show_left(std::string_view why) {
  if (std::exchange(has_left_, true)) return;
  json::object fields = to_json(self_node_);
  fields["asked"] = is_leaving_;
  if (!why.empty()) fields["sentence"] = to_json_text(why);
  show({"left", std::move(fields)});
}

// --- what others tell ---

void console::handle(console_line line) {
  if (is_ending_) return;
  if (line.is_too_long) return show_error(line.number, "the line is too long; 65536 bytes are allowed");
  auto parsed = parse_console_command(line.text);
  if (!parsed) return show_error(line.number, parsed.error().message);
  if (!*parsed) return;
  std::visit([&](const auto& command) { run(line.number, command); }, **parsed);
}

void console::handle(const end_console&) { begin_end({}); }

void console::handle(const output_broken& what) { begin_end({true, what.why}); }

void console::handle(const node_left&) {
  show_left({});
  if (is_ending_) finish();
}

void console::handle(const stats_taken& what) {
  json::object cluster;
  cluster["members"] = what.members;
  cluster["registrations"] = what.registrations_known;
  cluster["frames_received"] = what.cluster.frames_received;
  cluster["bytes_received"] = what.cluster.bytes_received;
  cluster["frames_sent"] = what.cluster.frames_sent;
  cluster["bytes_sent"] = what.cluster.bytes_sent;
  cluster["dropped"] = what.cluster.oversized + what.cluster.malformed + what.cluster.other_cluster +
                       what.cluster.impersonated + what.cluster.from_strangers;
  cluster["come_backs"] = what.cluster.come_backs;
  const auto counted = how_->desk.counters();
  json::object desk;
  desk["registered"] = counted.registered;
  desk["deregistered"] = counted.deregistered;
  desk["refused"] = counted.refused;
  desk["subscriptions_rejected"] = counted.subscriptions_rejected;
  desk["listings_told"] = counted.listings_told;
  desk["mismatched_types"] = counted.mismatched_types;
  json::object fields;
  fields["cluster"] = std::move(cluster);
  fields["receptionist"] = std::move(desk);
  fields["dead_letters"] = how_->system.dead_letters().count();
  fields["actors"] = how_->system.actor_count();
  show({"stats", std::move(fields)});
}

void console::handle(keys_taken what) {
  const std::size_t count = std::min(what.keys.size(), keys_shown_max);
  const auto end = what.keys.begin() + static_cast<std::ptrdiff_t>(count);
  std::ranges::partial_sort(what.keys, end, {}, &keys_taken::key::id);
  json::array keys;
  for (std::size_t i = 0; i < count; ++i) {
    json::object one;
    one["key"] = to_json_text(what.keys[i].id.view());
    one["registrations"] = what.keys[i].registrations;
    keys.push_back(std::move(one));
  }
  json::object fields;
  fields["count"] = what.keys.size();
  fields["keys"] = std::move(keys);
  fields["line"] = what.line;
  show({"keys", std::move(fields)});
}

void console::handle(const echo_received& what) {
  json::object fields;
  fields["ref"] = to_json(what.by.address());
  fields["from"] = to_json_text(what.what.from_node);
  fields["text"] = to_json_text(what.what.text);
  show({"received", std::move(fields)});
}

void console::handle(const echo_answer& what) {
  json::object fields;
  fields["ref"] = to_json(actor_address{.node = {what.node, node_incarnation{what.node_incarnation}},
                                        .path = what.path,
                                        .incarnation = actor_incarnation{what.incarnation}});
  fields["text"] = to_json_text(what.text);
  show({"echoed", std::move(fields)});
}

void console::handle(const any_listing& what) { show_listing(what, {{"answers", "subscribe"}}); }

void console::handle(const listing_heard& what) {
  show_listing(what.what, {{"answers", "subscribe"}, {"subscriber", to_json(what.by.address())}});
}

void console::handle(const any_subscribe_rejected& what) { show_rejection(what, nullptr); }

void console::handle(const rejection_heard& what) { show_rejection(what.what, &what.by); }

void console::handle(const receptionist::registered& what) {
  show({"registered", key_and_ref(what.key, what.ref)});
  if (echo_state* const of = echo_of(what.ref)) {
    --of->asked;
    of->has_been_registered = true;
  }
}

void console::handle(const receptionist::register_refused& what) {
  json::object fields = key_and_ref(what.key, what.ref);
  fields["reason"] = literal(to_string(what.reason));
  fields["sentence"] = to_json_text(what.sentence);
  show({"refused", std::move(fields)});
  echo_state* const of = echo_of(what.ref);
  if (of == nullptr || --of->asked > 0 || of->has_been_registered) return;
  // It was made to be registered, and is not: it would live on unknown to all.
  if (of->now == echo_state::life::running) stop(*of);
}

void console::handle(const receptionist::deregistered& what) {
  show({"deregistered", key_and_ref(what.key, what.ref)});
}

void console::handle(const terminated& what) {
  json::object fields;
  fields["ref"] = to_json(what.ref.address());
  show({"terminated", std::move(fields)});
  if (echo_state* const of = echo_of(what.ref)) {
    of->now = echo_state::life::stopped;
    for (const auto& [line, command] : std::exchange(of->waiting, {})) run(line, command);
  }
}

void console::handle(const cluster::member_news& what) {
  const auto& now = *what.now;
  if (now.self != self_node_ && now.phase != cluster::phase::ended) {
    self_node_ = now.self;
    show({"renamed", to_json(now.self)});
  }
  if (!std::exchange(has_members_, true)) {
    for (const auto& one : now.members) {
      if (one.node != now.self) show_member(one.is_reachable ? "up" : "unreachable", one.node, one.address);
    }
  }
  for (const auto& one : what.events) show_member(to_string(one.kind), one.node, one.address);
  if (std::exchange(phase_, now.phase) == now.phase) return;
  if (now.phase == cluster::phase::joined) {
    json::object fields = to_json(now.self);
    fields["members"] = now.members.size();
    show({"joined", std::move(fields)});
  }
  if (now.phase == cluster::phase::ended) {
    show_left(now.why_ended);
    // Who is put out of its cluster ends, so that whoever looks after it sees that.
    if (!is_leaving_) begin_end({true, fmt::format("this node had to leave its cluster: {}", now.why_ended)});
  }
}

void console::handle(const dead_letter& what) {
  json::object fields;
  fields["to"] = to_json(what.to.address());
  fields["type"] = to_json_text(what.type);
  fields["reason"] = literal(to_string(what.reason));
  show({"dead_letter", std::move(fields)});
}

// --- commands ---

console::echo_state* console::echo_of(const any_ref& ref) {
  constexpr std::string_view folder = "/user/";
  const std::string_view path{ref.path()};
  if (!path.starts_with(folder)) return nullptr;
  const auto found = echoes_.find(path.substr(folder.size()));
  // Another node may have one of that name, and so may have an earlier life of it here.
  return found != echoes_.end() && found->second.ref == ref ? &found->second : nullptr;
}

console::echo_state* console::find_running(std::size_t line, std::string_view command, const std::string& name) {
  const auto found = echoes_.find(name);
  if (found != echoes_.end() && found->second.now == echo_state::life::running) return &found->second;
  show_error(line, fmt::format("{}: no actor '{}' runs here; register makes one", command, name));
  return nullptr;
}

actor_ref<any_listing> console::find_subscriber(std::size_t line, std::string_view command,
                                                const std::optional<std::string>& name) {
  if (!name) return self_->self();
  const echo_state* const found = find_running(line, command, *name);
  return found != nullptr ? actor_ref<any_listing>{found->ref} : actor_ref<any_listing>{};
}

void console::stop(echo_state& which) {
  which.now = echo_state::life::stopping;
  self_->stop(which.ref);
}

bool console::spawn(const std::string& name, echo_state& into, std::size_t line) {
  auto made = how_->system.try_spawn<echo_actor>(spawn_options{.name = name}, actor_ref<echo_news>{self_->self()});
  if (!made) {
    show_error(line, made.error().message);
    return false;
  }
  into.ref = *made;
  into.now = echo_state::life::running;
  self_->watch(into.ref);
  return true;
}

void console::run(std::size_t line, const register_actor& what) {
  auto found = echoes_.find(what.name);
  if (found != echoes_.end() && found->second.now == echo_state::life::stopping) {
    found->second.waiting.emplace_back(line, what);
    return;
  }
  if (found == echoes_.end() || found->second.now == echo_state::life::stopped) {
    echo_state made;
    if (!spawn(what.name, made, line)) return;
    found = echoes_.insert_or_assign(what.name, std::move(made)).first;
  }
  ++found->second.asked;
  receptionist::register_ request{echo_key{what.key}, found->second.ref, self_->self()};
  how_->desk.tell(what.keeps ? std::move(request) : std::move(request).while_alive());
}

void console::run(std::size_t line, const deregister_actor& what) {
  const auto found = echoes_.find(what.name);
  if (found == echoes_.end()) {
    return show_error(line, fmt::format("deregister: no actor '{}' was made here; register makes one", what.name));
  }
  how_->desk.tell(receptionist::deregister{any_key{what.key}, found->second.ref, self_->self()});
}

void console::run(std::size_t line, const stop_actor& what) {
  if (echo_state* const found = find_running(line, "stop", what.name)) stop(*found);
}

void console::find(std::size_t line, const std::string& key, found_listing then) {
  self_->ask<any_listing>(
      how_->desk.ref(),
      [&](auto reply_to) {
        return receptionist::find{any_key{key}, reply_to};
      },
      find_timeout,
      [this, line, then = std::move(then)](const result<any_listing>& got) {
        if (got) {
          then(*got);
        } else {
          show_error(line, got.error().message);
        }
      });
}

void console::run(std::size_t line, const find_key& what) {
  find(line, what.key, [this, line](const any_listing& found) {
    show_listing(found, {{"answers", "find"}, {"line", line}});
  });
}

void console::run(std::size_t line, const subscribe_key& what) {
  const auto who = find_subscriber(line, "subscribe", what.name);
  if (who) how_->desk.tell(receptionist::subscribe{any_key{what.key}, who});
}

void console::run(std::size_t line, const unsubscribe_key& what) {
  const auto who = find_subscriber(line, "unsubscribe", what.name);
  if (!who) return;
  how_->desk.tell(receptionist::unsubscribe{any_key{what.key}, who});
  json::object fields;
  fields["key"] = to_json_text(what.key);
  if (what.name) fields["subscriber"] = to_json(who.address());
  fields["line"] = line;
  show({"unsubscribed", std::move(fields)});
}

void console::run(std::size_t line, const send_text& what) {
  find(line, what.key, [this, line, what](const any_listing& found) {
    // Others would take its bytes for something else.
    const auto takers = found.as<echo_message>();
    for (const auto& ref : takers.refs) ref.tell(echo_message{what.text, self_node_.name, self_->self()});
    json::object fields;
    fields["key"] = to_json_text(what.key);
    fields["count"] = takers.refs.size();
    if (const auto others = found.size() - takers.all_refs.size(); others > 0) fields["left_out"] = others;
    fields["line"] = line;
    show({"sent", std::move(fields)});
  });
}

void console::run(std::size_t line, const watch_key& what) {
  find(line, what.key, [this, line, what](const any_listing& found) {
    for (const auto& one : found.entries()) self_->watch(one.ref);
    json::object fields;
    fields["key"] = to_json_text(what.key);
    fields["count"] = found.size();
    fields["line"] = line;
    show({"watching", std::move(fields)});
  });
}

void console::run(std::size_t line, const show_keys& what) {
  how_->node->inspect([to = self_->self(), line, prefix = what.prefix](const cluster::node_core& node) {
    keys_taken out{line, {}};
    node.registrations().for_each_key([&](const gossip::shared_text& key, std::size_t registrations) {
      if (key.view().starts_with(prefix)) out.keys.push_back({key, registrations});
    });
    to.tell(console_message{std::move(out)});
  });
}

void console::run(std::size_t line, const show_members&) {
  const auto now = how_->node->members();
  json::array members;
  for (const auto& one : now->members) {
    members.push_back(member_fields(one.is_reachable ? "up" : "unreachable", one.node, one.address));
  }
  json::object fields;
  fields["line"] = line;
  fields["self"] = to_json(now->self);
  fields["phase"] = literal(to_string(now->phase));
  fields["members"] = std::move(members);
  show({"members", std::move(fields)});
}

void console::run(std::size_t, const show_stats&) {
  how_->node->inspect([to = self_->self()](const cluster::node_core& node) {
    to.tell(stats_taken{.cluster = node.counted(),
                        .members = node.members()->members.size(),
                        .registrations_known = node.registrations().registration_count()});
  });
}

void console::run(std::size_t line, const leave_cluster&) {
  if (has_left_) return show_error(line, "leave: this node has left already");
  is_leaving_ = true;
  how_->node->leave([to = self_->self()] { to.tell(node_left{}); });
}

void console::run(std::size_t, const quit_console&) { begin_end({}); }

void console::run(std::size_t line, const show_commands&) {
  json::object fields;
  fields["text"] = to_json_text(console_commands_text());
  fields["line"] = line;
  show({"help", std::move(fields)});
}

// --- the end ---

void console::begin_end(console_end how) {
  if (std::exchange(is_ending_, true)) return;
  end_ = std::move(how);
  if (has_left_) return finish();
  is_leaving_ = true;
  self_->after(end_timeout, node_left{});
  // Behind what the receptionist was told before, so that its answers are shown before the end.
  self_->ask<any_listing>(
      how_->desk.ref(),
      [](auto reply_to) {
        return receptionist::find{any_key{}, reply_to};
      },
      answers_timeout,
      [this](const result<any_listing>&) { how_->node->leave([to = self_->self()] { to.tell(node_left{}); }); });
}

void console::finish() {
  if (has_ended_) return;
  if (lost_ > 0) show_lost_count();
  has_ended_ = true;
  how_->on_end(end_);
}

}  // namespace muster::apps
