#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "muster/base/prng.hpp"
#include "muster/gossip/message_codec.hpp"
#include "tests/support/golden.hpp"

namespace muster::gossip {
namespace {

std::uint64_t number() { return *rc::gen::arbitrary<std::uint64_t>(); }

shared_text some_text() { return shared_text{*rc::gen::arbitrary<std::string>()}; }

origin_id some_origin() { return {node_id{some_text()}, incarnation{number()}}; }

mark some_mark() { return {version{number()}, number(), number()}; }

/// Few different parts, so that neighbours are often equal.
registration some_registration() {
  return {some_text(),
          {shared_text{*rc::gen::element<std::string>("/user/a", "/user/b", "")},
           *rc::gen::element<std::uint64_t>(0, 1, ~std::uint64_t{0}),
           shared_text{*rc::gen::element<std::string>("t", "::Demo::Api", "")}}};
}

origin_update some_part() {
  origin_update out;
  out.origin = some_origin();
  out.is_whole = *rc::gen::arbitrary<bool>();
  for (int i = *rc::gen::inRange(0, 6); i > 0; --i) {
    out.operations.push_back({some_registration(), !out.is_whole && *rc::gen::arbitrary<bool>()});
  }
  out.after = some_mark();
  if (!out.is_whole) {
    out.base = version{number() / 2};
    out.after.at = version{out.base.value() + out.operations.size()};
  }
  out.more = number();
  return out;
}

message some_message() {
  const auto few = [] { return *rc::gen::inRange(0, 5); };
  switch (*rc::gen::inRange(0, 9)) {
    case 0: {
      update out{*rc::gen::arbitrary<std::uint8_t>(), {}};
      for (int i = few(); i > 0; --i) {
        out.parts.push_back(some_part());
      }
      return out;
    }
    case 1: return root{number()};
    case 2: {
      buckets out;
      for (auto& hash : out.hashes) {
        hash = 3;
      }
      out.hashes[static_cast<std::size_t>(*rc::gen::inRange(0, 256))] = number();
      return out;
    }
    case 3: {
      digest out{place{number()}, place{number()}, {}};
      for (int i = few(); i > 0; --i) {
        const bool is_forgotten = *rc::gen::arbitrary<bool>();
        out.lines.push_back({some_origin(), version{is_forgotten ? 0 : number() / 2 + 1}, is_forgotten});
      }
      return out;
    }
    case 4: return greeting{some_mark(), *rc::gen::arbitrary<bool>()};
    case 5: {
      want out;
      for (int i = few(); i > 0; --i) {
        out.lines.push_back({some_origin(), version{number()}});
      }
      return out;
    }
    case 6: {
      const auto count = static_cast<std::uint32_t>(1 + few());
      chunk out{some_origin(), some_mark(), static_cast<std::uint32_t>(number() % count), count, {}};
      for (int i = few(); i > 0; --i) {
        out.content.push_back(some_registration());
      }
      return out;
    }
    case 7: {
      want_chunks out{some_origin(), version{number()}, {}};
      for (int i = few(); i > 0; --i) {
        out.indexes.push_back(static_cast<std::uint32_t>(number() % wire_chunks_max));
      }
      return out;
    }
    default: return forgotten{some_origin()};
  }
}

RC_GTEST_PROP(gossip_codec, reads_what_it_wrote, ()) {
  const message sent = some_message();
  const auto read = decode(encode(sent));
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == sent);
}

RC_GTEST_PROP(gossip_codec, refuses_every_message_that_was_cut_short_or_made_longer, ()) {
  bytes content = encode(some_message());
  bytes longer = content;
  longer.push_back(0);
  RC_ASSERT(!decode(longer).has_value());
  content.resize(static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(content.size()))));
  RC_ASSERT(!decode(content).has_value());
}

RC_GTEST_PROP(gossip_codec, writes_again_whatever_it_can_read, ()) {
  bytes content = encode(some_message());
  for (int i = *rc::gen::inRange(1, 4); i > 0; --i) {
    content[static_cast<std::size_t>(number()) % content.size()] = *rc::gen::arbitrary<std::uint8_t>();
  }
  if (const auto read = decode(content)) {
    const auto again = decode(encode(*read));
    RC_ASSERT(again.has_value());
    RC_ASSERT(*again == *read);
  }
}

RC_GTEST_PROP(gossip_codec, has_an_upper_bound_of_what_a_registration_takes, ()) {
  update one{0, {{}}};
  const std::size_t empty = encode(one).size();
  const registration what = some_registration();
  one.parts[0].operations.push_back({what, true});
  RC_ASSERT(encode(one).size() - empty <= encoded_bytes_max(what));
}

TEST(gossip_codec, refuses_versions_and_kinds_that_it_does_not_know) {
  bytes content = encode(root{7});
  content[0] = wire_version + 1;
  EXPECT_EQ(decode(content).error().code, errc::incompatible);
  content[0] = wire_version;
  content[1] = 200;
  EXPECT_EQ(decode(content).error().code, errc::incompatible);
  EXPECT_EQ(decode(bytes{}).error().code, errc::corrupt);
}

TEST(gossip_codec, refuses_what_cannot_be) {
  EXPECT_FALSE(decode(encode(chunk{make_origin("A", 1), {}, 3, 3, {}}))) << "a chunk beyond the last";
  EXPECT_FALSE(decode(encode(want_chunks{make_origin("A", 1), {}, {wire_chunks_max}})));
  update one{0, {{make_origin("A", 1), true, version{}, {{{shared_text{"k"}, {}}, true}}, {}, 0}}};
  EXPECT_FALSE(decode(encode(one))) << "a removal in a whole";
  one.parts[0].is_whole = false;
  one.parts[0].base = version{~std::uint64_t{0}};
  EXPECT_FALSE(decode(encode(one))) << "versions beyond the last number";
}

TEST(gossip_codec, is_not_led_by_a_count_to_allocate_more_than_came) {
  // An update that says it has 2^40 parts, and one part that says it has 2^40 operations.
  EXPECT_FALSE(decode(bytes{1, 0, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20}));
  EXPECT_FALSE(decode(bytes{1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20}));
}

TEST(gossip_codec, shares_the_text_of_equal_neighbours) {
  update sent{0, {{}}};
  for (const char* const key : {"a", "b"}) {
    sent.parts[0].operations.push_back({{shared_text{key}, {shared_text{"/user/x"}, 1, shared_text{"api"}}}, false});
  }
  sent.parts[0].after.at = version{2};
  const auto read = decode(encode(sent));
  const auto& operations = std::get<update>(*read).parts.at(0).operations;
  EXPECT_TRUE(operations[0].what.what.path.is_same_block(operations[1].what.what.path));
  EXPECT_TRUE(operations[0].what.what.type.is_same_block(operations[1].what.what.type));
}

TEST(gossip_golden_file, holds_every_kind_of_message) {
  const registration first{shared_text{"api"}, {shared_text{"/user/a"}, 7, shared_text{"t"}}};
  const registration second{shared_text{"db"}, {shared_text{"/user/a"}, 7, shared_text{"u"}}};
  const mark after{version{300}, 2, 0x0102030405060708};
  const origin_id a = make_origin("A", 5);
  buckets hashes;
  hashes.hashes[255] = 1;
  tests::expect_golden<message>(
      "gossip-1",
      {{"update", update{3, {{a, false, version{298}, {{first, false}, {second, true}}, after, 1}}}},
       {"update_whole", update{0, {{a, true, version{}, {{first, false}}, after, 0}}}},
       {"update_hint", update{0, {{a, false, version{300}, {}, after, 0}}}},
       {"root", root{0x1122334455667788}},
       {"buckets", hashes},
       {"digest", digest{place{1}, place{2}, {{a, version{9}, false}, {make_origin("B", 6), {}, true}}}},
       {"greeting", greeting{after, true}},
       {"want", want{{{a, version{300}}}}},
       {"chunk", chunk{a, after, 1, 2, {first, second}}},
       {"want_chunks", want_chunks{a, version{300}, {1, 200}}},
       {"forgotten", forgotten{a}}},
      encode, [](const bytes& content) { return decode(content); });
}

}  // namespace
}  // namespace muster::gossip
