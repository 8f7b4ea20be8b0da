// Proxies and instances of Slice classes in messages: written by muster/message, read by a communicator.

#include "muster/ice/message_streams.hpp"

#include <Ice/Ice.h>
#include <MusterTest/parts.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "muster/base/prng.hpp"
#include "muster/message/test_content.hpp"
#include "tests/support/event_recorder.hpp"

using house = MusterTest::House;
using door = MusterTest::Door;
using room_ptr = std::shared_ptr<MusterTest::Room>;
using gate_ptr = std::shared_ptr<MusterTest::GatePrx>;

template <>
inline constexpr std::string_view muster::message_name<door> = "::MusterTest::Door";
template <>
inline constexpr std::string_view muster::message_name<house> = "::MusterTest::House";
template <>
inline constexpr std::string_view muster::message_name<room_ptr> = "::MusterTest::Room";
template <>
inline constexpr std::string_view muster::message_name<gate_ptr> = "::MusterTest::Gate*";
template <>
inline constexpr std::string_view muster::message_name<std::shared_ptr<MusterTest::Kept>> = "::MusterTest::Kept";
template <>
inline constexpr std::string_view muster::message_name<std::shared_ptr<MusterTest::Row>> = "::MusterTest::Row";
template <>
inline constexpr std::string_view muster::message_name<std::shared_ptr<Ice::Value>> = "::Ice::Object";

namespace muster::ice {
namespace {

using message::reader;
using message::writer;
using message::testing::content_of;

/// Each kind of place that a value may stand in.
struct everything {
  static constexpr std::string_view message_name = "test.everything";
  gate_ptr one;
  std::vector<gate_ptr> several;
  std::optional<room_ptr> maybe;
  std::map<std::string, room_ptr> by_name;
  std::variant<std::int32_t, gate_ptr, room_ptr> either;
  door with_proxies;
  std::vector<house> houses;
  std::string last;
};

room_ptr some_room(const std::string& name) {
  auto out = std::make_shared<MusterTest::Room>();
  out->name = name;
  return out;
}
std::shared_ptr<MusterTest::Hall> some_hall(const std::string& name, double height) {
  auto out = std::make_shared<MusterTest::Hall>();
  out->name = name;
  out->height = height;
  return out;
}

bytes content_with_block(const bytes& block) {
  writer out;
  out.u8(message::content_version);
  out.size(block.size());
  out.raw(block);
  return out.written();
}

/// One that sends, with a communicator of its own, and one that reads.
class messages_with_parts_of_ice : public ::testing::Test {
 protected:
  messages_with_parts_of_ice() : ours_{Ice::initialize()} {}
  ~messages_with_parts_of_ice() override { ours_->destroy(); }

  [[nodiscard]] gate_ptr gate_at(const std::string& text) const {
    return Ice::uncheckedCast<MusterTest::GatePrx>(ours_->stringToProxy(text));
  }
  [[nodiscard]] gate_ptr some_gate() const {
    return gate_at("g/c -f facet -o -e 1.1:tcp -h 127.0.0.1 -p 9:udp -h \"::1\" -p 8");
  }
  [[nodiscard]] door some_door() const {
    return {"d", some_gate(), ours_->stringToProxy("b @ adapter"), {some_gate(), nullptr, gate_at("only-a-name")}, 7};
  }
  [[nodiscard]] everything some_of_all() const {
    everything out{some_gate(), {some_gate(), nullptr}, some_room("m"), {}, some_gate(), some_door(), {}, "z"};
    out.by_name = {{"h", some_hall("h", 2.5)}, {"n", nullptr}};
    out.houses.push_back({1, some_hall("a", 3), some_room("b"), "street"});
    return out;
  }

  template <typename T>
  [[nodiscard]] std::optional<T> read(byte_view content) const {
    return message::testing::message_of<T>(content, nullptr, &streams_);
  }
  template <typename T>
  [[nodiscard]] std::optional<T> sent(const T& what) const {
    return read<T>(content_of(what));
  }
  /// What Ice reads of a block.
  template <typename T>
  [[nodiscard]] T as_ice_reads(const bytes& content) const {
    reader from{content};
    EXPECT_EQ(from.u8(), message::content_version);
    const byte_view block = from.raw(from.size());
    Ice::InputStream stream{ours_, Ice::Encoding_1_1, std::pair{block.data(), block.data() + block.size()}};
    T out{};
    stream.read(out);
    stream.readPendingValues();
    return out;
  }

  std::shared_ptr<tests::event_recorder> log_{std::make_shared<tests::event_recorder>()};
  const Ice::CommunicatorPtr ours_;
  const message_streams streams_{{}, log_};
};

TEST_F(messages_with_parts_of_ice, bring_a_proxy_as_it_was) {
  const gate_ptr sent_one = some_gate();
  const auto got = sent(sent_one);
  ASSERT_TRUE(got);
  EXPECT_EQ((*got)->ice_toString(), sent_one->ice_toString());
  EXPECT_NE((*got)->ice_getCommunicator(), ours_);
  const auto far = sent(some_door());
  ASSERT_TRUE(far);
  EXPECT_EQ(far->front->ice_getIdentity(), sent_one->ice_getIdentity());
  EXPECT_EQ(far->back->ice_getAdapterId(), "adapter");
  ASSERT_EQ(far->others.size(), 3U);
  EXPECT_EQ(far->others[1], nullptr);
  EXPECT_EQ(far->others[2]->ice_toString(), gate_at("only-a-name")->ice_toString());
  EXPECT_EQ(far->number, 7);
}

TEST_F(messages_with_parts_of_ice, can_be_read_by_ice_programs) {
  EXPECT_TRUE(Ice::targetEqualTo(as_ice_reads<gate_ptr>(content_of(some_gate())), some_gate()));
  const auto seen = as_ice_reads<door>(content_of(some_door()));
  EXPECT_TRUE(Ice::targetEqualTo(seen.others.at(0), some_gate()));
  EXPECT_EQ(seen.number, 7);
  const room_ptr hall = some_hall("h", 2.5);
  const auto got = std::dynamic_pointer_cast<MusterTest::Hall>(as_ice_reads<room_ptr>(content_of(hall)));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->height, 2.5);
  EXPECT_EQ(as_ice_reads<house>(content_of(house{1, hall, hall, "street"})).street, "street");
}

TEST_F(messages_with_parts_of_ice, bring_an_instance_of_whatever_derived_class) {
  const auto got = sent<room_ptr>(some_hall("h", 2.5));
  ASSERT_TRUE(got);
  const auto hall = std::dynamic_pointer_cast<MusterTest::Hall>(*got);
  ASSERT_TRUE(hall);
  EXPECT_EQ(hall->name, "h");
  EXPECT_EQ(hall->height, 2.5);
  const auto none = sent<room_ptr>(nullptr);
  ASSERT_TRUE(none);
  EXPECT_EQ(*none, nullptr);
}

TEST_F(messages_with_parts_of_ice, bring_what_is_held_twice_once) {
  const auto shared = some_room("shared");
  shared->way = some_gate();
  shared->note = std::string{"n"};
  const auto top = some_room("top");
  top->next = {shared, nullptr, shared};
  const auto got = sent(house{1, top, shared, "street"});
  ASSERT_TRUE(got);
  ASSERT_EQ(got->first->next.size(), 3U);
  EXPECT_EQ(got->first->next[0], got->first->next[2]);
  EXPECT_EQ(got->first->next[0], got->second);
  EXPECT_EQ(got->second->way->ice_getIdentity(), some_gate()->ice_getIdentity());
  EXPECT_EQ(got->second->note, Ice::optional<std::string>{"n"});
  EXPECT_EQ(got->street, "street");
}

TEST_F(messages_with_parts_of_ice, bring_a_cycle_only_where_a_property_allows_it) {
  const auto top = some_room("top");
  top->next = {some_room("below")};
  top->next[0]->next = {top};
  const bytes content = content_of(top);
  top->next[0]->next.clear();
  EXPECT_FALSE(read<room_ptr>(content));
  const message_streams allowing{{{"Ice.AcceptClassCycles", "1"}}, log_};
  const auto got = message::testing::message_of<room_ptr>(content, nullptr, &allowing);
  ASSERT_TRUE(got);
  EXPECT_EQ((*got)->next[0]->next[0], *got);
  (*got)->next[0]->next.clear();  // or it would never end
}

TEST_F(messages_with_parts_of_ice, may_have_them_anywhere) {
  const auto got = sent(some_of_all());
  ASSERT_TRUE(got);
  EXPECT_TRUE(Ice::targetEqualTo(got->one, got->several.at(0)));
  EXPECT_EQ(got->several.at(1), nullptr);
  EXPECT_EQ((*got->maybe)->name, "m");
  EXPECT_EQ(std::dynamic_pointer_cast<MusterTest::Hall>(got->by_name.at("h"))->height, 2.5);
  EXPECT_EQ(got->by_name.at("n"), nullptr);
  EXPECT_TRUE(Ice::targetEqualTo(std::get<gate_ptr>(got->either), got->one));
  EXPECT_EQ(got->with_proxies.name, "d");
  EXPECT_EQ(got->houses.at(0).second->name, "b");
  EXPECT_EQ(got->last, "z");
}

bytes patched(bytes content, const std::string& old, const std::string& now) {
  EXPECT_EQ(old.size(), now.size());
  const auto at = std::search(content.begin(), content.end(), old.begin(), old.end());
  EXPECT_NE(at, content.end()) << old;
  if (at != content.end()) std::copy(now.begin(), now.end(), at);
  return content;
}

TEST_F(messages_with_parts_of_ice, of_a_later_build_lose_the_classes_that_are_not_known) {
  const bytes content = patched(content_of<room_ptr>(some_hall("h", 2.5)), "::MusterTest::Hall", "::MusterTest::Tall");
  const auto got = read<room_ptr>(content);
  ASSERT_TRUE(got);
  EXPECT_EQ(std::dynamic_pointer_cast<MusterTest::Hall>(*got), nullptr);
  EXPECT_EQ((*got)->name, "h");

  const auto more = std::make_shared<MusterTest::KeptMore>();
  more->name = "k";
  more->more = "m";
  const bytes later =
      patched(content_of<std::shared_ptr<MusterTest::Kept>>(more), "::MusterTest::KeptMore", "::MusterTest::KeptLess");
  const auto kept = read<std::shared_ptr<MusterTest::Kept>>(later);
  ASSERT_TRUE(kept);
  EXPECT_EQ((*kept)->name, "k");
  EXPECT_EQ(content_of(*kept), later) << "what Slice preserves goes on as it came";
}

TEST_F(messages_with_parts_of_ice, grow_at_the_end_of_a_struct) {
  bytes content = content_of(house{1, some_room("a"), nullptr, ""});
  ASSERT_EQ(content.back(), 0) << "an empty street";
  content.pop_back();
  --content.at(1);
  const auto earlier = read<house>(content);
  ASSERT_TRUE(earlier) << "of a build that had no street yet";
  EXPECT_EQ(earlier->first->name, "a");
  content.insert(content.end(), {0, 0xaa, 0xbb});
  content.at(1) = static_cast<std::uint8_t>(content.at(1) + 3);
  const auto later = read<house>(content);
  ASSERT_TRUE(later) << "of a build that has more";
  EXPECT_EQ(later->first->name, "a");
}

TEST_F(messages_with_parts_of_ice, of_another_class_are_not_taken) {
  const bytes content = content_of<std::shared_ptr<MusterTest::Kept>>(std::make_shared<MusterTest::Kept>());
  EXPECT_TRUE(read<std::shared_ptr<MusterTest::Kept>>(content));
  EXPECT_FALSE(read<room_ptr>(content));
}

TEST_F(messages_with_parts_of_ice, of_too_many_levels_are_not_taken) {
  const auto nested = [](int levels) {
    room_ptr out = some_room("x");
    for (; levels > 1; --levels) {
      const auto above = some_room("x");
      above->next = {out};
      out = above;
    }
    return out;
  };
  EXPECT_TRUE(sent(nested(100)));
  EXPECT_FALSE(sent(nested(101)));
  EXPECT_FALSE(sent(nested(5000)));
  const message_streams shallow{{{"Ice.ClassGraphDepthMax", "3"}}, log_};
  EXPECT_FALSE(message::testing::message_of<room_ptr>(content_of(nested(4)), nullptr, &shallow));
}

enum class naming { by_name, by_number, by_empty_name, by_nothing };

/// Each an instance of one slice, the last there is, with an indirection table of one: the next. Bytes that nobody
/// reads stand behind it, so that memory is not what it fails for.
bytes unknown_instances(std::size_t levels, naming how) {
  constexpr unsigned table = 0x08;
  constexpr unsigned size_and_last = 0x30;
  writer inner;
  for (std::size_t left = levels + 1; left != 0; --left) {
    const bool is_first = left == levels + 1;
    const unsigned flags = size_and_last | (left == 1 ? 0 : table);
    const auto head = [&](unsigned name) { inner.u8(static_cast<std::uint8_t>(flags | name)); };
    inner.u8(1);  // an instance
    if (how == naming::by_nothing) {
      head(0);
    } else if (how == naming::by_number) {
      head(3);
      inner.size(77);
    } else if (is_first) {
      head(1);
      inner.string(how == naming::by_name ? "::No::Such" : "");
    } else {
      head(2);
      inner.size(1);  // as the first
    }
    inner.u32(4);  // nothing in the slice
    if (left != 1) inner.size(1);
  }
  inner.raw(bytes(levels * 16));
  return content_with_block(inner.written());
}

TEST_F(messages_with_parts_of_ice, of_unknown_classes_within_each_other_are_not_taken) {
  for (const auto how : {naming::by_name, naming::by_number, naming::by_empty_name, naming::by_nothing}) {
    const int which = static_cast<int>(how);
    EXPECT_TRUE(read<std::shared_ptr<Ice::Value>>(unknown_instances(50, how))) << which;
    EXPECT_TRUE(read<std::shared_ptr<Ice::Value>>(unknown_instances(2'000, how))) << which;
    EXPECT_FALSE(read<std::shared_ptr<Ice::Value>>(unknown_instances(6'000, how))) << which;
    EXPECT_FALSE(read<std::shared_ptr<Ice::Value>>(unknown_instances(300'000, how))) << which;
  }
}

/// In the compact form of Ice, in which an instance without members takes three bytes.
bytes row_of(std::size_t count) {
  writer inner;
  inner.u8(1);     // an instance
  inner.u8(0x21);  // of the type that follows, and nothing else
  inner.string("::MusterTest::Row");
  inner.size(count);
  for (std::size_t left = count; left != 0; --left) {
    inner.u8(1);
    inner.u8(left == count ? 0x21 : 0x22);
    if (left == count) inner.string("::MusterTest::Wide");
    if (left != count) inner.size(2);  // the second type
  }
  return content_with_block(inner.written());
}

TEST_F(messages_with_parts_of_ice, take_memory_for_instances_in_proportion) {
  const auto got = read<std::shared_ptr<MusterTest::Row>>(row_of(100));
  ASSERT_TRUE(got);
  EXPECT_EQ((*got)->all.size(), 100U);
  EXPECT_FALSE(read<std::shared_ptr<MusterTest::Row>>(row_of(4'000)));

  const auto large = std::make_shared<MusterTest::Row>();
  for (int i = 0; i < 4'000; ++i) large->all.push_back(std::make_shared<MusterTest::Wide>());
  EXPECT_TRUE(sent(large)) << "as it is written there are more bytes to each";
}

/// Rooms beside each other in a message, each of which leads to the one before.
bytes chain_of(std::size_t count) {
  writer inner;
  inner.u8(1);
  inner.u8(0x21);
  inner.string("::MusterTest::Room");
  inner.string("top");
  inner.size(count);
  for (std::size_t i = 0; i < count; ++i) {
    inner.u8(1);
    inner.u8(0x22);
    inner.size(1);
    inner.string({});
    inner.size(i == 0 ? 0 : 1);
    if (i != 0) inner.size(i + 2);  // 1 says that an instance follows, 2 is the top
    inner.raw(bytes{0, 0});
  }
  inner.raw(bytes{0, 0});
  return content_with_block(inner.written());
}

TEST_F(messages_with_parts_of_ice, hang_on_each_other_no_longer_than_one_can_destroy_the_next) {
  const auto got = read<room_ptr>(chain_of(4'999));
  ASSERT_TRUE(got);
  EXPECT_EQ((*got)->next.at(4'998)->next.at(0), (*got)->next.at(4'997));
  EXPECT_FALSE(read<room_ptr>(chain_of(5'000)));
  EXPECT_FALSE(read<room_ptr>(chain_of(1'000'000)));
}

TEST_F(messages_with_parts_of_ice, cut_short_at_each_byte_are_not_taken) {
  const bytes content = content_of(some_of_all());
  ASSERT_TRUE(read<everything>(content));
  for (std::size_t size = 0; size < content.size(); ++size) {
    const bytes cut(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(size));
    ASSERT_FALSE(read<everything>(cut)) << size;
  }
}

TEST_F(messages_with_parts_of_ice, claim_endpoints_in_vain) {
  // A name, no category, no facet, mode, not secure, versions, and 2^31 - 1 endpoints.
  const bytes content = message::testing::from_hex("01 10 01 6e 00 00 00 00 01 00 01 01 ff ff ff ff 7f 00");
  EXPECT_FALSE(read<gate_ptr>(content));
  EXPECT_TRUE(read<gate_ptr>(message::testing::from_hex("01 0c 01 6e 00 00 00 00 01 00 01 01 00 00")));
}

TEST_F(messages_with_parts_of_ice, at_random_do_no_harm) {
  prng random{11};
  const bytes valid = content_of(some_of_all());
  std::size_t taken = 0;
  for (int i = 0; i < 10'000; ++i) {
    bytes content = valid;
    for (auto changes = random.below(4); changes != 0; --changes) {
      content[random.below(content.size())] = static_cast<std::uint8_t>(random());
    }
    const auto got = read<everything>(content);
    taken += got ? 1U : 0U;
    ASSERT_TRUE(!got || sent(*got).has_value()) << "what was taken is a message like any other";
  }
  EXPECT_GT(taken, 0U);
  EXPECT_LT(taken, 10'000U);
  for (int i = 0; i < 10'000; ++i) {
    bytes content(2 + random.below(100));
    for (auto& one : content) one = static_cast<std::uint8_t>(random.below(8) == 0 ? random() : random.below(4));
    content[0] = message::content_version;
    content[1] = static_cast<std::uint8_t>(content.size() - 2);
    (void)read<room_ptr>(content);
    (void)read<house>(content);
    (void)read<door>(content);
  }
}

TEST_F(messages_with_parts_of_ice, bring_proxies_that_connect_as_the_properties_say_in_bounded_time) {
  const auto properties_with = [&](const config::property_map& given) {
    const message_streams by{given, log_};
    const auto got = message::testing::message_of<gate_ptr>(content_of(some_gate()), nullptr, &by);
    EXPECT_TRUE(got);
    return got ? (*got)->ice_getCommunicator()->getProperties() : Ice::createProperties();
  };
  const auto some = properties_with({{"Ice.Default.Locator", "l:tcp -h 127.0.0.1 -p 9"},
                                     {"Ice.Admin.Endpoints", "tcp -h 127.0.0.1"},
                                     {"cluster.name", "shop"}});
  EXPECT_EQ(some->getProperty("Ice.Default.Locator"), "l:tcp -h 127.0.0.1 -p 9");
  EXPECT_EQ(some->getProperty("Ice.Admin.Endpoints"), "") << "which the program's own communicator opens";
  EXPECT_EQ(some->getProperty("Ice.Override.ConnectTimeout"), "3000");
  EXPECT_EQ(some->getProperty("Ice.Override.CloseTimeout"), "1000");
  EXPECT_EQ(properties_with({{"Ice.Override.CloseTimeout", "50"}})->getProperty("Ice.Override.CloseTimeout"), "50");
}

TEST_F(messages_with_parts_of_ice, are_dropped_with_a_line_in_the_log_where_ice_does_not_start) {
  const message_streams broken{{{"IceSSL.CAs", "/no/such/file"}}, log_};
  EXPECT_FALSE(message::testing::message_of<gate_ptr>(content_of(some_gate()), nullptr, &broken));
  EXPECT_FALSE(message::testing::message_of<room_ptr>(content_of(some_room("r")), nullptr, &broken));
  EXPECT_TRUE(log_->wait_for("proxies_not_readable", "/no/such/file"));
}

}  // namespace
}  // namespace muster::ice
