#include "muster/config/endpoint_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace muster::config {
namespace {

using ::testing::HasSubstr;

std::string refusal_of(std::string_view text) {
  const auto read = parse_endpoints(text);
  return read ? "not refused" : read.error().message;
}

TEST(endpoint_text, is_split_at_colons_outside_of_quotes) {
  const auto endpoints = parse_endpoints("tcp -h \"::1\" -p 4061 : ssl -p 4062 -h '10.0.0.1':ws -r /ice -z");
  ASSERT_TRUE(endpoints) << endpoints.error().message;
  ASSERT_EQ(endpoints->size(), 3U);
  EXPECT_EQ((*endpoints)[0].host, "::1");
  EXPECT_TRUE((*endpoints)[0].is_loopback());
  EXPECT_EQ((*endpoints)[1].transport, "ssl");
  EXPECT_TRUE((*endpoints)[1].is_encrypted());
  EXPECT_EQ((*endpoints)[1].port, "4062");
  EXPECT_EQ((*endpoints)[2].host, std::nullopt);
}

TEST(endpoint_text, says_what_is_wrong_with_it) {
  EXPECT_THAT(refusal_of(""), HasSubstr("an endpoint is empty"));
  EXPECT_THAT(refusal_of("tcp -h ::1 -p 1"), HasSubstr("-h needs a value"));
  EXPECT_THAT(refusal_of("tcp:"), HasSubstr("an endpoint is empty"));
  EXPECT_THAT(refusal_of("tcp -p 65536"), HasSubstr("-p 65536: allowed is a port from 0"));
  EXPECT_THAT(refusal_of("tcp -p"), HasSubstr("-p needs a value"));
  EXPECT_THAT(refusal_of("tcp -q 1"), HasSubstr("-q is no option"));
  EXPECT_THAT(refusal_of("tcp localhost"), HasSubstr("'localhost' stands where an option"));
  EXPECT_THAT(refusal_of("tcp -h \"x"), HasSubstr("is not closed"));
  EXPECT_THAT(refusal_of("tcp -t never"), HasSubstr("-t never"));
  EXPECT_THAT(refusal_of("tcp -z 5"), HasSubstr("-z takes no value"));
}

TEST(endpoint_text, names_the_transports_that_are_allowed_where_it_stands) {
  EXPECT_EQ(refusal_of("tpc -p 1"), "tpc is no transport; allowed are tcp, ssl, ws, wss, udp, bt, bts and default");
  const auto refusal_in_a_cluster = [](std::string_view text) {
    const auto read = parse_endpoints(text, cluster_transports);
    return read ? "not refused" : read.error().message;
  };
  EXPECT_EQ(refusal_in_a_cluster("tpc -p 1"), "tpc is no transport; allowed are tcp, ssl, ws and wss");
  EXPECT_EQ(refusal_in_a_cluster("tcp -p 1:udp -p 1"), "udp cannot be used here; allowed are tcp, ssl, ws and wss");
}

TEST(endpoint_text, takes_what_ice_takes) {
  for (const char* text :
       {"default", "tcp -h * -p 0", "tcp -t infinite", "udp -h 239.255.0.1 -p 4061 --ttl 1 --interface lo",
        "wss -r \"/a b\" -p 1", "tcp --sourceAddress 10.0.0.1 -p 1", "udp -c -p 3"}) {
    EXPECT_TRUE(parse_endpoints(text)) << text << ": " << refusal_of(text);
  }
}

TEST(proxy_text, is_taken_apart) {
  const auto direct = parse_proxy("IceGrid/Locator -t:tcp -p 4061:tcp -p 4062");
  ASSERT_TRUE(direct) << direct.error().message;
  EXPECT_EQ(direct->category, "IceGrid");
  EXPECT_EQ(direct->name, "Locator");
  EXPECT_EQ(direct->endpoints.size(), 2U);

  const auto indirect = parse_proxy("\"a b/c\" -f \"facet\" @ \"My Adapter\"");
  ASSERT_TRUE(indirect) << indirect.error().message;
  EXPECT_EQ(indirect->category, "a b");
  EXPECT_EQ(indirect->name, "c");
  EXPECT_EQ(indirect->adapter_id, "My Adapter");

  const auto escaped = parse_proxy("cat\\/egory/na\\/me");
  ASSERT_TRUE(escaped);
  EXPECT_EQ(escaped->category, "cat/egory");
  EXPECT_EQ(escaped->name, "na/me");
}

TEST(proxy_text, says_what_is_wrong_with_it) {
  const auto refusal = [](std::string_view text) {
    const auto read = parse_proxy(text);
    return read ? "not refused" : read.error().message;
  };
  EXPECT_THAT(refusal(""), HasSubstr("no identity"));
  EXPECT_THAT(refusal("IceGrid/"), HasSubstr("no name"));
  EXPECT_THAT(refusal(":tcp -p 1"), HasSubstr("no identity"));
  EXPECT_THAT(refusal("a/b/c"), HasSubstr("more than one '/'"));
  EXPECT_THAT(refusal("a@"), HasSubstr("adapter id"));
  EXPECT_THAT(refusal("a b"), HasSubstr("'b' stands where an option"));
  EXPECT_THAT(refusal("a:tcp -p x"), HasSubstr("-p x"));
}

RC_GTEST_PROP(endpoint_text, is_read_or_refused_whatever_it_is, (const std::string& text)) {
  const auto endpoints = parse_endpoints(text);
  const auto proxy = parse_proxy(text);
  RC_ASSERT((endpoints.has_value() ? !endpoints->empty() : !endpoints.error().message.empty()));
  RC_ASSERT((proxy.has_value() ? !proxy->name.empty() : !proxy.error().message.empty()));
}

}  // namespace
}  // namespace muster::config
