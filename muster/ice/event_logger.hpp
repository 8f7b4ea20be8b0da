#pragma once

#include <string>

#include <Ice/Logger.h>

#include "muster/base/event.hpp"

namespace muster::ice {

/// What Ice's run time wants to say, as events of the program's log: `ice_error`, `ice_warning`, `ice_trace` and
/// `ice_message`.
class event_logger final : public Ice::Logger {
 public:
  explicit event_logger(event_log& log, std::string prefix = {}) : log_{log}, prefix_{std::move(prefix)} {}

  void print(const std::string& message) override { write(severity::info, "ice_message", message); }
  void trace(const std::string& category, const std::string& message) override;
  void warning(const std::string& message) override { write(severity::warning, "ice_warning", message); }
  void error(const std::string& message) override { write(severity::error, "ice_error", message); }
  std::string getPrefix() override { return prefix_; }
  std::shared_ptr<Ice::Logger> cloneWithPrefix(const std::string& prefix) override;

 private:
  void write(severity level, std::string_view name, const std::string& message);

  event_log& log_;
  const std::string prefix_;
};

}  // namespace muster::ice
