// Slice-generated structs as messages, and Ice's own streams as the judge of what is written.

#include <Ice/Identity.h>
#include <Ice/InputStream.h>
#include <Ice/OutputStream.h>
#include <Ice/Version.h>
#include <IceGrid/Admin.h>
#include <gtest/gtest.h>

#include "muster/message/test_content.hpp"
#include "muster/message/test_sample.hpp"

template <>
inline constexpr std::string_view muster::message_name<Ice::Identity> = "::Ice::Identity";
template <>
inline constexpr std::string_view muster::message_name<IceGrid::ServerDynamicInfo> = "::IceGrid::ServerDynamicInfo";
template <>
inline constexpr std::string_view muster::message_name<IceGrid::AdapterDescriptor> = "::IceGrid::AdapterDescriptor";
template <>
inline constexpr std::string_view muster::message_name<IceGrid::AdapterDynamicInfo> = "::IceGrid::AdapterDynamicInfo";
template <>
inline constexpr std::string_view muster::message_name<IceGrid::NodeDynamicInfo> = "::IceGrid::NodeDynamicInfo";

namespace muster::message::testing {
namespace {

template <typename T>
bytes as_ice_writes(const T& value) {
  Ice::OutputStream stream;
  stream.write(value);
  bytes out;
  stream.finished(out);
  return out;
}

/// Version, size of the block, and then what Ice writes.
template <typename T>
bytes expected_content(const T& value) {
  const bytes inner = as_ice_writes(value);
  writer out;
  out.u8(content_version);
  out.size(inner.size());
  out.raw(inner);
  return out.written();
}

IceGrid::AdapterDescriptor some_adapter() {
  IceGrid::AdapterDescriptor out{};
  out.name = "api";
  out.id = std::string(300, 'i');
  out.registerProcess = true;
  out.serverLifetime = false;
  out.objects = {{{"a", "b"}, "::Test::A", "-s"}, {{"c", ""}, "", ""}};
  return out;
}

TEST(slice_struct_in_a_message, has_the_bytes_of_ice_after_its_size) {
  const Ice::Identity identity{"object", "category"};
  EXPECT_EQ(hex(content_of(identity)), hex(expected_content(identity)));
  const IceGrid::ServerDynamicInfo info{"server", IceGrid::ServerState::Active, 4711, true};
  EXPECT_EQ(hex(content_of(info)), hex(expected_content(info)));
  EXPECT_EQ(hex(content_of(some_adapter())), hex(expected_content(some_adapter()))) << "with structs within structs";
}

TEST(slice_struct_in_a_message, is_read_back) {
  const IceGrid::ServerDynamicInfo info{"server", IceGrid::ServerState::Activating, -1, true};
  EXPECT_EQ(message_of<IceGrid::ServerDynamicInfo>(content_of(info)), info);
  EXPECT_EQ(message_of<IceGrid::AdapterDescriptor>(content_of(some_adapter())), some_adapter());
}

TEST(slice_struct_in_a_message, is_checked_as_all_else) {
  const bytes content = content_of(some_adapter());
  for (std::size_t size = 0; size < content.size(); ++size) {
    ASSERT_FALSE(message_of<IceGrid::AdapterDescriptor>(byte_view{content}.first(size))) << size;
  }
  bytes wrong = content_of(IceGrid::ServerDynamicInfo{"s", IceGrid::ServerState::Active, 1, true});
  wrong[4] = 100;
  EXPECT_FALSE(message_of<IceGrid::ServerDynamicInfo>(wrong)) << "there is no such state";
}

TEST(slice_struct_in_a_message, grows_at_its_end) {
  EXPECT_EQ(message_of<Ice::Identity>(from_hex("01 03 01 6e 00")), (Ice::Identity{"n", ""}));
  EXPECT_EQ(message_of<Ice::Identity>(from_hex("01 05 01 6e 00 ff ff")), (Ice::Identity{"n", ""}));
  EXPECT_EQ(message_of<Ice::Identity>(from_hex("01 02 01 6e")), (Ice::Identity{"n", ""}));
}

struct located {
  static constexpr std::string_view message_name = "test.located";
  std::vector<Ice::Identity> all;
  std::map<std::string, IceGrid::ServerState> states;
  std::int32_t after{0};
};

TEST(slice_struct_in_a_message, may_be_a_member) {
  const auto read =
      message_of<located>(content_of(located{{{"a", "b"}, {"c", "d"}}, {{"x", IceGrid::ServerState::Inactive}}, 9}));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->all, (std::vector<Ice::Identity>{{"a", "b"}, {"c", "d"}}));
  EXPECT_EQ(read->states.at("x"), IceGrid::ServerState::Inactive);
  EXPECT_EQ(read->after, 9);
}

TEST(slice_struct_in_a_message, holds_no_proxy_and_no_instance_of_a_class) {
  EXPECT_TRUE(sendable<Ice::Identity>);
  EXPECT_FALSE(sendable<IceGrid::AdapterDynamicInfo>) << "it has a proxy";
  EXPECT_FALSE(sendable<IceGrid::NodeDynamicInfo>) << "and it has such";
  EXPECT_FALSE(serialisable<std::shared_ptr<Ice::ObjectPrx>>);
  EXPECT_FALSE(serialisable<IceGrid::ServerDescriptor>);
}

struct reading {
  static constexpr std::string_view message_name = "test.reading";
  bool yes{true};
  std::int16_t small{-2};
  std::int32_t number{3};
  std::int64_t large{-4};
  float f32{0.5F};
  double f64{1.25};
  std::string text{std::string(300, 't')};
  std::vector<std::int32_t> numbers{1, 2};
  std::map<std::string, std::int32_t> map{{"k", 7}};
};

TEST(aggregate_in_a_message, is_readable_by_ice_streams) {
  const reading sent;
  const bytes content = content_of(sent);
  Ice::InputStream stream{Ice::Encoding_1_1, content};
  Ice::Byte version = 0;
  stream.read(version);
  EXPECT_EQ(version, content_version);
  EXPECT_EQ(static_cast<std::size_t>(stream.readSize()), content.size() - 1 - 5);
  reading read;
  read = {false, 0, 0, 0, 0, 0, {}, {}, {}};
  stream.readAll(read.yes, read.small, read.number);
  Ice::Long large = 0;
  stream.read(large);
  stream.readAll(read.f32, read.f64, read.text, read.numbers, read.map);
  EXPECT_EQ(read.yes, sent.yes);
  EXPECT_EQ(read.small, sent.small);
  EXPECT_EQ(read.number, sent.number);
  EXPECT_EQ(large, sent.large);
  EXPECT_EQ(read.f32, sent.f32);
  EXPECT_EQ(read.f64, sent.f64);
  EXPECT_EQ(read.text, sent.text);
  EXPECT_EQ(read.numbers, sent.numbers);
  EXPECT_EQ(read.map, sent.map);
}

}  // namespace
}  // namespace muster::message::testing
