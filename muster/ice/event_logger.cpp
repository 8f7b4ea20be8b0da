#include "muster/ice/event_logger.hpp"

#include <memory>
#include <utility>

namespace muster::ice {

void event_logger::trace(const std::string& category, const std::string& message) {
  log_.write(event{severity::info, "ice_trace"}.with("category", category).with("message", message));
}

std::shared_ptr<Ice::Logger> event_logger::cloneWithPrefix(const std::string& prefix) {
  return std::make_shared<event_logger>(log_, prefix);
}

void event_logger::write(severity level, std::string_view name, const std::string& message) {
  auto what = event{level, name};
  if (!prefix_.empty()) what.with("program", prefix_);
  log_.write(what.with("message", message));
}

}  // namespace muster::ice
