#include "muster/os/http_server.hpp"

#include <array>
#include <exception>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

namespace muster::os {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using failure = boost::system::error_code;

constexpr std::string_view plain_text = "text/plain; charset=utf-8";

http_response plain(http::status status, std::string_view sentence) {
  return {static_cast<unsigned>(status), std::string{plain_text}, std::string{sentence} + "\n"};
}

/// The path of a request target: what comes before the query.
std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

http_response answer_of(const http_handler& handler) {
  try {
    return handler();
  } catch (const std::exception& cause) {
    return plain(http::status::internal_server_error, cause.what());
  }
}

/// One connection: reads a request, answers it, and again while both sides keep it open. Lives as long as an operation
/// of its own is under way.
class connection : public std::enable_shared_from_this<connection> {
 public:
  connection(tcp::socket socket, const http_options& options, const http_routes& routes, std::size_t& open)
      : stream_{std::move(socket)}, options_{options}, routes_{routes}, open_{open} {
    ++open_;
  }
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;
  ~connection() { --open_; }

  void begin() { read(options_.request_timeout); }

  /// Ends whatever is under way.
  void close() {
    failure ignored;
    stream_.socket().close(ignored);
  }

 private:
  void read(std::chrono::milliseconds at_most) {
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(options_.header_bytes_max));
    parser_->body_limit(boost::none);  // a body is never read
    // One deadline for the whole header: a client that sends a byte now and then gains nothing.
    stream_.expires_after(at_most);
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](failure failed, std::size_t) { self->has_read(failed); });
  }

  void has_read(failure failed) {
    if (failed == http::error::header_limit || failed == http::error::buffer_overflow) {
      write(plain(http::status::request_header_fields_too_large, "the request's header is too large"), false);
    } else if (failed && failed.category() == make_error_code(http::error::bad_method).category() &&
               failed != http::error::end_of_stream && failed != http::error::partial_message) {
      write(plain(http::status::bad_request, "this is no HTTP request"), false);
    } else if (!failed) {
      answer();
    }
    // Else the client has gone or was too slow: nobody is there to be told.
  }

  void answer() {
    const auto& request = parser_->get();
    const std::string_view target{request.target().data(), request.target().size()};
    const auto route = routes_.find(path_of(target));
    // A body is not read, so what follows it could not be told from it.
    const bool has_body = parser_->chunked() || parser_->content_length().value_or(0) > 0;
    const bool stays = request.keep_alive() && !has_body;
    is_head_ = request.method() == http::verb::head;
    if (route == routes_.end()) {
      write(plain(http::status::not_found, "not found"), stays);
    } else if (request.method() != http::verb::get && !is_head_) {
      write(plain(http::status::method_not_allowed, "allowed are GET and HEAD"), stays);
    } else {
      write(answer_of(route->second), stays);
    }
  }

  void write(http_response content, bool stays) {
    response_.emplace();
    response_->version(parser_->is_header_done() && parser_->get().version() == 10 ? 10 : 11);
    response_->result(content.status);
    response_->set(http::field::server, "muster");
    response_->set(http::field::content_type, content.content_type);
    response_->set(http::field::cache_control, "no-store");
    if (response_->result() == http::status::method_not_allowed) response_->set(http::field::allow, "GET, HEAD");
    response_->keep_alive(stays);
    response_->content_length(content.body.size());
    if (!is_head_) response_->body() = std::move(content.body);
    stream_.expires_after(options_.request_timeout);
    const auto done = [self = shared_from_this(), stays](failure failed, std::size_t) {
      self->has_written(failed, stays);
    };
    if (is_head_) {
      serializer_.emplace(*response_);
      http::async_write_header(stream_, *serializer_, done);
    } else {
      http::async_write(stream_, *response_, done);
    }
  }

  void has_written(failure failed, bool stays) {
    if (failed) return;
    if (stays) return read(options_.idle_timeout);
    failure ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    stream_.expires_after(options_.request_timeout);
    drain(drained_bytes_max);
  }

  /// To close with bytes unread would reset the connection, and the client might lose the answer with it: takes in what
  /// is still coming, up to a bound, until the client closes.
  void drain(std::size_t left) {
    stream_.async_read_some(asio::buffer(scrap_), [self = shared_from_this(), left](failure failed, std::size_t got) {
      if (!failed && got < left) self->drain(left - got);
    });
  }

  static constexpr std::size_t drained_bytes_max = std::size_t{1} << 20U;

  beast::tcp_stream stream_;
  const http_options& options_;
  const http_routes& routes_;
  std::size_t& open_;
  beast::flat_buffer buffer_{std::size_t{64} * 1024};
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<http::response<http::string_body>> response_;
  std::optional<http::response_serializer<http::string_body>> serializer_;
  bool is_head_{false};
  std::array<char, 4096> scrap_{};
};

result<tcp::endpoint> resolve(asio::io_context& context, const http_options& options) {
  failure failed;
  tcp::resolver resolver{context};
  const auto found = resolver.resolve(options.host, std::to_string(options.port),
                                      tcp::resolver::passive | tcp::resolver::numeric_service, failed);
  if (failed || found.empty()) {
    return fail(errc::unavailable, "http {}:{}: the host is not known ({})", options.host, options.port,
                failed.message());
  }
  return found.begin()->endpoint();
}

}  // namespace

/// Everything but the constructor's and destructor's calls happens on the one thread.
class http_server::loop {
 public:
  loop(const http_options& options, http_routes routes) : options_{options}, routes_{std::move(routes)} {}
  loop(const loop&) = delete;
  loop& operator=(const loop&) = delete;
  ~loop() {
    asio::post(context_, [this] { stop(); });
    if (thread_.joinable()) thread_.join();
  }

  result<void> open() {
    const auto endpoint = resolve(context_, options_);
    if (!endpoint) return fail(endpoint.error());
    failure failed;
    acceptor_.open(endpoint->protocol(), failed);
    if (!failed) acceptor_.set_option(tcp::acceptor::reuse_address{true}, failed);
    if (!failed) acceptor_.bind(*endpoint, failed);
    if (!failed) acceptor_.listen(asio::socket_base::max_listen_connections, failed);
    if (failed) {
      return fail(errc::unavailable, "http {}:{}: cannot be opened ({})", options_.host, options_.port,
                  failed.message());
    }
    port_ = acceptor_.local_endpoint(failed).port();
    return {};
  }

  void run() {
    accept();
    thread_ = std::thread{[this] { context_.run(); }};
  }

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

 private:
  void accept() {
    acceptor_.async_accept([this](failure failed, tcp::socket socket) { has_accepted(failed, std::move(socket)); });
  }

  void has_accepted(failure failed, tcp::socket socket) {
    if (failed == asio::error::operation_aborted) return;
    if (failed) {
      // No descriptors, most likely: trying again at once would only burn the processor.
      constexpr std::chrono::milliseconds pause{100};
      retry_.expires_after(pause);
      retry_.async_wait([this](failure stopped) {
        if (!stopped) accept();
      });
      return;
    }
    if (open_ < options_.connections_max) {
      begin(std::move(socket));
    } else {
      turn_away(socket);
    }
    accept();
  }

  void begin(tcp::socket socket) {
    auto made = std::make_shared<connection>(std::move(socket), options_, routes_, open_);
    std::erase_if(connections_, [](const std::weak_ptr<connection>& one) { return one.expired(); });
    connections_.push_back(made);
    made->begin();
  }

  /// A fresh socket's buffer holds this much, so that writing it never waits.
  static void turn_away(tcp::socket& socket) {
    constexpr std::string_view sorry =
        "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 21\r\n\r\ntoo many connections\n";
    failure ignored;
    socket.non_blocking(true, ignored);
    (void)socket.send(asio::buffer(sorry.data(), sorry.size()), 0, ignored);
    socket.shutdown(tcp::socket::shutdown_send, ignored);
  }

  void stop() {
    failure ignored;
    acceptor_.close(ignored);
    retry_.cancel();
    for (const auto& one : connections_) {
      if (const auto alive = one.lock()) alive->close();
    }
  }

  const http_options options_;
  const http_routes routes_;
  std::size_t open_{0};
  std::uint16_t port_{0};
  asio::io_context context_{1};
  tcp::acceptor acceptor_{context_};
  asio::steady_timer retry_{context_};
  std::vector<std::weak_ptr<connection>> connections_;
  std::thread thread_;
};

http_server::http_server(std::unique_ptr<loop> running) : loop_{std::move(running)} {}

http_server::~http_server() = default;

result<std::unique_ptr<http_server>> http_server::start(const http_options& options, http_routes routes) {
  auto made = std::make_unique<loop>(options, std::move(routes));
  if (auto opened = made->open(); !opened) return fail(opened.error());
  made->run();
  return std::unique_ptr<http_server>{new http_server{std::move(made)}};
}

std::uint16_t http_server::port() const noexcept { return loop_->port(); }

}  // namespace muster::os
