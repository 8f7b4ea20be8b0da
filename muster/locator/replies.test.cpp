#include "muster/locator/replies.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "muster/catalog/encoded_proxy.hpp"

namespace muster::locator {
namespace {

bytes text(std::initializer_list<int> head, std::string_view tail, std::initializer_list<int> end = {}) {
  bytes out;
  for (const int one : head) out.push_back(static_cast<std::uint8_t>(one));
  out.insert(out.end(), tail.begin(), tail.end());
  for (const int one : end) out.push_back(static_cast<std::uint8_t>(one));
  return out;
}

bytes copy(byte_view content) { return {content.begin(), content.end()}; }

TEST(replies, carry_one_proxy_in_the_encoding_of_the_request) {
  const auto hello = catalog::encoded_proxy::indirect({"hello", ""}, "");
  bytes out;
  append_proxy_reply(encoding::v1_1, hello.content(), out);
  EXPECT_EQ(out, text({0x16, 0, 0, 0, 1, 1, 5}, "hello", {0, 0, 0, 0, 1, 0, 1, 1, 0, 0}));
  out.clear();
  append_proxy_reply(encoding::v1_0, hello.content(), out);
  EXPECT_EQ(out, text({0x12, 0, 0, 0, 1, 0, 5}, "hello", {0, 0, 0, 0, 0, 0}));
}

TEST(replies, carry_the_null_proxy_as_two_zero_bytes) {
  bytes out;
  append_null_reply(encoding::v1_0, out);
  EXPECT_EQ(out, (bytes{8, 0, 0, 0, 1, 0, 0, 0}));
  out.clear();
  append_null_reply(encoding::v1_1, out);
  EXPECT_EQ(out, (bytes{8, 0, 0, 0, 1, 1, 0, 0}));
}

TEST(replies, are_written_behind_what_is_in_the_buffer) {
  bytes out{9};
  append_null_reply(encoding::v1_1, out);
  EXPECT_EQ(out, (bytes{9, 8, 0, 0, 0, 1, 1, 0, 0}));
}

TEST(replies, carry_a_sequence_of_proxies_also_a_long_one) {
  const auto one = catalog::encoded_proxy::indirect({"a", ""}, "");
  std::vector<byte_view> proxies{one.content(), one.content()};
  bytes out;
  append_proxies_reply(encoding::v1_0, proxies, out);
  const bytes in_1_0 = text({1}, "a", {0, 0, 0, 0, 0, 0});
  bytes expected{6 + 1 + 16, 0, 0, 0, 1, 0, 2};
  append(expected, in_1_0);
  append(expected, in_1_0);
  EXPECT_EQ(out, expected);

  proxies.assign(300, one.content());
  out.clear();
  append_proxies_reply(encoding::v1_1, proxies, out);
  EXPECT_EQ(out[6], 255) << "254 is the last size of one byte";
  EXPECT_EQ(out.size(), 6 + 5 + 300 * one.content().size());

  out.clear();
  append_proxies_reply(encoding::v1_1, {}, out);
  EXPECT_EQ(out, (bytes{7, 0, 0, 0, 1, 1, 0}));
}

// The bytes are those of a servant of libIce 3.7.8 that throws the exception.
TEST(replies, carry_an_exception_as_the_ice_runtime_writes_it) {
  EXPECT_EQ(copy(exception_reply(encoding::v1_1, locator_exception::object_not_found)),
            text({0x26, 0, 0, 0, 1, 1, 0, 0x1e}, "::Ice::ObjectNotFoundException"));
  EXPECT_EQ(copy(exception_reply(encoding::v1_0, locator_exception::object_not_found)),
            text({0x2a, 0, 0, 0, 1, 0, 0, 0x1e}, "::Ice::ObjectNotFoundException", {4, 0, 0, 0}));
  EXPECT_EQ(copy(exception_reply(encoding::v1_1, locator_exception::adapter_not_found)),
            text({0x27, 0, 0, 0, 1, 1, 0, 0x1f}, "::Ice::AdapterNotFoundException"));
}

TEST(replies, of_an_operation_that_returns_nothing_are_an_empty_encapsulation) {
  EXPECT_EQ(copy(void_reply(encoding::v1_0)), (bytes{6, 0, 0, 0, 1, 0}));
  EXPECT_EQ(copy(void_reply(encoding::v1_1)), (bytes{6, 0, 0, 0, 1, 1}));
}

}  // namespace
}  // namespace muster::locator
