#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "muster/muster.hpp"
#include "tests/support/event_recorder.hpp"
#include "tests/support/eventually.hpp"

namespace muster::cluster::testing {

using namespace std::chrono_literals;

inline constexpr std::chrono::seconds generous{30};

using tests::eventually;

/// A port of the loopback address that is free now, and most likely still is a moment later.
inline int free_port() {
  const int one = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  EXPECT_EQ(::bind(one, reinterpret_cast<sockaddr*>(&at), size), 0);
  EXPECT_EQ(::getsockname(one, reinterpret_cast<sockaddr*>(&at), &size), 0);
  ::close(one);
  return ntohs(at.sin_port);
}

inline std::shared_ptr<actor_executor> make_pool() {
  auto made = os::actor_pool::make({.threads = 2});
  EXPECT_TRUE(made);
  return *made;
}

/// What a program is that joins a cluster: an actor system, a node, a receptionist.
class program {
 public:
  explicit program(const std::string& name, join_options how = {},
                   std::shared_ptr<actor_executor> runs_on = make_pool())
      : system{
            std::make_unique<actor_system>("shop", actor_system_options{.runs_on = std::move(runs_on), .log = &log})} {
    how.name = name;
    auto joined = try_join(*system, std::move(how));
    EXPECT_TRUE(joined) << (joined ? "" : joined.error().message);
    if (!joined) return;
    node = *std::move(joined);
    desk = std::make_unique<receptionist::handle>(receptionist::start(*system, node));
  }
  program(const program&) = delete;
  program& operator=(const program&) = delete;
  ~program() = default;

  [[nodiscard]] std::size_t members() const { return node->members()->members.size(); }
  [[nodiscard]] bool sees(const std::string& name) const {
    for (const auto& one : node->members()->members) {
      if (one.node.name == name) return one.is_reachable;
    }
    return false;
  }

  tests::event_recorder log;  // before the system, which writes to it
  std::unique_ptr<actor_system> system;
  std::shared_ptr<cluster::node> node;
  std::unique_ptr<receptionist::handle> desk;
};

/// All programs see each other.
template <typename... Programs>
[[nodiscard]] bool are_one_cluster(const Programs&... all) {
  return eventually([&] {
    return ((all.members() == sizeof...(all)) && ...) && ((all.node->members()->phase == phase::joined) && ...);
  });
}

}  // namespace muster::cluster::testing
