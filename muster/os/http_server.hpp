#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "muster/base/result.hpp"

namespace muster::os {

struct http_response {
  unsigned status{200};
  std::string content_type;
  std::string body;
};

/// What `GET path` answers. Called on the server's thread for each request: it reads figures that any thread may read,
/// and does not block.
using http_handler = std::function<http_response()>;
using http_routes = std::map<std::string, http_handler, std::less<>>;

struct http_options {
  std::string host;      ///< literal address or name; a name is resolved once, when the server starts
  std::uint16_t port{};  ///< 0: any free one
  std::size_t connections_max{64};
  std::size_t header_bytes_max{8192};
  std::chrono::milliseconds request_timeout{5'000};  ///< for a whole request, and for a whole answer
  std::chrono::milliseconds idle_timeout{15'000};    ///< between requests on one connection
};

/// A small HTTP/1.1 server on a thread of its own: GET and HEAD of a fixed set of paths, everything else is 404 or 405.
/// Whatever a client does, it costs at most one of `connections_max` connections for the time of a timeout: headers are
/// bounded, a body is not read, and one connection too many is answered 503 and closed.
class http_server {
 public:
  /// `unavailable` when the address cannot be resolved or opened; the message names address and cause.
  [[nodiscard]] static result<std::unique_ptr<http_server>> start(const http_options& options, http_routes routes);

  http_server(const http_server&) = delete;
  http_server& operator=(const http_server&) = delete;
  /// Closes all connections and ends the thread.
  ~http_server();

  [[nodiscard]] std::uint16_t port() const noexcept;

 private:
  class loop;

  explicit http_server(std::unique_ptr<loop> running);

  std::unique_ptr<loop> loop_;
};

}  // namespace muster::os
