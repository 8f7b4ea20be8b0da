#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "apps/receptionist/console.hpp"
#include "apps/receptionist/console_output.hpp"
#include "apps/verbs.hpp"
#include "muster/config/receptionist_command_line.hpp"
#include "muster/config/registry_settings.hpp"
#include "muster/ice/properties.hpp"
#include "muster/os/actor_pool.hpp"
#include "muster/os/clock.hpp"
#include "muster/os/configuration_file.hpp"
#include "muster/os/line_reader.hpp"
#include "muster/os/log.hpp"
#include "muster/os/signals.hpp"
#include "muster/runtime/join.hpp"

namespace muster::apps {
namespace {

constexpr std::string_view program = "muster receptionist";
/// The actor system's name, and so the cluster's where no property gives another one.
constexpr const char* system_name = "muster";
constexpr std::chrono::seconds shutdown_timeout{5};
constexpr std::chrono::seconds drain_timeout{2};

/// What is set where: the file of --config, over it files in Ice's own form, over both the command line.
result<config::property_map> all_properties(const config::receptionist_command_line& line) {
  config::property_map all;
  if (line.file) {
    auto read = os::read_configuration(*line.file);
    if (!read) return fail(std::move(read).error());
    all = std::move(*read);
  }
  auto over = ice::load_properties(line.properties);
  if (!over) return fail(std::move(over).error());
  for (auto& [name, value] : *over) all.insert_or_assign(name, std::move(value));
  return config::complete_receptionist_properties(std::move(all), line);
}

bool shows_colours() { return ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr; }

/// Everything is put together in the order of the variables, and taken apart in the reverse order.
result<console_end> run_node(const config::property_map& properties, bool writes_json, event_log& log) {
  auto pool = os::actor_pool::make({});
  if (!pool) return fail(std::move(pool).error());
  auto out = console_output::open(
      {.writes_json = writes_json, .style = {.began = os::now(), .has_colours = !writes_json && shows_colours()}});
  if (!out) return fail(std::move(out).error());

  // Declared before the system: its actors keep it until they have ended.
  std::promise<console_end> ending;
  actor_system system{system_name, {.runs_on = *pool, .log = &log, .shutdown_timeout = shutdown_timeout}};
  auto joined = cluster::try_join(system, {.properties = properties});
  if (!joined) return fail(std::move(joined).error());
  auto desk = receptionist::try_start(system, *joined, receptionist::options{}.configuration(properties));
  if (!desk) return fail(std::move(desk).error());

  const std::shared_ptr<const console_options> how{new console_options{
      .system = system, .desk = *desk, .node = *joined, .out = *out, .on_end = [&](console_end end) {
        ending.set_value(std::move(end));
      }}};
  auto user = system.try_spawn_system<console>(spawn_options{.name = "console"}, how);
  if (!user) return fail(std::move(user).error());
  (*out)->attach(*user);

  const actor_ref<console_message> to = *user;
  auto signals =
      os::signal_listener::start({SIGINT, SIGTERM, SIGHUP}, [to](int) { to.tell(console_message{end_console{}}); });
  if (!signals) return fail(std::move(signals).error());
  auto input = os::line_reader::start(
      {.fd = STDIN_FILENO,
       .on_line =
           [to](os::line_reader::line line) {
             to.tell(console_line{line.number, std::move(line.text), line.is_too_long, std::move(line.held)});
           },
       .on_end = [to] { to.tell(console_message{end_console{}}); }});
  if (!input) return fail(std::move(input).error());

  auto end = ending.get_future().get();
  input->reset();
  // The node has left: what its actors still tell each other while they stop is of interest to nobody.
  system.dead_letters().close();
  if (const auto stopped = system.shutdown(shutdown_timeout); !stopped) {
    log.write(event{severity::warning, "stop_overdue"}.with("message", stopped.error().message));
  }
  (void)(*out)->drain(drain_timeout);
  return end;
}

}  // namespace

int run(const config::run_receptionist& what) {
  const auto refuse = [](const error& cause) {
    print_error(program, cause.message);
    return 1;
  };
  const auto line = config::parse_receptionist_command_line(program, what.arguments);
  if (!line) return refuse(line.error());
  using action = config::receptionist_command_line::action;
  switch (line->what) {
    case action::show_help: fmt::print("{}", config::receptionist_help(program)); return 0;
    case action::show_version: fmt::print("muster {}\n", MUSTER_VERSION); return 0;
    case action::run: break;
  }
  auto properties = all_properties(*line);
  if (!properties) return refuse(properties.error());
  auto logs = config::read_log_settings(*properties);
  if (!logs) return refuse(logs.error());

  // Before any thread exists: they inherit the blocked signals.
  os::let_writes_fail();
  os::block_signals({SIGINT, SIGTERM, SIGHUP});
  const auto log = os::log::open(*logs);
  if (!log) return refuse(log.error());
  const auto ended = run_node(*properties, line->writes_json, **log);
  if (!ended) return refuse(ended.error());
  if (!ended->is_failure) return 0;
  print_error(program, ended->why);
  return 1;
}

}  // namespace muster::apps
