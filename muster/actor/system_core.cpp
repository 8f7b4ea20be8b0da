#include "muster/actor/system_core.hpp"

#include <algorithm>
#include <utility>

namespace muster::actor_kernel {

system_core::system_core(options how, actor_executor& on)
    : options_{std::move(how)}, executor_{on}, letters_{options_.letters}, timers_{std::make_shared<timer_queue>(on)} {
  set_node(options_.node);
  log_.with([&](event_log*& log) { log = options_.log; });
}

void system_core::write(const event& what) {
  log_.with([&](event_log* log) {
    if (log != nullptr && log->wants(what.level)) log->write(what);
  });
}

actor_node system_core::node() const {
  return node_.with([](const actor_node& node) { return node; });
}

void system_core::set_node(actor_node node) {
  node_.with([&](actor_node& present) { present = std::move(node); });
}

std::shared_ptr<remote_route> system_core::route() const {
  return route_.with([](const auto& route) { return route; });
}

void system_core::set_route(std::shared_ptr<remote_route> route) {
  // The former one may end with this call, which is not to happen under the lock.
  route_.with([&](auto& present) { present.swap(route); });
}

// --- the directory ---

result<void> system_core::add(const boost::intrusive_ptr<cell>& which) {
  return directory_.with([&](directory& all) -> result<void> {
    if (all.now == phase::stopped || (all.now != phase::running && which->at() != cell::level::child)) {
      return fail(errc::unavailable, "the actor system '{}' is stopping and takes no more actors", options_.name);
    }
    if (!all.by_path.emplace(which->path(), which).second) {
      return fail(errc::already_exists, "an actor lives at {} already", which->path());
    }
    const auto number = which->incarnation().value();
    if (which->at() == cell::level::user) all.user.emplace(number, which.get());
    if (which->at() == cell::level::system) all.system.emplace(number, which.get());
    return {};
  });
}

void system_core::forget(const cell& which) {
  directory_.with([&](directory& all) { all.by_path.erase(which.path()); });
}

void system_core::handle_ended(const cell& which) {
  if (which.at() == cell::level::child) return;
  take(directory_.with([&](directory& all) {
    const auto number = which.incarnation().value();
    all.user.erase(number);
    all.system.erase(number);
    return advance(all);
  }));
}

bool system_core::add_question(boost::intrusive_ptr<question> which) {
  return directory_.with([&](directory& all) {
    if (all.now == phase::stopped) return false;
    const auto number = which->incarnation().value();
    all.questions.emplace(number, std::move(which));
    return true;
  });
}

void system_core::forget_question(const endpoint& which) {
  boost::intrusive_ptr<question> forgotten;
  directory_.with([&](directory& all) {
    const auto found = all.questions.find(which.incarnation().value());
    if (found == all.questions.end()) return;
    forgotten = std::move(found->second);
    all.questions.erase(found);
  });
}

endpoint_ptr system_core::find(std::string_view path, actor_incarnation incarnation) const {
  return directory_.with([&](const directory& all) -> endpoint_ptr {
    if (const auto found = all.by_path.find(path); found != all.by_path.end()) {
      return found->second->incarnation() == incarnation ? found->second : nullptr;
    }
    const auto asked = all.questions.find(incarnation.value());
    return asked != all.questions.end() && asked->second->path() == path ? asked->second : nullptr;
  });
}

endpoint_ptr system_core::find(std::string_view path) const {
  return directory_.with([&](const directory& all) -> endpoint_ptr {
    const auto found = all.by_path.find(path);
    return found != all.by_path.end() ? found->second : nullptr;
  });
}

std::size_t system_core::actor_count() const {
  return directory_.with([](const directory& all) { return all.by_path.size(); });
}

// --- the end ---

system_core::step system_core::advance(directory& all) {
  if (all.now == phase::stopping_user && all.user.empty()) all.now = phase::stopping_system;
  if (all.now != phase::stopping_system) return {};
  if (all.system.empty()) {
    if (!all.user.empty()) return {};  // busy ones that were left behind
    all.now = phase::stopped;
    return {.stop = {}, .over = true};
  }
  // The one that came last may need those before it until its end.
  const auto& [number, newest] = *all.system.rbegin();
  if (std::exchange(all.awaited, number) == number) return {};
  return {.stop = {endpoint_ptr{newest}}, .when = all.manner};
}

void system_core::take(const step& next) {
  for (const auto& whom : next.stop) {
    whom->handle_stop(next.when);
  }
  if (next.over) finish();
}

void system_core::begin_shutdown() {
  take(directory_.with([](directory& all) {
    if (all.now != phase::running) return step{};
    all.now = phase::stopping_user;
    if (all.user.empty()) return advance(all);
    step next;
    for (const auto& [number, one] : all.user) {
      next.stop.emplace_back(one);
    }
    return next;
  }));
}

result<void> system_core::shutdown(duration bound) {
  const instant begin = executor_.now();
  begin_shutdown();
  if (executor_.wait(stopped_, due_after(begin, bound / 10 * 9))) return {};
  hurry();
  if (executor_.wait(stopped_, due_after(begin, bound / 20 * 19))) return {};
  leave_behind();
  if (executor_.wait(stopped_, due_after(begin, bound))) return {};
  return give_up(bound);
}

void system_core::leave_behind() {
  take(directory_.with([](directory& all) {
    if (all.now == phase::stopping_user) all.now = phase::stopping_system;
    return advance(all);
  }));
}

void system_core::hurry() {
  take(directory_.with([](directory& all) {
    all.manner = stop_when::now;
    const std::string_view under = all.now == phase::stopping_user ? "/user/" : "/";
    step next{.stop = {}, .when = stop_when::now};
    for (const auto& [path, one] : all.by_path) {
      if (path.starts_with(under)) next.stop.emplace_back(one);
    }
    return next;
  }));
}

result<void> system_core::give_up(duration bound) {
  bool finished_meanwhile = false;
  std::vector<boost::intrusive_ptr<cell>> busy;
  directory_.with([&](directory& all) {
    finished_meanwhile = std::exchange(all.now, phase::stopped) == phase::stopped;
    for (const auto& [path, one] : all.by_path) {
      busy.push_back(one);
    }
  });
  if (finished_meanwhile) return {};
  std::sort(busy.begin(), busy.end(), [](const auto& a, const auto& b) { return a->path() < b->path(); });
  std::string names;
  constexpr std::size_t named_max = 10;
  for (std::size_t i = 0; i < std::min(busy.size(), named_max); ++i) {
    names += (i == 0 ? "" : ", ") + busy[i]->path();
  }
  if (busy.size() > named_max) names += ", ...";
  error late{errc::timed_out,
             fmt::format("of the actors of '{}' {} did not stop within {} ms: {}", options_.name, busy.size(),
                         std::chrono::duration_cast<std::chrono::milliseconds>(bound).count(), names)};
  write(event{severity::error, "actors_given_up"}.with("system", options_.name).with("actors", names));
  for (const auto& one : busy) {
    one->give_up();
  }
  finish();
  return fail(std::move(late));
}

void system_core::finish() {
  timers_->close();
  std::map<std::uint64_t, boost::intrusive_ptr<question>> unanswered;
  directory_.with([&](directory& all) { unanswered.swap(all.questions); });
  for (const auto& [number, one] : unanswered) {
    one->handle_system_stopped();
  }
  set_route(nullptr);
  letters_.close();
  log_.with([](event_log*& log) { log = nullptr; });
  stopped_.store(true, std::memory_order_release);
  executor_.notify();
}

}  // namespace muster::actor_kernel
