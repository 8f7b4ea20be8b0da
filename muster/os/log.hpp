#pragma once

#include <memory>

#include "muster/base/event.hpp"
#include "muster/base/result.hpp"
#include "muster/config/registry_settings.hpp"

namespace spdlog {
class logger;
}

namespace muster::os {

/// The process's log: one event a line, `time=… level=… event=… key=value …`, times in UTC with milliseconds. Standard
/// error is coloured only when it is a terminal (and NO_COLOR is not set); syslog and the journal get time and level in
/// their own way. Any thread may write; lines of several threads do not mix. A line that cannot be written (a full
/// disk) is lost, and never an error for the caller.
class log final : public event_log {
 public:
  /// `unavailable` when the file cannot be opened; `unsupported` when the journal is asked for and this program was
  /// built without it.
  [[nodiscard]] static result<std::unique_ptr<log>> open(const config::log_settings& settings);
  ~log() override;

  [[nodiscard]] bool wants(severity level) const noexcept override { return level >= least_; }
  void write(const event& what) override;

 private:
  log(severity least, std::shared_ptr<spdlog::logger> logger) : least_{least}, logger_{std::move(logger)} {}

  severity least_;
  std::shared_ptr<spdlog::logger> logger_;
};

}  // namespace muster::os
