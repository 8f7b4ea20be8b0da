#include "muster/catalog/encoded_proxy.hpp"

#include <array>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace muster::catalog {
namespace {

// What Ice 3.7.8 wrote (encoding 1.1) for the proxies named beside.

// hello:tcp -h 127.0.0.1 -p 10000
constexpr std::string_view tcp_hex =
    "0568656c6c6f0000000001000101010100190000000101093132372e302e302e311027000060ea000000";
// cat/hello -f facet -o -s -e 1.0:tcp -h 10.0.0.1 -p 1 -t 5000 -z
constexpr std::string_view everything_hex =
    "0568656c6c6f03636174010566616365740101010001000101001800000001010831302e302e302e31010000008813000001";
// a@Ad
constexpr std::string_view indirect_hex = "0161000000000100010100024164";
// w/x -D
constexpr std::string_view well_known_hex = "01780177000400010001010000";
// hello:udp -h 127.0.0.1 -p 10001:opaque -e 1.0 -t 77 -v AQID
constexpr std::string_view two_endpoints_hex =
    "0568656c6c6f0000000001000101020300150000000101093132372e302e302e3111270000004d00090000000100010203";

[[nodiscard]] bytes from_hex(std::string_view hex) {
  bytes out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    out.push_back(static_cast<std::uint8_t>(std::stoul(std::string{hex.substr(i, 2)}, nullptr, 16)));
  }
  return out;
}

[[nodiscard]] encoded_proxy proxy_of(std::string_view hex) { return encoded_proxy::read(from_hex(hex)).value(); }

TEST(encoded_proxy, reads_a_direct_proxy_as_ice_writes_it) {
  const auto content = from_hex(tcp_hex);
  const auto view = parse(content).value();
  EXPECT_EQ(view.identity, (identity_view{"hello", ""}));
  EXPECT_EQ(view.facet, "");
  EXPECT_EQ(view.mode, proxy_mode::twoway);
  EXPECT_FALSE(view.secure);
  EXPECT_EQ(view.protocol, (descriptor::version{1, 0}));
  EXPECT_EQ(view.encoding, (descriptor::version{1, 1}));
  EXPECT_EQ(view.endpoint_count, 1U);
  EXPECT_EQ(view.endpoints.size(), 27U);
  EXPECT_EQ(view.adapter_id, "");
  EXPECT_TRUE(view.has_endpoints());
  EXPECT_FALSE(view.is_indirect());
  EXPECT_FALSE(view.is_null());
  EXPECT_EQ(view.all.size(), content.size());
}

TEST(encoded_proxy, reads_every_option) {
  const auto content = from_hex(everything_hex);
  const auto view = parse(content).value();
  EXPECT_EQ(view.identity, (identity_view{"hello", "cat"}));
  EXPECT_EQ(view.facet, "facet");
  EXPECT_EQ(view.mode, proxy_mode::oneway);
  EXPECT_TRUE(view.secure);
  EXPECT_EQ(view.encoding, (descriptor::version{1, 0}));
}

TEST(encoded_proxy, reads_indirect_and_well_known_proxies) {
  const auto indirect = proxy_of(indirect_hex);
  EXPECT_TRUE(indirect.is_indirect());
  EXPECT_EQ(indirect.view().adapter_id, "Ad");
  const auto well_known = proxy_of(well_known_hex);
  EXPECT_TRUE(well_known.is_indirect());
  EXPECT_EQ(well_known.view().adapter_id, "");
  EXPECT_EQ(well_known.view().mode, proxy_mode::batch_datagram);
}

TEST(encoded_proxy, is_null_at_first_and_two_zero_bytes) {
  const encoded_proxy null;
  EXPECT_TRUE(null.is_null());
  EXPECT_TRUE(null.view().is_null());
  EXPECT_FALSE(null.is_indirect());
  EXPECT_EQ(null, proxy_of("0000"));
}

TEST(encoded_proxy, writes_indirect_proxies_as_ice_does) {
  EXPECT_EQ(encoded_proxy::indirect({"a", ""}, "Ad"), proxy_of(indirect_hex));
  EXPECT_EQ(encoded_proxy::indirect({"x", "w"}, "", {.facet = {}, .mode = proxy_mode::batch_datagram}),
            proxy_of(well_known_hex));
  EXPECT_TRUE(encoded_proxy::indirect({}, "Ad").is_null());
  const auto faceted = encoded_proxy::indirect({"a", "b"}, "Ad", {.facet = "f", .secure = true, .encoding = {1, 0}});
  EXPECT_EQ(faceted.view().facet, "f");
  EXPECT_TRUE(faceted.view().secure);
  EXPECT_EQ(faceted.view().encoding, (descriptor::version{1, 0}));
}

TEST(encoded_proxy, refuses_every_prefix_and_every_tail) {
  for (const auto hex : {tcp_hex, everything_hex, indirect_hex, well_known_hex, two_endpoints_hex}) {
    const auto content = from_hex(hex);
    for (std::size_t size = 0; size != content.size(); ++size) {
      EXPECT_FALSE(parse(byte_view{content}.first(size))) << hex << " cut to " << size;
    }
    auto longer = content;
    longer.push_back(0);
    const auto refused = parse(longer);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, errc::corrupt);
  }
}

TEST(encoded_proxy, refuses_what_ice_never_writes) {
  EXPECT_FALSE(parse(from_hex("0161000200000000010001010000"))) << "two facets";
  EXPECT_FALSE(parse(from_hex("016100010000000100010100024164"))) << "an empty facet that is counted";
  EXPECT_FALSE(parse(from_hex("0161000005000100010100024164"))) << "an unknown mode";
  EXPECT_FALSE(parse(from_hex("0161000000020100010100024164"))) << "a boolean of two";
  EXPECT_FALSE(parse(from_hex("ff0100000061000000000100010100024164"))) << "a size that is not in its shortest form";
  EXPECT_FALSE(parse(from_hex("01610000000001000101010100050000000100"))) << "an endpoint smaller than its own size";
  EXPECT_FALSE(parse(from_hex("016100000000010001010101ffffffff000100"))) << "an endpoint of negative size";
}

TEST(encoded_proxy, reads_the_first_of_several_and_leaves_the_rest) {
  auto content = from_hex(tcp_hex);
  const auto first_bytes = content.size();
  const auto second = from_hex(indirect_hex);
  content.insert(content.end(), second.begin(), second.end());
  byte_view rest = content;
  EXPECT_EQ(parse_front(rest).value().all.size(), first_bytes);
  EXPECT_EQ(parse_front(rest).value().adapter_id, "Ad");
  EXPECT_TRUE(rest.empty());
}

TEST(encoded_proxy, merges_endpoints_once_each_in_their_order) {
  const auto one = proxy_of(tcp_hex);
  const auto two = proxy_of(two_endpoints_hex);
  const auto three = proxy_of(everything_hex);
  const std::array several{three.view(), one.view(), two.view(), one.view()};
  const auto merged = encoded_proxy::with_endpoints_of(one.view(), several);
  EXPECT_EQ(merged.view().identity, one.view().identity);
  EXPECT_EQ(merged.view().encoding, one.view().encoding);
  EXPECT_EQ(merged.view().endpoint_count, 4U);
  bytes expected;
  for (const auto& part : {three.view(), one.view(), two.view()}) {
    expected.insert(expected.end(), part.endpoints.begin(), part.endpoints.end());
  }
  const auto endpoints = merged.view().endpoints;
  EXPECT_EQ(bytes(endpoints.begin(), endpoints.end()), expected);
}

TEST(encoded_proxy, merges_nothing_into_itself) {
  const auto indirect = proxy_of(indirect_hex);
  const std::array several{indirect.view(), encoded_proxy{}.view()};
  EXPECT_EQ(encoded_proxy::with_endpoints_of(indirect.view(), several), indirect);
}

/// `count` proxies of one endpoint each, all different.
[[nodiscard]] std::vector<encoded_proxy> numbered_proxies(std::uint8_t count) {
  std::vector<encoded_proxy> proxies;
  for (std::uint8_t i = 0; i != count; ++i) {
    auto content = from_hex(tcp_hex);
    content[content.size() - 11] = i;  // the port's lowest byte
    proxies.push_back(encoded_proxy::read(content).value());
  }
  return proxies;
}

TEST(encoded_proxy, merges_large_groups_with_duplicates) {
  const auto proxies = numbered_proxies(200);
  std::vector<proxy_view> several;
  for (int times = 0; times != 2; ++times) {
    for (const auto& one : proxies) several.push_back(one.view());
  }
  const auto merged = encoded_proxy::with_endpoints_of(several.front(), several);
  EXPECT_EQ(merged.view().endpoint_count, 200U);
}

TEST(encoded_proxy, is_given_another_identity) {
  const auto renamed = proxy_of(everything_hex).with_identity({"dummy", ""});
  EXPECT_EQ(renamed.view().identity, (identity_view{"dummy", ""}));
  EXPECT_EQ(renamed.view().facet, "facet");
  EXPECT_EQ(renamed.view().endpoint_count, 1U);
  EXPECT_EQ(renamed.with_identity({"hello", "cat"}), proxy_of(everything_hex));
  EXPECT_TRUE(encoded_proxy{}.with_identity({"dummy", ""}).is_null());
}

RC_GTEST_PROP(encoded_proxy, keeps_identities_and_adapter_ids_of_any_kind_and_length, ()) {
  const auto any_text = rc::gen::map(
      rc::gen::pair(rc::gen::inRange<std::size_t>(0, 700), rc::gen::arbitrary<std::string>()),
      [](std::pair<std::size_t, std::string> parts) { return std::string(parts.first, 'x') + parts.second; });
  const auto name = "n" + *any_text;
  const auto category = *any_text;
  const auto adapter_id = *any_text;
  const auto proxy = encoded_proxy::indirect({name, category}, adapter_id);
  const auto view = parse(proxy.content()).value();
  RC_ASSERT(view.identity.name == name);
  RC_ASSERT(view.identity.category == category);
  RC_ASSERT(view.adapter_id == adapter_id);
  RC_ASSERT(proxy.with_identity({"other", "one"}).with_identity({name, category}) == proxy);
}

RC_GTEST_PROP(encoded_proxy, reads_any_bytes_without_harm, (const bytes& content)) {
  const auto view = parse(content);
  if (view) RC_ASSERT(view->all.size() == content.size());
}

RC_GTEST_PROP(encoded_proxy, reads_damaged_proxies_without_harm, ()) {
  auto content = from_hex(*rc::gen::element(tcp_hex, everything_hex, indirect_hex, two_endpoints_hex));
  const auto place = *rc::gen::inRange<std::size_t>(0, content.size());
  content[place] = *rc::gen::arbitrary<std::uint8_t>();
  const auto read = encoded_proxy::read(content);
  if (read) RC_ASSERT(read->with_identity(read->view().identity) == *read);
}

}  // namespace
}  // namespace muster::catalog
