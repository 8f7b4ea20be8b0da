#include "muster/ice/reply_size.hpp"

#include <fmt/format.h>

namespace muster::ice {

std::exception_ptr refuse_oversized(const Ice::CommunicatorPtr& communicator, std::size_t bytes, std::string_view what,
                                    std::string_view advice) {
  // Kilobytes in Ice; below 1 there is no bound.
  const auto limit_kb = communicator->getProperties()->getPropertyAsIntWithDefault("Ice.MessageSizeMax", 1024);
  if (limit_kb < 1 || bytes + reply_overhead_bytes <= static_cast<std::size_t>(limit_kb) * 1024) return nullptr;
  return std::make_exception_ptr(Ice::UnknownException{
      __FILE__, __LINE__,
      fmt::format("{} takes {} KB, and this registry's Ice.MessageSizeMax is {} KB: {}raise Ice.MessageSizeMax on the "
                  "registry and on the client",
                  what, bytes / 1024 + 1, limit_kb, advice)});
}

std::exception_ptr refuse_oversized_list(const Ice::CommunicatorPtr& communicator, std::size_t bytes, std::size_t count,
                                         std::string_view items) {
  return refuse_oversized(communicator, bytes, fmt::format("the list of {} {}", count, items), "ask for fewer, or ");
}

}  // namespace muster::ice
