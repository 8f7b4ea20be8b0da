#include <gtest/gtest.h>

#include "muster/ice/ping.hpp"
#include "tests/support/running_replica.hpp"

namespace muster::ice {
namespace {

TEST(ping, names_the_replica_that_answers_and_the_endpoint_that_does_not) {
  tests::running_replica replica;
  replica.wait_until_ready();
  const auto answers =
      ping_locator(replica.at_client("T/Locator") + ":tcp -h 127.0.0.1 -p 1", std::chrono::seconds{5}, os::now);
  ASSERT_TRUE(answers) << answers.error().message;
  ASSERT_EQ(answers->size(), 2U);
  EXPECT_TRUE(answers->front().is_up) << answers->front().failure;
  EXPECT_EQ(answers->front().registry, "T/Registry");
  EXPECT_GT(answers->front().round_trip, duration{});
  EXPECT_FALSE(answers->back().is_up);
  EXPECT_FALSE(answers->back().failure.empty());
  EXPECT_EQ(answers->back().failure.find('\n'), std::string::npos);
}

TEST(ping, gives_a_silent_endpoint_up_at_the_bound) {
  const Ice::CommunicatorHolder holder{Ice::InitializationData{}};
  // Listens and never takes a request.
  const auto silent = holder->createObjectAdapterWithEndpoints("", "tcp -h 127.0.0.1");
  const auto text = holder->proxyToString(silent->createProxy({"Locator", "T"}));
  const auto began = os::now();
  const auto answers = ping_locator(text, std::chrono::milliseconds{200}, os::now);
  ASSERT_TRUE(answers);
  EXPECT_FALSE(answers->front().is_up);
  EXPECT_LT(os::now() - began, std::chrono::seconds{20});
}

TEST(ping, needs_a_proxy_with_endpoints) {
  for (const std::string text : {"", "T/Locator", "T/Locator @ Adapter", "T/Locator:tcp -p"}) {
    const auto answers = ping_locator(text, std::chrono::seconds{1}, os::now);
    ASSERT_FALSE(answers) << text;
    EXPECT_EQ(answers.error().code, errc::invalid_argument);
  }
}

}  // namespace
}  // namespace muster::ice
