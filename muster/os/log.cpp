#include "muster/os/log.hpp"

#include <syslog.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include <spdlog/logger.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/sinks/syslog_sink.h>
#ifdef MUSTER_HAVE_SYSTEMD
#include <spdlog/sinks/systemd_sink.h>
#endif

#include "muster/os/log_line.hpp"

namespace muster::os {
namespace {

constexpr const char* line_pattern = "time=%Y-%m-%dT%H:%M:%S.%eZ level=%^%l%$ %v";

spdlog::level::level_enum to_spdlog(severity level) {
  switch (level) {
    case severity::trace: return spdlog::level::trace;
    case severity::debug: return spdlog::level::debug;
    case severity::info: return spdlog::level::info;
    case severity::warning: return spdlog::level::warn;
    case severity::error: return spdlog::level::err;
  }
  return spdlog::level::err;
}

spdlog::sink_ptr standard_error_sink() {
  const char* no_color = std::getenv("NO_COLOR");
  const bool wants_none = no_color != nullptr && *no_color != '\0';
  return std::make_shared<spdlog::sinks::stderr_color_sink_mt>(wants_none ? spdlog::color_mode::never
                                                                          : spdlog::color_mode::automatic);
}

result<spdlog::sink_ptr> file_sink(const std::string& file) {
  // The sink would make what is missing of the path: as for Ice, a directory that is not there is a mistake.
  const auto parent = std::filesystem::path{file}.parent_path();
  std::error_code unknown;
  if (!parent.empty() && !std::filesystem::is_directory(parent, unknown)) {
    return fail(errc::unavailable,
                "Ice.LogFile={}: the directory '{}' does not exist; allowed is a file in one that does", file,
                parent.string());
  }
  try {
    return std::make_shared<spdlog::sinks::basic_file_sink_mt>(file);
  } catch (const spdlog::spdlog_ex& cause) {
    return fail(errc::unavailable, "Ice.LogFile={}: the file cannot be opened for writing ({})", file, cause.what());
  }
}

result<spdlog::sink_ptr> make_sink(const config::log_settings& settings) {
  switch (settings.target) {
    case config::log_target::standard_error: return standard_error_sink();
    case config::log_target::file: return file_sink(settings.file);
    case config::log_target::syslog:
      return std::make_shared<spdlog::sinks::syslog_sink_mt>(settings.program, LOG_PID, LOG_DAEMON, true);
    case config::log_target::journal:
#ifdef MUSTER_HAVE_SYSTEMD
      return std::make_shared<spdlog::sinks::systemd_sink_mt>(settings.program, true);
#else
      return fail(errc::unsupported, "Ice.UseSystemdJournal=1: this program was built without systemd; allowed is 0");
#endif
  }
  return standard_error_sink();
}

bool writes_its_own_time(config::log_target target) {
  return target == config::log_target::syslog || target == config::log_target::journal;
}

}  // namespace

result<std::unique_ptr<log>> log::open(const config::log_settings& settings) {
  auto sink = make_sink(settings);
  if (!sink) return fail(sink.error());
  auto logger = std::make_shared<spdlog::logger>(settings.program, std::move(*sink));
  logger->set_pattern(writes_its_own_time(settings.target) ? "%v" : line_pattern, spdlog::pattern_time_type::utc);
  logger->set_level(to_spdlog(settings.level));
  // A line that an operator needs after a crash must not wait in a buffer for the next one.
  logger->flush_on(spdlog::level::trace);
  return std::unique_ptr<log>{new log{settings.level, std::move(logger)}};
}

log::~log() = default;

void log::write(const event& what) {
  if (!wants(what.level)) return;
  logger_->log(to_spdlog(what.level), spdlog::string_view_t{to_log_line(what)});
}

}  // namespace muster::os
