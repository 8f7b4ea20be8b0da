// The answer to the plug-in IceLocatorDiscovery, over datagrams on loopback.

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

#include "muster/ice/byte_servant.hpp"
#include "muster/locator/replies.hpp"
#include "tests/support/running_replica.hpp"

namespace muster::ice {
namespace {

/// What the plug-in serves to hear the answers.
class heard_locators final : public byte_servant {
 public:
  heard_locators() : byte_servant{object_types{"::IceLocatorDiscovery::LookupReply"}} {}

  [[nodiscard]] bool wait_for_one() {
    std::unique_lock lock{mutex_};
    return heard_.wait_for(lock, std::chrono::seconds{20}, [&] { return !locators_.empty(); });
  }
  [[nodiscard]] std::vector<catalog::encoded_proxy> locators() {
    const std::lock_guard lock{mutex_};
    return locators_;
  }

 protected:
  answered answer(const std::string& operation, byte_view params, bytes& reply) override {
    if (operation != "foundLocator") return answered::no_such_operation;
    const auto found = unwrap(locator::read_proxy(params));
    const std::lock_guard lock{mutex_};
    locators_.push_back(found.params);
    heard_.notify_all();
    locator::append(reply, locator::void_reply(found.version));
    return answered::reply;
  }

 private:
  std::mutex mutex_;
  std::condition_variable heard_;
  std::vector<catalog::encoded_proxy> locators_;
};

class discovery : public testing::Test {
 protected:
  // A port that was free a moment ago.
  std::string free_port() {
    const auto adapter = client_->createObjectAdapterWithEndpoints("", "udp -h 127.0.0.1");
    const auto info = std::dynamic_pointer_cast<Ice::UDPEndpointInfo>(adapter->getEndpoints().front()->getInfo());
    adapter->destroy();
    return std::to_string(info->port);
  }

  void SetUp() override {
    port_ = free_port();
    replica_ = std::make_unique<tests::running_replica>(
        config::property_map{{"IceGrid.Registry.Discovery.Enabled", "1"},
                             {"IceGrid.Registry.Discovery.Endpoints", "udp -h 127.0.0.1 -p " + port_},
                             {"IceGrid.Registry.Trace.Discovery", "2"}});
    replica_->wait_until_ready();
    lookup_ = client_->stringToProxy("IceLocatorDiscovery/Lookup -d:udp -h 127.0.0.1 -p " + port_);
  }

  // Asks, with the reply going to an object of this test's on `endpoints`.
  void ask_for(const std::string& instance, const std::string& endpoints, const std::string& options) {
    answers_ = client_->createObjectAdapterWithEndpoints("", endpoints);
    auto reply_to = answers_->add(heard_, {"reply", ""});
    answers_->activate();
    if (options == "datagram") reply_to = reply_to->ice_datagram();
    Ice::OutputStream out{client_.communicator(), Ice::Encoding_1_1};
    out.startEncapsulation();
    out.write(instance);
    out.write(reply_to);
    out.endEncapsulation();
    std::vector<Ice::Byte> params;
    out.finished(params);
    std::vector<Ice::Byte> nothing;
    (void)lookup_->ice_invoke("findLocator", Ice::OperationMode::Idempotent, params, nothing);
  }

  const Ice::CommunicatorHolder client_{Ice::InitializationData{}};
  std::string port_;
  std::unique_ptr<tests::running_replica> replica_;
  std::shared_ptr<Ice::ObjectPrx> lookup_;
  const std::shared_ptr<heard_locators> heard_ = std::make_shared<heard_locators>();
  Ice::ObjectAdapterPtr answers_;
};

TEST_F(discovery, tells_a_client_of_the_locator) {
  ask_for("T", "udp -h 127.0.0.1", "datagram");
  ASSERT_TRUE(heard_->wait_for_one());
  EXPECT_EQ(heard_->locators().front(), replica_->service().current()->view.own->locator());
}

TEST_F(discovery, answers_a_client_that_names_no_instance) {
  ask_for("", "udp -h 127.0.0.1", "datagram");
  EXPECT_TRUE(heard_->wait_for_one());
}

TEST_F(discovery, passes_over_who_looks_for_another_instance) {
  ask_for("Other", "udp -h 127.0.0.1", "datagram");
  EXPECT_TRUE(replica_->log.wait_for("discovery_passed_over", "Other"));
  EXPECT_TRUE(heard_->locators().empty());
}

TEST_F(discovery, connects_to_nobody_because_a_datagram_said_so) {
  ask_for("T", "tcp -h 127.0.0.1", "stream");
  EXPECT_TRUE(replica_->log.wait_for("discovery_passed_over"));
  EXPECT_TRUE(heard_->locators().empty());
}

TEST_F(discovery, is_found_by_the_stock_plug_in) {
  const auto port = free_port();
  tests::running_replica replica{config::property_map{{"IceGrid.Registry.Discovery.Enabled", "1"},
                                                      {"IceGrid.Registry.Discovery.Port", port},
                                                      {"IceGrid.Registry.Discovery.Interface", "127.0.0.1"}}};
  replica.wait_until_ready();
  Ice::InitializationData start;
  start.properties = Ice::createProperties();
  start.properties->setProperty("Ice.Plugin.IceLocatorDiscovery", "IceLocatorDiscovery:createIceLocatorDiscovery");
  start.properties->setProperty("IceLocatorDiscovery.Port", port);
  start.properties->setProperty("IceLocatorDiscovery.Interface", "127.0.0.1");
  start.properties->setProperty("IceLocatorDiscovery.Timeout", "2000");
  const Ice::CommunicatorHolder finder{start};
  EXPECT_NO_THROW(finder->stringToProxy("T/Query")->ice_ping());
}

TEST(discovery_without_its_port, is_a_warning_and_the_replica_serves) {
  tests::running_replica replica{
      config::property_map{{"IceGrid.Registry.Discovery.Enabled", "1"},
                           {"IceGrid.Registry.Discovery.Endpoints", "udp -h 192.0.2.1 -p 4061"}}};
  replica.wait_until_ready();
  EXPECT_TRUE(replica.log.wait_for("discovery_unavailable", "192.0.2.1"));
}

}  // namespace
}  // namespace muster::ice
