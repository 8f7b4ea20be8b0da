#pragma once

#include <cstdint>
#include <string>

#include "muster/os/http_server.hpp"

namespace muster::os {

/// What `GET /health` says of a replica.
struct health {
  bool is_serving{};    ///< it answers locate requests from a copy that it has
  std::string replica;  ///< its name
  std::string role;     ///< master or slave
  std::string phase;    ///< for example serving, searching, catching_up, active, refused
  std::string master;   ///< name of the master that it follows; empty: none now
  std::uint64_t term{};
  std::uint64_t serial{};
  std::string trouble;  ///< a sentence when an operator has to act; empty: none
};

/// 200 while the replica serves, else 503: what a load balancer asks. The body is the same JSON object in both cases.
[[nodiscard]] http_response to_http(const health& now);

}  // namespace muster::os
