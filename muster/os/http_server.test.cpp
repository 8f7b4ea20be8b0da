#include "muster/os/http_server.hpp"

#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/json/parse.hpp>

#include "muster/os/http_health.hpp"

namespace muster::os {
namespace {

using boost::asio::ip::tcp;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::chrono_literals;

/// A client that sends bytes as they are and reads until the server closes.
class raw_client {
 public:
  explicit raw_client(std::uint16_t port) { socket_.connect({boost::asio::ip::make_address("127.0.0.1"), port}); }

  void send(const std::string& bytes) {
    boost::system::error_code ignored;
    boost::asio::write(socket_, boost::asio::buffer(bytes), ignored);
  }

  std::string read_to_end() {
    std::string out;
    boost::system::error_code end;
    boost::asio::read(socket_, boost::asio::dynamic_buffer(out), end);
    return out;
  }

  /// Reads until what was received ends so.
  std::string read_until_it_ends_with(const std::string& mark) {
    std::string out;
    char next = 0;
    boost::system::error_code failed;
    while (!out.ends_with(mark)) {
      socket_.read_some(boost::asio::buffer(&next, 1), failed);
      if (failed) return out + "(closed)";
      out += next;
    }
    return out;
  }

 private:
  boost::asio::io_context context_;
  tcp::socket socket_{context_};
};

class http : public ::testing::Test {
 protected:
  void start(http_options options = {}) {
    if (options.host.empty()) options.host = "127.0.0.1";
    http_routes routes;
    routes["/metrics"] = [] { return http_response{200, "text/plain", "muster_up 1\n"}; };
    routes["/health"] = [this] { return to_http(health_); };
    routes["/broken"] = []() -> http_response { throw std::runtime_error{"it broke"}; };
    auto started = http_server::start(options, std::move(routes));
    ASSERT_TRUE(started) << started.error().message;
    server_ = std::move(*started);
  }

  std::string ask(const std::string& request) {
    raw_client client{server_->port()};
    client.send(request);
    return client.read_to_end();
  }

  std::string get(const std::string& target) {
    return ask("GET " + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  }

  health health_;
  std::unique_ptr<http_server> server_;
};

TEST_F(http, answers_metrics) {
  start();
  EXPECT_THAT(get("/metrics"), StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(get("/metrics?name=x"), EndsWith("\r\n\r\nmuster_up 1\n"));
  EXPECT_THAT(get("/metrics"), HasSubstr("Content-Type: text/plain\r\n"));
}

TEST_F(http, answers_health_with_the_status_that_a_load_balancer_asks_for) {
  health_ = {true, "Replica \"1\"", "slave", "active", "Master", 3, 42, ""};
  start();
  const std::string healthy = get("/health");
  EXPECT_THAT(healthy, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(healthy, HasSubstr("Content-Type: application/json\r\n"));
  const auto body = boost::json::parse(healthy.substr(healthy.find("\r\n\r\n") + 4)).as_object();
  EXPECT_EQ(body.at("replica"), "Replica \"1\"");
  EXPECT_EQ(body.at("master"), "Master");
  EXPECT_EQ(body.at("serial"), 42);
  EXPECT_TRUE(body.at("trouble").is_null());
}

TEST_F(http, answers_503_while_the_replica_does_not_serve) {
  health_ = {false, "Replica1", "slave", "searching", "", 0, 0, "no master answers"};
  start();
  const std::string answer = get("/health");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 503 Service Unavailable\r\n"));
  EXPECT_THAT(answer, HasSubstr("\"trouble\":\"no master answers\""));
}

TEST_F(http, answers_a_head_request_without_a_body) {
  start();
  const std::string answer = ask("HEAD /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(answer, HasSubstr("Content-Length: 12\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n"));
}

TEST_F(http, refuses_other_paths_and_methods) {
  start();
  EXPECT_THAT(get("/"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(get("/metrics/x"), StartsWith("HTTP/1.1 404 "));
  const std::string post = ask("POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc");
  EXPECT_THAT(post, StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(post, HasSubstr("Allow: GET, HEAD\r\n"));
  EXPECT_THAT(get("/broken"), StartsWith("HTTP/1.1 500 "));
}

TEST_F(http, refuses_what_is_no_request_or_too_large) {
  start();
  EXPECT_THAT(ask("\x16\x03\x01 hello\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(ask("GET /metrics HTTP/1.1\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n"), StartsWith("HTTP/1.1 431 "));
}

TEST_F(http, answers_several_requests_on_one_connection) {
  start();
  raw_client client{server_->port()};
  for (int i = 0; i < 3; ++i) {
    client.send("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(client.read_until_it_ends_with("muster_up 1\n"), StartsWith("HTTP/1.1 200 OK\r\n"));
  }
}

TEST_F(http, answers_requests_that_come_in_one_piece_in_turn) {
  start();
  EXPECT_THAT(ask("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\nGET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
              ::testing::AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("HTTP/1.1 404 ")));
}

TEST_F(http, closes_a_connection_whose_request_does_not_come) {
  http_options options;
  options.request_timeout = 50ms;
  start(options);
  raw_client client{server_->port()};
  client.send("GET /met");
  EXPECT_EQ(client.read_to_end(), "");
}

TEST_F(http, turns_away_connections_beyond_its_bound_and_serves_again_when_one_ends) {
  http_options options;
  options.connections_max = 2;
  start(options);
  raw_client first{server_->port()};
  auto second = std::make_unique<raw_client>(server_->port());
  for (raw_client* client : {&first, second.get()}) {
    client->send("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    (void)client->read_until_it_ends_with("muster_up 1\n");
  }
  EXPECT_THAT(raw_client{server_->port()}.read_to_end(), StartsWith("HTTP/1.1 503 "));
  second.reset();
  // The server sees the end of a connection a moment after we closed it.
  std::string answer;
  const auto deadline = std::chrono::steady_clock::now() + 30s;
  do {
    answer = get("/metrics");
  } while (!answer.starts_with("HTTP/1.1 200") && std::chrono::steady_clock::now() < deadline);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST_F(http, ends_with_connections_open) {
  start();
  raw_client client{server_->port()};
  client.send("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
  (void)client.read_until_it_ends_with("muster_up 1\n");
  server_.reset();
  EXPECT_EQ(client.read_to_end(), "");
}

TEST_F(http, says_which_address_it_cannot_open) {
  start();
  http_options options;
  options.host = "127.0.0.1";
  options.port = server_->port();
  const auto second = http_server::start(options, {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, errc::unavailable);
  EXPECT_THAT(second.error().message,
              HasSubstr("http 127.0.0.1:" + std::to_string(server_->port()) + ": cannot be opened"));
}

}  // namespace
}  // namespace muster::os
