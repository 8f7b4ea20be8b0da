#include <Ice/Ice.h>

#include "muster/ice/cluster_transport.test.hpp"
#include "tests/support/certificate_authority.hpp"

namespace muster::ice {
namespace {

using cluster::send_outcome;
using testing::channel;
using testing::eventually;
using testing::station;
using testing::text_of;

cluster_transport_options with(config::property_map properties) {
  cluster_transport_options how;
  how.listen = "ssl -h 127.0.0.1";
  how.properties = std::move(properties);
  return how;
}

class cluster_trust : public ::testing::Test {
 protected:
  static tests::certificate_authority& ours() {
    static tests::certificate_authority made{"ours"};
    return made;
  }
};

TEST_F(cluster_trust, frames_come_with_the_name_in_the_senders_certificate) {
  const station a{with(ours().issue("/O=Test/CN=a"))};
  const station b{with(ours().issue("/O=Test/CN=b"))};
  EXPECT_TRUE(a.address.starts_with("ssl -h 127.0.0.1 -p ")) << a.address;
  for (const auto on : {channel::membership, channel::gossip, channel::actors}) {
    ASSERT_EQ(a.send(b.address, "from a", on), send_outcome::accepted);
    ASSERT_EQ(b.send(a.address, "from b", on), send_outcome::accepted);
  }
  ASSERT_TRUE(b.in->wait_for_frames(3));
  ASSERT_TRUE(a.in->wait_for_frames(3));
  for (const auto& one : b.in->letters()) EXPECT_EQ(one.name, "a");
  for (const auto& one : a.in->letters()) EXPECT_EQ(one.name, "b");
}

TEST_F(cluster_trust, an_alternative_name_is_taken_before_the_subjects) {
  const station a{with(ours().issue("/O=Test/CN=host7.example", "URI:https://example.org,URI:muster:a"))};
  const station b{with(ours().issue("/O=Test/CN=b"))};
  ASSERT_EQ(a.send(b.address, "x"), send_outcome::accepted);
  ASSERT_TRUE(b.in->wait_for_frames(1));
  EXPECT_EQ(b.in->letters().front().name, "a");
}

TEST_F(cluster_trust, nothing_is_taken_from_a_certificate_without_a_name) {
  const station a{with(ours().issue("/O=Test"))};
  const station b{with(ours().issue("/O=Test/CN=b"))};
  ASSERT_EQ(a.send(b.address, "x"), send_outcome::accepted);
  EXPECT_TRUE(b.log.wait_for("node_unnamed"));
  EXPECT_EQ(b.wire->counted().unnamed, 1U);
  EXPECT_TRUE(b.in->letters().empty());
}

TEST_F(cluster_trust, nothing_is_taken_from_and_sent_to_a_node_of_another_authority) {
  tests::certificate_authority theirs{"theirs"};
  const station a{with(ours().issue("/O=Test/CN=a"))};
  const station intruder{with(theirs.issue("/O=Test/CN=a"))};
  ASSERT_EQ(intruder.send(a.address, "x"), send_outcome::accepted);
  EXPECT_TRUE(intruder.in->wait_for_loss(a.address));
  ASSERT_EQ(a.send(intruder.address, "x"), send_outcome::accepted);
  EXPECT_TRUE(a.in->wait_for_loss(intruder.address));
  EXPECT_TRUE(a.log.wait_for("node_not_reached", intruder.address));
  EXPECT_TRUE(a.in->letters().empty());
  EXPECT_TRUE(intruder.in->letters().empty());
}

TEST_F(cluster_trust, nothing_is_taken_from_somebody_without_a_certificate_or_without_tls) {
  const station a{with(ours().issue("/O=Test/CN=a"))};
  Ice::registerIceSSL(false);
  Ice::InitializationData start;
  start.properties = Ice::createProperties();
  start.properties->setProperty("Ice.Plugin.IceSSL", "IceSSL:createIceSSL");
  start.properties->setProperty("IceSSL.CAs", ours().trust().at("IceSSL.CAs"));
  start.properties->setProperty("Ice.Override.ConnectTimeout", "3000");
  const Ice::CommunicatorHolder nobody{start};
  EXPECT_THROW(nobody->stringToProxy("node:" + a.address)->ice_ping(), Ice::LocalException);

  const station plain;
  const std::string port = a.address.substr(a.address.find("-p"));
  ASSERT_EQ(plain.send("tcp -h 127.0.0.1 " + port, "x"), send_outcome::accepted);
  EXPECT_TRUE(plain.in->wait_for_loss("tcp -h 127.0.0.1 " + port));
  EXPECT_TRUE(a.in->letters().empty());
}

TEST_F(cluster_trust, nothing_is_sent_to_a_node_of_another_name_than_expected) {
  const station a{with(ours().issue("/O=Test/CN=a"))};
  const station b{with(ours().issue("/O=Test/CN=b"))};
  a.wire->expect(b.address, "c");
  ASSERT_EQ(a.send(b.address, "for c"), send_outcome::accepted);
  EXPECT_TRUE(a.log.wait_for("node_misnamed", b.address, "'b'", "'c'"));
  EXPECT_TRUE(a.in->wait_for_loss(b.address));
  EXPECT_GE(a.wire->counted().misnamed, 1U);
  EXPECT_TRUE(b.in->letters().empty());
  EXPECT_TRUE(eventually([&] { return a.wire->in_flight_bytes(b.address, channel::gossip) == 0; }));

  a.wire->expect(b.address, "b");
  ASSERT_TRUE(
      eventually([&] { return a.send(b.address, "for b") == send_outcome::accepted && !b.in->letters().empty(); }));
  EXPECT_EQ(text_of(b.in->letters().front()), "for b");
}

TEST_F(cluster_trust, a_connection_is_given_up_when_another_node_comes_to_be_expected_there) {
  const station a{with(ours().issue("/O=Test/CN=a"))};
  const station b{with(ours().issue("/O=Test/CN=b"))};
  ASSERT_EQ(a.send(b.address, "x"), send_outcome::accepted);
  ASSERT_TRUE(b.in->wait_for_frames(1));
  a.wire->expect(b.address, "b");
  EXPECT_EQ(a.wire->counted().misnamed, 0U);
  a.wire->expect(b.address, "c");
  EXPECT_TRUE(a.in->wait_for_loss(b.address));
  EXPECT_EQ(a.wire->counted().misnamed, 1U);
}

TEST_F(cluster_trust, names_what_is_lacking_for_it) {
  tests::event_recorder log;
  const auto why_not = [&](config::property_map properties) {
    auto how = with(std::move(properties));
    how.now = testing::steady_now;
    const auto made = cluster_transport::make(std::move(how), log);
    return made ? std::string{} : made.error().message;
  };
  auto whole = ours().issue("/O=Test/CN=a");
  EXPECT_EQ(why_not(whole), "");
  EXPECT_NE(why_not(ours().trust()).find("IceSSL.CertFile is not set"), std::string::npos);
  auto without_authority = whole;
  without_authority.erase("IceSSL.CAs");
  EXPECT_NE(why_not(without_authority).find("IceSSL.CAs is not set"), std::string::npos);
  auto trusting = whole;
  trusting["IceSSL.VerifyPeer"] = "0";
  EXPECT_EQ(why_not(trusting),
            "IceSSL.VerifyPeer is '0'; allowed is 2: nodes of a cluster show a certificate to each other");
  auto wrong = whole;
  wrong["IceSSL.CertFile"] = "/nowhere.pem";
  EXPECT_NE(why_not(wrong).find("/nowhere.pem"), std::string::npos) << why_not(wrong);
}

}  // namespace
}  // namespace muster::ice
