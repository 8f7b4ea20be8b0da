#include "muster/os/configured_hosts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::os {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// "nowhere..invalid" cannot be a name: no name server is asked for it.
config::registry_settings settings() {
  config::registry_settings out;
  out.endpoints.client = R"(tcp -h 127.0.0.1 -p 4061:tcp -h "::1":ws -p 1:tcp -h *)";
  out.endpoints.server = "default";
  out.endpoints.internal = "tcp -h localhost";
  out.discovery.address = "239.255.0.1";
  out.discovery.enabled = true;
  out.discovery.endpoints = "udp -h 239.255.0.1 -p 4061";
  out.http = config::http_settings{"localhost", 9061};
  return out;
}

std::string refusal_of(const config::registry_settings& given) {
  const auto known = check_hosts(given);
  return known ? "not refused" : known.error().message;
}

TEST(configured_hosts, are_addresses_and_names_of_this_machine) { EXPECT_EQ(refusal_of(settings()), "not refused"); }

TEST(configured_hosts, that_are_unknown_are_refused_with_their_property) {
  auto odd = settings();
  odd.endpoints.server = "tcp -h 127.0.0.1:tcp -h nowhere..invalid";
  EXPECT_THAT(refusal_of(odd), StartsWith("IceGrid.Registry.Server.Endpoints=tcp -h 127.0.0.1:tcp -h nowhere..invalid: "
                                          "the host name 'nowhere..invalid' cannot be resolved: "));
  EXPECT_THAT(refusal_of(odd), HasSubstr("; allowed is an address or a name of this machine"));
  odd = settings();
  odd.http->host = "nowhere..invalid";
  EXPECT_THAT(refusal_of(odd), StartsWith("Muster.Registry.Http.Endpoint=nowhere..invalid:9061: the host name "));
}

TEST(configured_hosts, of_discovery_are_addresses_where_it_is_given_by_its_parts) {
  auto odd = settings();
  for (const char* address : {"not an address", "localhost", "239.255.0.1:4061", "239.255.0"}) {
    odd.discovery.address = address;
    EXPECT_THAT(refusal_of(odd), StartsWith(std::string{"IceGrid.Registry.Discovery.Address="} + address +
                                            ": allowed is an IPv4 or IPv6 address"));
  }
  odd.discovery.address = "ff15::1";
  EXPECT_EQ(refusal_of(odd), "not refused");
  odd.discovery.endpoints = "udp -h nowhere..invalid -p 1";
  EXPECT_THAT(refusal_of(odd), StartsWith("IceGrid.Registry.Discovery.Endpoints=udp -h nowhere..invalid -p 1: "));
  odd.discovery.enabled = false;
  EXPECT_EQ(refusal_of(odd), "not refused");
}

}  // namespace
}  // namespace muster::os
