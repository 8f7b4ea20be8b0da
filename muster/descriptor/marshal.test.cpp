#include "muster/descriptor/marshal.hpp"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <IceGrid/Admin.h>

#include "muster/descriptor/sample.test.hpp"

namespace muster::descriptor {
namespace {

TEST(marshal, gives_an_application_back_with_its_classes) {
  const auto application = sample::rich_application("app");
  const auto encoded = encode(application);
  const auto decoded = decode_application(encoded).value();
  EXPECT_EQ(encode(decoded), encoded);
  const auto& servers = decoded.nodes.at("node1").servers;
  ASSERT_EQ(servers.size(), 3U);
  EXPECT_EQ(servers[0]->id, "app-server1");
  const auto box = std::dynamic_pointer_cast<IceGrid::IceBoxDescriptor>(servers[2]);
  ASSERT_TRUE(box);
  ASSERT_EQ(box->services.size(), 2U);
  EXPECT_EQ(box->services[0].descriptor->entry, "library:create");
  EXPECT_FALSE(box->services[1].descriptor);
  const auto adaptive =
      std::dynamic_pointer_cast<IceGrid::AdaptiveLoadBalancingPolicy>(decoded.replicaGroups[1].loadBalancing);
  ASSERT_TRUE(adaptive);
  EXPECT_EQ(adaptive->loadSample, "5");
}

TEST(marshal, gives_an_application_back_with_its_stamps) {
  IceGrid::ApplicationInfo info{};
  info.uuid = "u";
  info.createTime = 1;
  info.updateTime = -2;
  info.updateUser = "root";
  info.revision = 3;
  info.descriptor = sample::application("app");
  const auto decoded = decode_application_info(encode(info)).value();
  EXPECT_EQ(decoded.updateTime, -2);
  EXPECT_EQ(decoded.revision, 3);
  EXPECT_EQ(encode(decoded), encode(info));
}

TEST(marshal, gives_an_update_back) {
  IceGrid::ApplicationUpdateDescriptor update;
  update.name = "app";
  update.description = std::make_shared<IceGrid::BoxedString>("new");
  update.removeNodes = {"node1"};
  IceGrid::NodeUpdateDescriptor node;
  node.name = "node2";
  node.servers = {sample::server("s")};
  update.nodes = {node};
  const auto decoded = decode_application_update(encode(update)).value();
  EXPECT_EQ(decoded.description->value, "new");
  EXPECT_FALSE(decoded.distrib);
  EXPECT_EQ(encode(decoded), encode(update));
}

TEST(marshal, carries_a_megabyte) {
  auto application = sample::application("app");
  application.description = std::string(1'000'000, 'x');
  EXPECT_EQ(decode_application(encode(application)).value().description, application.description);
}

TEST(marshal, refuses_every_prefix_and_every_tail) {
  const auto encoded = encode(sample::rich_application("app"));
  for (std::size_t size = 0; size != encoded.size(); ++size) {
    const auto refused = decode_application(byte_view{encoded}.first(size));
    ASSERT_FALSE(refused) << "cut to " << size;
    EXPECT_EQ(refused.error().code, errc::corrupt);
  }
  auto longer = encoded;
  longer.push_back(0);
  EXPECT_FALSE(decode_application(longer));
}

RC_GTEST_PROP(marshal, reads_damaged_descriptors_without_harm, ()) {
  static const auto whole = encode(sample::rich_application("app"));
  auto damaged = whole;
  const auto places = *rc::gen::inRange(1, 4);
  for (int i = 0; i != places; ++i) {
    damaged[*rc::gen::inRange<std::size_t>(0, damaged.size())] = *rc::gen::arbitrary<std::uint8_t>();
  }
  const auto decoded = decode_application(damaged);
  // What can be read at all can be written and read again.
  if (decoded) RC_ASSERT(decode_application(encode(*decoded)).has_value());
}

TEST(marshal, keeps_classes_to_the_places_where_they_may_stand) {
  auto encoded = encode(sample::application("app"));
  // The tag of the group's policy comes right after its id.
  const std::string id = "app-group";
  const auto at =
      std::search(encoded.begin(), encoded.end(), id.begin(), id.end()) + static_cast<std::ptrdiff_t>(id.size());
  ASSERT_EQ(*at, 8);
  *at = 10;
  EXPECT_FALSE(decode_application(encoded)) << "a boxed string is no policy";
  *at = 200;
  EXPECT_FALSE(decode_application(encoded)) << "nobody knows this class";
}

TEST(marshal, names_a_version_that_it_does_not_know) {
  auto encoded = encode(sample::application("app"));
  encoded[0] = 2;
  EXPECT_EQ(decode_application(encoded).error().code, errc::incompatible);
}

RC_GTEST_PROP(marshal, reads_any_bytes_without_harm, (const bytes& content)) {
  RC_ASSERT((!decode_application_update(content).has_value() || content.size() > 6));
}

}  // namespace
}  // namespace muster::descriptor
