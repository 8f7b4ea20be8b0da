#include <csignal>
#include <cstdio>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "apps/registry_process.hpp"
#include "apps/verbs.hpp"
#include "muster/config/property_reference.hpp"
#include "muster/config/registry_command_line.hpp"
#include "muster/ice/properties.hpp"
#include "muster/os/daemon.hpp"
#include "muster/os/service_notify.hpp"
#include "muster/os/signals.hpp"

namespace muster::apps {
namespace {

// From here on nothing is said by return values alone: the log is open.
int serve(std::string_view program, config::settings_with_warnings read, config::property_map properties,
          std::unique_ptr<os::log> log, os::daemon_link* link) {
  auto& out = *log;
  const auto replica = read.settings.replica_name;
  const bool logs_to_standard_error = read.settings.log.target == config::log_target::standard_error;
  registry_process process{std::move(read.settings), std::move(properties), std::move(log)};

  auto listener = os::signal_listener::start({SIGINT, SIGTERM, SIGHUP}, [&](int signal) {
    if (signal != SIGHUP) process.end({});
  });
  if (!listener) {
    print_error(program, listener.error().message);
    return 1;
  }
  const auto opened = process.open([&] {
    out.write(event{severity::info, "serving"}.with("replica", replica));
    os::notify_ready(fmt::format("replica {} serves", replica));
    if (link != nullptr) link->ready();
  });
  if (opened) {
    // What is refused is one line: warnings come when nothing is refused any more.
    for (const auto& warning : read.warnings) {
      out.write(event{severity::warning, "configuration_warning"}.with("message", warning));
    }
    process.begin();
  }
  const auto why = opened ? process.wait() : opened.error().message;
  os::notify_stopping();
  if (!why.empty()) {
    // Who looks at standard error is told once: a failed start as any refused configuration, an end as the log's last
    // line.
    const bool tells_in_log = opened || !logs_to_standard_error;
    if (tells_in_log) out.write(event{severity::error, opened ? "ended" : "start_failed"}.with("message", why));
    if (!tells_in_log || !logs_to_standard_error) print_error(program, why);
  }
  process.stop();
  if (why.empty()) out.write(event{severity::info, "stopped"}.with("replica", replica));
  return why.empty() ? 0 : 1;
}

}  // namespace

int run_registry(std::string_view program, const std::vector<std::string>& given) {
  const auto refuse = [&](const error& cause) {
    print_error(program, cause.message);
    return 1;
  };
  auto line = config::parse_registry_command_line(program, given);
  if (!line) return refuse(line.error());
  using action = config::registry_command_line::action;
  switch (line->what) {
    case action::show_help: fmt::print("{}", config::registry_help(program)); return 0;
    case action::show_version: fmt::print("muster {}\n", MUSTER_VERSION); return 0;
    case action::list_properties: fmt::print("{}", config::property_reference()); return 0;
    case action::run: break;
  }

  auto properties = ice::load_properties(line->properties);
  if (!properties) return refuse(properties.error());
  auto read = config::read_registry_settings(*properties, line->start);
  if (!read) return refuse(read.error());

  // Before any thread exists: they inherit the blocked signals, and a daemon is a fork of this process.
  os::let_writes_fail();
  os::block_signals({SIGINT, SIGTERM, SIGHUP});
  std::optional<os::daemon_link> link;
  if (line->daemon.wanted) {
    auto daemon = os::daemonise({.program = std::string{program},
                                 .pid_file = line->daemon.pid_file,
                                 .keeps_descriptors = line->daemon.keeps_descriptors,
                                 .keeps_directory = line->daemon.keeps_directory});
    if (!daemon) return refuse(daemon.error());
    link.emplace(std::move(*daemon));
  }
  auto log = os::log::open(read->settings.log);
  const int status =
      log ? serve(program, std::move(*read), std::move(*properties), std::move(*log), link ? &*link : nullptr)
          : refuse(log.error());
  // Whatever went wrong is on standard error by now.
  if (status != 0 && link) link->has_told();
  return status;
}

}  // namespace muster::apps
