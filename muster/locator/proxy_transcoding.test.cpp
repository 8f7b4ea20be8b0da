#include "muster/locator/proxy_transcoding.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <string_view>

namespace muster::locator {
namespace {

bytes from_hex(std::string_view hex) {
  const auto digit = [](char c) { return static_cast<std::uint8_t>(c <= '9' ? c - '0' : c - 'a' + 10); };
  bytes out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    out.push_back(static_cast<std::uint8_t>(digit(hex[i]) * 16 + digit(hex[i + 1])));
  }
  return out;
}

result<bytes> transcode(byte_view proxy, encoding from, encoding to) {
  ice_reader in{proxy};
  bytes out;
  if (auto done = transcode_proxy(in, from, to, out); !done) return fail(std::move(done.error()));
  EXPECT_TRUE(in.at_end());
  return out;
}

// One proxy in both encodings, as libIce 3.7.8 writes it.
struct sample {
  const char* text;
  const char* in_1_0;
  const char* in_1_1;
};

constexpr sample samples[]{
    {"hello", "0568656c6c6f000000000000", "0568656c6c6f00000000010001010000"},
    {"a/b -f facet:tcp -h h -p 1 -t infinite",
     "0162016101056661636574000001"
     "0100110000000100016801000000ffffffff00",
     "016201610105666163657400000100010101"
     "0100110000000101016801000000ffffffff00"},
    {"a/b -o -e 1.0:udp -h 239.1.1.1 -p 3 -z",
     "0162016100010001"
     "0300190000000100093233392e312e312e31030000000100010001",
     "016201610001000100010001"
     "0300150000000101093233392e312e312e310300000001"},
    {"dummy:tcp -p 1",
     "0564756d6d79000000000101001000000001"
     "0000010000"
     "0060ea000000",
     "0564756d6d790000000001000101010100100000000101000100000060ea000000"},
    {"x:ssl -h s -p 2 -t 55 -z", "0178000000000102001100000001000173020000003700000001",
     "01780000000001000101"
     "0102001100000001010173020000003700000001"},
    {"x:ws -h w -p 3 -r /foo", "01780000000001040016000000010001770300000060ea000000042f666f6f",
     "01780000000001000101"
     "01040016000000010101770300000060ea000000042f666f6f"},
    {"x:wss -h w -p 3 -r /foo", "01780000000001050016000000010001770300000060ea000000042f666f6f",
     "01780000000001000101"
     "01050016000000010101770300000060ea000000042f666f6f"},
    {"x:opaque -t 99 -e 1.1 -v AAAA",
     "0178000000000163000900000001"
     "01000000",
     "017800000000010001010163000900000001"
     "01000000"},
    {"x -s -O:tcp -h 127.0.0.1 -p 3:udp -h h -p 4",
     "0178000002010201001900000001"
     "00093132372e302e302e310300000060ea000000"
     "03001100000001000168040000000100010000",
     "017800000201010001010201001900000001"
     "01093132372e302e302e310300000060ea000000"
     "03000d0000000101016804000000"
     "00"},
    {"the null proxy", "0000", "0000"},
};

TEST(proxy_transcoding, writes_1_0_as_the_ice_runtime_does) {
  for (const auto& one : samples) {
    const auto out = transcode(from_hex(one.in_1_1), encoding::v1_1, encoding::v1_0);
    ASSERT_TRUE(out) << one.text;
    EXPECT_EQ(*out, from_hex(one.in_1_0)) << one.text;
  }
}

TEST(proxy_transcoding, reads_1_0_and_takes_the_versions_that_it_does_not_carry_for_1_0) {
  for (const auto& one : samples) {
    const auto out = transcode(from_hex(one.in_1_0), encoding::v1_0, encoding::v1_1);
    ASSERT_TRUE(out) << one.text;
    const auto again = transcode(*out, encoding::v1_1, encoding::v1_0);
    ASSERT_TRUE(again) << one.text;
    EXPECT_EQ(*again, from_hex(one.in_1_0)) << one.text;
  }
  const auto hello = transcode(from_hex(samples[0].in_1_0), encoding::v1_0, encoding::v1_1);
  EXPECT_EQ(*hello, from_hex("0568656c6c6f00000000010001000000")) << "protocol 1.0, encoding 1.0";
}

TEST(proxy_transcoding, keeps_a_proxy_in_its_own_encoding_as_it_is) {
  for (const auto& one : samples) {
    EXPECT_EQ(transcode(from_hex(one.in_1_1), encoding::v1_1, encoding::v1_1), from_hex(one.in_1_1)) << one.text;
  }
}

TEST(proxy_transcoding, takes_an_identity_without_a_name_for_the_null_proxy_as_ice_does) {
  bytes input = from_hex("0003636174ff");
  ice_reader in{input};
  bytes out;
  ASSERT_TRUE(transcode_proxy(in, encoding::v1_1, encoding::v1_1, out));
  EXPECT_EQ(out, from_hex("0000"));
  EXPECT_EQ(in.rest().size(), 1U) << "what follows is not the proxy's";
}

TEST(proxy_transcoding, keeps_an_endpoint_whose_content_is_not_what_its_type_says) {
  // A tcp endpoint with one byte too many, and one of an encoding from the future.
  const auto odd = from_hex(
      "0178000000000100010102"
      "01000d0000000101016801000000"
      "ff"
      "0100"
      "08000000"
      "0205"
      "abcd");
  const auto out = transcode(odd, encoding::v1_1, encoding::v1_0);
  ASSERT_TRUE(out);
  EXPECT_EQ(*out, from_hex("0178000000"
                           "0002"
                           "01000d0000000101016801000000"
                           "ff"
                           "0100"
                           "08000000"
                           "0205"
                           "abcd"));
}

TEST(proxy_transcoding, refuses_what_is_cut_off_anywhere_and_writes_nothing) {
  for (const auto& one : samples) {
    const bytes whole = from_hex(one.in_1_1);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      bytes out{1, 2, 3};
      ice_reader in{byte_view{whole}.first(size)};
      const auto done = transcode_proxy(in, encoding::v1_1, encoding::v1_0, out);
      ASSERT_FALSE(done) << one.text << " cut after " << size;
      EXPECT_EQ(done.error().code, errc::corrupt);
      EXPECT_EQ(out, (bytes{1, 2, 3}));
    }
  }
}

RC_GTEST_PROP(proxy_transcoding, survives_any_bytes, (const bytes& input)) {
  for (const encoding from : {encoding::v1_0, encoding::v1_1}) {
    for (const encoding to : {encoding::v1_0, encoding::v1_1}) {
      ice_reader in{input};
      bytes out;
      if (!transcode_proxy(in, from, to, out)) continue;
      // What was written can be read, and is then a fixed point.
      ice_reader second{out};
      bytes again;
      RC_ASSERT(transcode_proxy(second, to, to, again).has_value());
      RC_ASSERT(second.at_end());
      RC_ASSERT(again == out);
    }
  }
}

}  // namespace
}  // namespace muster::locator
