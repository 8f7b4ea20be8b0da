// Types of Slice as messages, and Ice's own streams as the judge of what is written. What can be read by a communicator
// only is read in muster/ice/message_streams.test.cpp.

#include <Ice/Identity.h>
#include <Ice/InputStream.h>
#include <Ice/OutputStream.h>
#include <Ice/Version.h>
#include <IceGrid/Admin.h>
#include <MusterTest/parts.h>
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
template <>
inline constexpr std::string_view muster::message_name<MusterTest::Door> = "::MusterTest::Door";
template <>
inline constexpr std::string_view muster::message_name<MusterTest::House> = "::MusterTest::House";
template <>
inline constexpr std::string_view muster::message_name<std::shared_ptr<MusterTest::Room>> = "::MusterTest::Room";
template <>
inline constexpr std::string_view muster::message_name<std::shared_ptr<MusterTest::GatePrx>> = "::MusterTest::Gate*";

namespace muster::message::testing {
namespace {

template <typename T>
bytes as_ice_writes(const T& value) {
  Ice::OutputStream stream;
  stream.setFormat(Ice::FormatType::SlicedFormat);
  stream.write(value);
  stream.writePendingValues();
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

TEST(type_of_slice, is_sendable) {
  EXPECT_TRUE(sendable<Ice::Identity>);
  EXPECT_TRUE(sendable<IceGrid::AdapterDynamicInfo>) << "it has a proxy";
  EXPECT_TRUE(sendable<IceGrid::NodeDynamicInfo>) << "and it has such";
  EXPECT_TRUE(sendable<MusterTest::House>) << "it has instances of classes";
  EXPECT_TRUE(sendable<std::shared_ptr<MusterTest::Room>>);
  EXPECT_TRUE(sendable<std::shared_ptr<MusterTest::GatePrx>>);
  EXPECT_TRUE(serialisable<std::shared_ptr<Ice::ObjectPrx>>);
  EXPECT_TRUE(serialisable<std::shared_ptr<Ice::Value>>);
}

struct only_declared;

TEST(type_of_slice, is_not_whatever_a_pointer_holds) {
  EXPECT_FALSE(serialisable<MusterTest::Room>) << "instances are held by pointers";
  EXPECT_FALSE(serialisable<std::shared_ptr<MusterTest::Gate>>) << "a servant";
  EXPECT_FALSE(serialisable<std::shared_ptr<Ice::Identity>>);
  EXPECT_FALSE(serialisable<std::shared_ptr<only_declared>>);
  EXPECT_FALSE(serialisable<IceGrid::DeploymentException>);
}

TEST(null_proxy_in_a_message, has_the_bytes_of_ice_and_needs_no_communicator) {
  using proxy = std::shared_ptr<MusterTest::GatePrx>;
  EXPECT_EQ(hex(content_of(proxy{})), "01 02 00 00") << "a block with an empty identity";
  const auto read = message_of<proxy>(from_hex("01 02 00 00"));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, nullptr);

  const MusterTest::Door door{"d", nullptr, nullptr, {nullptr, nullptr}, 7};
  EXPECT_EQ(hex(content_of(door)), hex(expected_content(door)));
  const auto back = message_of<MusterTest::Door>(content_of(door));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->name, "d");
  EXPECT_EQ(back->others.size(), 2U);
  EXPECT_EQ(back->number, 7);
}

std::shared_ptr<MusterTest::Room> some_room(const std::string& name) {
  auto out = std::make_shared<MusterTest::Hall>();
  out->name = name;
  out->height = 2.5;
  return out;
}

TEST(instance_in_a_message, has_the_bytes_of_ice_in_slices_that_can_be_passed_over) {
  const auto room = some_room("r");
  room->next = {some_room("s"), room, nullptr};  // a cycle
  EXPECT_EQ(hex(content_of(room)), hex(expected_content(room)));
  const MusterTest::House house{5, room, room, "street"};
  EXPECT_EQ(hex(content_of(house)), hex(expected_content(house)));
  room->next.clear();
}

TEST(instance_in_a_message, is_not_taken_where_there_is_no_communicator) {
  EXPECT_FALSE(message_of<std::shared_ptr<MusterTest::Room>>(content_of(some_room("r"))));
  EXPECT_FALSE(message_of<MusterTest::House>(content_of(MusterTest::House{})));
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
