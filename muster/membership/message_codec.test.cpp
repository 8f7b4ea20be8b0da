#include "muster/membership/message_codec.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/golden.hpp"

namespace muster::membership {
namespace {

/// Makes messages and keeps what their views point to.
class some {
 public:
  std::string_view text(std::size_t min, std::size_t max) {
    std::string made(min + number(static_cast<std::uint64_t>(max - min)), 'x');
    for (char& letter : made) {
      letter = static_cast<char>(number(255));
    }
    return texts_.emplace_back(std::move(made));
  }

  byte_view blob(std::size_t max) {
    const std::string_view content = text(0, max);
    return {reinterpret_cast<const std::uint8_t*>(content.data()), content.size()};
  }

  static std::uint64_t number(std::uint64_t max) {
    return *rc::gen::arbitrary<std::uint64_t>() % (max + (max == ~std::uint64_t{0} ? 0 : 1));
  }
  static std::uint64_t any() { return *rc::gen::arbitrary<std::uint64_t>(); }
  static std::uint32_t any32() { return *rc::gen::arbitrary<std::uint32_t>(); }
  static incarnation life() { return incarnation{any() | 1U}; }

  membership::claim claim() {
    membership::claim out;
    out.standing = static_cast<standing>(number(4));
    out.name = text(1, name_bytes_max);
    out.incarnation = life();
    if (is_final(out.standing)) {
      out.remembered_s = any32();
      return out;
    }
    out.counter = any32();
    if (out.standing == standing::suspect) {
      out.accuser = incarnation{any()};
    }
    if (number(1) == 0) {
      out.address = text(1, address_bytes_max);
      out.meta = blob(meta_bytes_max);
    }
    return out;
  }

  std::vector<membership::claim> claims() {
    std::vector<membership::claim> out;
    for (std::uint64_t i = number(4); i > 0; --i) {
      out.push_back(claim());
    }
    return out;
  }

  membership::introduction introduction() {
    return {.cluster = text(1, cluster_bytes_max),
            .versions = {static_cast<std::uint8_t>(number(255)), static_cast<std::uint8_t>(number(255))},
            .address = text(1, address_bytes_max),
            .meta = blob(meta_bytes_max),
            .counter = any32()};
  }

  membership::message message() {
    membership::message out;
    out.from = {.name = text(1, name_bytes_max), .incarnation = life(), .to = incarnation{any()}};
    const std::uint64_t kind = number(9);
    switch (kind) {
      case 0: out.what = ping{any()}; break;
      case 1: out.what = ack{any()}; break;
      case 2: out.what = ping_request{any(), text(1, name_bytes_max), life()}; break;
      case 3: out.what = nack{any(), number(1) == 1}; break;
      case 4: out.what = gossip{}; break;
      case 5: out.what = hello{static_cast<hello_purpose>(number(2)), any(), introduction(), any()}; break;
      case 6: out.what = refused{any(), static_cast<refusal>(number(2)), introduction()}; break;
      case 7: {
        digest made{any(), introduction(), {}};
        made.buckets.resize(number(1) == 0 ? 0 : std::size_t{1} << number(7), any());
        out.what = made;
        break;
      }
      case 8: {
        records made{.sequence = any(), .who = introduction(), .is_last = number(1) == 1, .table = claims()};
        if (number(1) == 0) {
          made.bucket_count = static_cast<std::uint8_t>(1U << number(7));
          made.wanted_low = any();
          made.wanted_high = any();
        }
        out.what = made;
        break;
      }
      default: {
        removed_notice made{introduction(), any(), text(0, address_bytes_max), number(1) == 1, {}, {}, {}};
        if (number(1) == 0) {
          made.successor = life();
          made.successor_name = text(1, name_bytes_max);
          made.successor_address = text(0, address_bytes_max);
        }
        out.what = made;
        break;
      }
    }
    if (kind <= 4) {
      out.news = claims();
    }
    return out;
  }

 private:
  std::deque<std::string> texts_;
};

RC_GTEST_PROP(message_codec, reads_what_it_wrote, ()) {
  some source;
  const message sent = source.message();
  const bytes content = encode(sent);
  const auto read = decode(content);
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == sent);
}

RC_GTEST_PROP(message_codec, refuses_every_message_that_was_cut_short, ()) {
  some source;
  bytes content = encode(source.message());
  content.resize(static_cast<std::size_t>(some::number(content.size() - 1)));
  RC_ASSERT(!decode(content).has_value());
}

RC_GTEST_PROP(message_codec, reads_bytes_with_errors_as_something_that_can_be_written_or_not_at_all, ()) {
  some source;
  bytes content = encode(source.message());
  for (std::uint64_t i = 1 + some::number(3); i > 0; --i) {
    content[static_cast<std::size_t>(some::number(content.size() - 1))] = static_cast<std::uint8_t>(some::number(255));
  }
  if (const auto read = decode(content)) {
    const bytes again = encode(*read);
    const auto twice = decode(again);
    RC_ASSERT(twice.has_value());
    RC_ASSERT(*twice == *read);
  }
}

RC_GTEST_PROP(message_codec, knows_how_long_a_claim_is, ()) {
  some source;
  message one{.from = {.name = "a", .incarnation = incarnation{1}, .to = {}}, .what = gossip{}, .news = {}};
  const std::size_t before = encode(one).size();
  one.news.push_back(source.claim());
  RC_ASSERT(encode(one).size() == before + encoded_bytes(one.news[0]));
}

// --- the bytes themselves, as docs/protocols/membership.md describes them: other versions must read them ---

const bytes meta{0xaa};
const header a_to_b{.name = "a", .incarnation = incarnation{0x0102030405060708}, .to = incarnation{9}};
const introduction of_a{.cluster = "shop", .versions = {1, 1}, .address = "x:1", .meta = meta, .counter = 300};

TEST(membership_golden_file, holds_every_kind_of_message) {
  const auto of = [](body what, std::vector<claim> news = {}) {
    return message{.from = a_to_b, .what = std::move(what), .news = std::move(news)};
  };
  const std::vector<claim> news{
      {.standing = standing::alive,
       .name = "c",
       .incarnation = incarnation{1},
       .counter = 2,
       .address = "y:2",
       .meta = meta},
      {.standing = standing::suspect,
       .name = "d",
       .incarnation = incarnation{2},
       .counter = 3,
       .accuser = incarnation{4}},
      {.standing = standing::unreachable, .name = "e", .incarnation = incarnation{3}, .counter = 0},
      {.standing = standing::removed, .name = "f", .incarnation = incarnation{4}, .remembered_s = 3600}};
  const claim left{.standing = standing::left, .name = "g", .incarnation = incarnation{1}, .remembered_s = 1};
  tests::expect_golden<message>(
      "membership-1",
      {{"ping", of(ping{200}, news)},
       {"ack", of(ack{7})},
       {"ping_request", of(ping_request{7, "c", incarnation{5}})},
       {"nack", of(nack{7, true})},
       {"gossip", of(gossip{})},
       {"hello", of(hello{hello_purpose::join, 7, of_a, 0x11})},
       {"refused", of(refused{7, refusal::other_cluster, of_a})},
       {"digest", of(digest{7, of_a, {1, 2}})},
       {"records",
        of(records{.sequence = 7, .who = of_a, .is_last = true, .bucket_count = 2, .wanted_low = 3, .table = {left}})},
       {"removed_notice", of(removed_notice{of_a, 3, "w", true, incarnation{6}, "a", "v"})}},
      encode, [](const bytes& content) { return decode(content); });
}

TEST(message_bytes, the_digest_of_an_identity_is_the_same_in_every_build) {
  EXPECT_EQ(identity_key("node-1", incarnation{42}), identity_key("node-1", incarnation{42}));
  EXPECT_NE(identity_key("node-1", incarnation{42}), identity_key("node-1", incarnation{43}));
  EXPECT_NE(identity_key("node-1", incarnation{42}), identity_key("node-2", incarnation{42}));
  EXPECT_EQ(mixed(1), 0x5692161d100b05e5U);
}

// --- what is refused ---

TEST(message_codec, reads_a_handshake_that_a_later_program_made_longer) {
  bytes content = encode({.from = a_to_b, .what = hello{hello_purpose::join, 7, of_a, 0}, .news = {}});
  content.insert(content.end(), {1, 2, 3});
  EXPECT_TRUE(decode(content));
  content = encode({.from = a_to_b, .what = ping{7}, .news = {}});
  content.push_back(0);
  EXPECT_EQ(decode(content).error().code, errc::corrupt);
}

TEST(message_codec, refuses_versions_and_kinds_that_it_does_not_know) {
  bytes content = encode({.from = a_to_b, .what = ping{7}, .news = {}});
  content[0] = supported_versions.max + 1;
  EXPECT_EQ(decode(content).error().code, errc::incompatible);
  content[0] = 1;
  content[1] = 200;
  EXPECT_EQ(decode(content).error().code, errc::incompatible);
  content[0] = handshake_version;
  content[1] = 1;
  EXPECT_EQ(decode(content).error().code, errc::incompatible);
  EXPECT_EQ(decode(bytes{}).error().code, errc::corrupt);
}

TEST(message_codec, refuses_what_is_beyond_a_bound) {
  const std::string long_name(name_bytes_max + 1, 'n');
  EXPECT_FALSE(decode(
      encode({.from = {.name = long_name, .incarnation = incarnation{1}, .to = {}}, .what = gossip{}, .news = {}})));
  EXPECT_FALSE(
      decode(encode({.from = {.name = "", .incarnation = incarnation{1}, .to = {}}, .what = gossip{}, .news = {}})))
      << "a name has at least a letter";
  EXPECT_FALSE(
      decode(encode({.from = {.name = "a", .incarnation = incarnation{0}, .to = {}}, .what = gossip{}, .news = {}})))
      << "no process has the incarnation 0";
  introduction far = of_a;
  const std::string long_address(address_bytes_max + 1, 'a');
  far.address = long_address;
  EXPECT_FALSE(decode(encode({.from = a_to_b, .what = hello{hello_purpose::join, 1, far, 0}, .news = {}})));
  EXPECT_FALSE(decode(bytes(any_message_bytes_max + 1, 1)));
}

TEST(message_codec, does_not_believe_a_count_that_the_message_cannot_hold) {
  bytes content = encode({.from = a_to_b, .what = gossip{}, .news = {}});
  content.back() = 0xff;
  content.insert(content.end(), {0xff, 0xff, 0xff, 0x0f});
  EXPECT_EQ(decode(content).error().code, errc::corrupt);
}

}  // namespace
}  // namespace muster::membership
