// `IceGrid::Admin` over a real connection: objects, adapters and registries.

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <future>

#include "muster/ice/administration.test.hpp"

namespace muster::ice {
namespace {

using IceGrid::DeploymentException;
using testing::ElementsAre;
using testing::HasSubstr;

class admin : public testing::Test {
 protected:
  std::shared_ptr<Ice::ObjectPrx> proxy(const std::string& text) const { return joe_.proxy(text); }
  std::string text(const std::shared_ptr<Ice::ObjectPrx>& of) const { return joe_.text(of); }

  std::vector<std::string> listed(const std::string& expression) const {
    std::vector<std::string> names;
    for (const auto& info : admin_->getAllObjectInfos(expression)) {
      names.push_back(Ice::identityToString(info.proxy->ice_getIdentity()));
    }
    return names;
  }

  administered_replica at_;
  administrator joe_{at_};
  std::shared_ptr<IceGrid::AdminPrx> admin_{joe_.admin()};
};

/// A socket that takes connections and never says a word.
class silent_listener {
 public:
  silent_listener() : socket_{::socket(AF_INET, SOCK_STREAM, 0)} {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    if (::bind(socket_, reinterpret_cast<const sockaddr*>(&at), size) != 0 || ::listen(socket_, 16) != 0 ||
        ::getsockname(socket_, reinterpret_cast<sockaddr*>(&at), &size) != 0) {
      throw std::runtime_error{"no socket to be had"};
    }
    port_ = ntohs(at.sin_port);
  }
  silent_listener(const silent_listener&) = delete;
  silent_listener& operator=(const silent_listener&) = delete;
  ~silent_listener() { ::close(socket_); }

  [[nodiscard]] std::string endpoint() const { return "tcp -h 127.0.0.1 -p " + std::to_string(port_); }

 private:
  int socket_;
  int port_{};
};

TEST_F(admin, adds_updates_and_removes_objects) {
  admin_->addObjectWithType(proxy("one -f facet -o -e 1.0:tcp -h 127.0.0.1 -p 1 -t 5000"), "::T");
  auto info = admin_->getObjectInfo({"one", ""});
  EXPECT_EQ(text(info.proxy), "one -f facet -o -e 1.0:tcp -h 127.0.0.1 -p 1 -t 5000");
  EXPECT_EQ(info.type, "::T");
  EXPECT_THROW(admin_->addObjectWithType(proxy("one:tcp -h 127.0.0.1 -p 2"), "::Other"),
               IceGrid::ObjectExistsException);
  admin_->updateObject(proxy("one@Adapter"));
  info = admin_->getObjectInfo({"one", ""});
  EXPECT_EQ(text(info.proxy), "one -t -e 1.1 @ Adapter");
  EXPECT_EQ(info.type, "::T") << "an update keeps the type";
  admin_->removeObject({"one", ""});
  EXPECT_THROW((void)admin_->getObjectInfo({"one", ""}), IceGrid::ObjectNotRegisteredException);
  EXPECT_THROW(admin_->removeObject({"one", ""}), IceGrid::ObjectNotRegisteredException);
  EXPECT_THROW(admin_->removeObject({"", ""}), IceGrid::ObjectNotRegisteredException);
  EXPECT_THROW(admin_->updateObject(proxy("one@Adapter")), IceGrid::ObjectNotRegisteredException);
}

TEST_F(admin, takes_objects_of_no_type_and_of_odd_names) {
  for (const auto& name : {std::string(3000, 'L'), std::string{"a b/c@d\"'"}, std::string{"\xc3\xa9\n"}}) {
    const Ice::Identity id{name, "some category"};
    admin_->addObjectWithType(proxy("x:tcp -h 127.0.0.1 -p 1")->ice_identity(id), "");
    EXPECT_EQ(admin_->getObjectInfo(id).proxy->ice_getIdentity(), id);
  }
  EXPECT_EQ(admin_->getObjectInfosByType("").size(), 3U);
}

TEST_F(admin, refuses_null_proxies_and_the_names_of_the_registry) {
  EXPECT_EQ(reason_of<DeploymentException>([&] { admin_->addObject(nullptr); }), "proxy is null");
  EXPECT_EQ(reason_of<DeploymentException>([&] { admin_->addObjectWithType(nullptr, "::T"); }), "proxy is null");
  EXPECT_EQ(reason_of<DeploymentException>([&] { admin_->updateObject(nullptr); }), "proxy is null");
  const auto reserved = proxy("T/foo:tcp -h 127.0.0.1 -p 1");
  const std::string rest = " object `T/foo' is not allowed:\nobjects with identity category `T' are managed by IceGrid";
  EXPECT_EQ(reason_of<DeploymentException>([&] { admin_->addObject(reserved); }), "adding" + rest);
  EXPECT_EQ(reason_of<DeploymentException>([&] { admin_->addObjectWithType(reserved, "::T"); }), "adding" + rest);
  EXPECT_EQ(reason_of<DeploymentException>([&] { admin_->updateObject(reserved); }), "updating" + rest);
  EXPECT_EQ(reason_of<DeploymentException>([&] { admin_->removeObject({"foo", "T"}); }), "removing" + rest);
}

TEST_F(admin, lists_objects_in_the_order_of_icegrid) {
  EXPECT_THAT(listed("*"),
              ElementsAre("T/Query", "T/Locator", "T/Registry", "T/LocatorRegistry", "T/InternalRegistry-Master"));
  for (const auto* name : {"zz", "b", "a", "cat/a", "aaa"}) {
    admin_->addObjectWithType(proxy(std::string{name} + ":tcp -h 127.0.0.1 -p 1"), "::T");
  }
  EXPECT_THAT(listed("a*"), ElementsAre("a", "aaa"));
  EXPECT_THAT(listed("cat/*"), ElementsAre("cat/a"));
  EXPECT_THAT(listed("b"), ElementsAre("b"));
  EXPECT_EQ(listed("").size(), 10U);
  EXPECT_EQ(admin_->getObjectInfosByType("::T").size(), 5U);
  EXPECT_EQ(admin_->getObjectInfosByType("::IceGrid::Query").size(), 1U);
  EXPECT_TRUE(admin_->getObjectInfosByType("::Nothing").empty());
}

TEST_F(admin, asks_an_object_for_its_type) {
  class typed final : public Ice::Object {
    std::string ice_id(const Ice::Current&) const override { return "::Demo::Typed"; }
  };
  const Ice::CommunicatorHolder server{Ice::InitializationData{}};
  const auto adapter = server->createObjectAdapterWithEndpoints("Hello", "tcp -h 127.0.0.1");
  adapter->activate();
  const auto other = adapter->add(std::make_shared<typed>(), {"typed", ""});
  admin_->addObject(proxy(server->proxyToString(other)));
  EXPECT_EQ(admin_->getObjectInfo({"typed", ""}).type, "::Demo::Typed");
  admin_->addObject(
      proxy(server->proxyToString(adapter->add(std::make_shared<typed>(), {"oneway", ""})))->ice_oneway());
  EXPECT_EQ(text(admin_->getObjectInfo({"oneway", ""}).proxy).substr(0, 9), "oneway -o") << "kept as it was given";
}

TEST_F(admin, says_why_an_object_has_not_told_its_type) {
  const auto reason = reason_of<DeploymentException>([&] { admin_->addObject(proxy("gone:tcp -h 127.0.0.1 -p 1")); });
  EXPECT_THAT(reason,
              HasSubstr("failed to invoke ice_id() on proxy `gone -t -e 1.1:tcp -h 127.0.0.1 -p 1 -t 60000':\n"));
  EXPECT_THAT(reason, HasSubstr("ConnectionRefusedException"));
  EXPECT_THAT(reason_of<DeploymentException>([&] { admin_->addObject(proxy("nobody")); }),
              HasSubstr("NotRegisteredException"));
  EXPECT_THAT(reason_of<DeploymentException>([&] { admin_->addObject(proxy("nobody@nowhere")); }),
              HasSubstr("NotRegisteredException"));
  EXPECT_THROW((void)admin_->getObjectInfo({"gone", ""}), IceGrid::ObjectNotRegisteredException);
}

TEST(admin_of_a_silent_object, gives_it_up_in_time_and_lets_nobody_wait_for_it) {
  administered_replica at{lets_everybody_in({{"Muster.Registry.ProbeTimeout", "2000"}})};
  const administrator joe{at};
  const auto admin = joe.admin();
  const silent_listener silent;
  std::vector<std::future<void>> asked;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) {
    asked.push_back(admin->addObjectAsync(joe.proxy("o" + std::to_string(i) + ":" + silent.endpoint())));
  }
  admin->addObjectWithType(joe.proxy("quick:tcp -h 127.0.0.1 -p 1"), "::T");
  EXPECT_EQ(admin->getObjectInfo({"quick", ""}).type, "::T");
  for (auto& one : asked) {
    EXPECT_THAT(reason_of<DeploymentException>([&] { one.get(); }), HasSubstr("Timeout"));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds{10});
}

TEST(admin_of_a_silent_object, does_not_hold_up_the_end) {
  administered_replica at{lets_everybody_in({{"Muster.Registry.ProbeTimeout", "3600000"}})};
  const administrator joe{at};
  const auto admin = joe.admin();
  const silent_listener silent;
  auto asked = admin->addObjectAsync(joe.proxy("o:" + silent.endpoint()));
  EXPECT_NO_THROW(admin->ice_ping());
  const auto begin = std::chrono::steady_clock::now();
  at.replica.stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds{10});
  EXPECT_ANY_THROW(asked.get());
}

TEST(admin_of_many, refuses_a_list_that_no_message_holds_and_keeps_the_connection) {
  administered_replica at{lets_everybody_in({{"Ice.MessageSizeMax", "16"}})};
  const administrator joe{at};
  const auto admin = joe.admin();
  for (int i = 0; i < 400; ++i) {
    const auto name = "object-with-a-name-" + std::to_string(i);
    at.replica.propose(catalog::add_object{"::T", to_encoded(joe.proxy(name + ":tcp -h 127.0.0.1 -p 1"))}).value();
  }
  for (int i = 0; i < 200; ++i) {
    const auto name = std::string(100, 'a') + std::to_string(i);
    at.replica.propose(catalog::set_adapter{name, "group", to_encoded(joe.proxy("dummy:tcp -h 127.0.0.1 -p 1"))})
        .value();
  }
  EXPECT_THAT(reason_of<Ice::UnknownException>([&] { (void)admin->getAllObjectInfos("*"); }),
              HasSubstr("Ice.MessageSizeMax is 16 KB"));
  EXPECT_THAT(reason_of<Ice::UnknownException>([&] { (void)admin->getObjectInfosByType("::T"); }),
              HasSubstr("Ice.MessageSizeMax"));
  EXPECT_THAT(reason_of<Ice::UnknownException>([&] { (void)admin->getAllAdapterIds(); }),
              HasSubstr("Ice.MessageSizeMax"));
  EXPECT_THAT(reason_of<Ice::UnknownException>([&] { (void)admin->getAdapterInfo("group"); }),
              HasSubstr("Ice.MessageSizeMax"));
  EXPECT_EQ(admin->getAllObjectInfos("object-with-a-name-1*").size(), 111U);
}

TEST(admin_with_traces, logs_requests_and_changes_with_their_user) {
  administered_replica at{
      lets_everybody_in({{"IceGrid.Registry.Trace.Admin", "1"}, {"IceGrid.Registry.Trace.Object", "1"}})};
  const administrator joe{at};
  joe.admin()->addObjectWithType(joe.proxy("traced:tcp -h 127.0.0.1 -p 1"), "::T");
  EXPECT_TRUE(at.replica.log.wait_for("admin_request", "user=joe", "operation=addObjectWithType"));
  EXPECT_TRUE(at.replica.log.wait_for("changed", "user=joe", "traced"));
}

TEST_F(admin, tells_of_adapters_and_removes_them) {
  const auto set = [&](const std::string& id, const std::string& group, const std::string& endpoint) {
    at_.replica.propose(catalog::set_adapter{id, group, to_encoded(proxy("dummy:" + endpoint))}).value();
  };
  set("A", "", "tcp -h 127.0.0.1 -p 1");
  set("G2", "G", "tcp -h 127.0.0.1 -p 2");
  set("G1", "G", "tcp -h 127.0.0.1 -p 3");
  EXPECT_THAT(admin_->getAllAdapterIds(), ElementsAre("A", "G1", "G2", "G"));
  const auto one = admin_->getAdapterInfo("A");
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(text(one[0].proxy), "dummy -t -e 1.1:tcp -h 127.0.0.1 -p 1 -t 60000");
  EXPECT_EQ(one[0].replicaGroupId, "");
  const auto group = admin_->getAdapterInfo("G");
  ASSERT_EQ(group.size(), 2U);
  EXPECT_EQ(group[0].id, "G1");
  EXPECT_EQ(group[0].replicaGroupId, "G");

  admin_->removeAdapter("A");
  EXPECT_THROW((void)admin_->getAdapterInfo("A"), IceGrid::AdapterNotExistException);
  EXPECT_THROW(admin_->removeAdapter("A"), IceGrid::AdapterNotExistException);
  EXPECT_THROW(admin_->removeAdapter(""), IceGrid::AdapterNotExistException);
  EXPECT_THROW((void)admin_->getAdapterInfo(""), IceGrid::AdapterNotExistException);
  admin_->removeAdapter("G");
  EXPECT_THAT(admin_->getAllAdapterIds(), ElementsAre("G1", "G2"));
}

TEST_F(admin, tells_of_the_registries_and_ends_them) {
  EXPECT_THAT(admin_->getAllRegistryNames(), ElementsAre("Master"));
  EXPECT_TRUE(admin_->pingRegistry("Master"));
  EXPECT_EQ(admin_->getRegistryInfo("Master").name, "Master");
  EXPECT_EQ(admin_->getRegistryInfo("Master").hostname, "test-host");
  EXPECT_THROW((void)admin_->pingRegistry("zz"), IceGrid::RegistryNotExistException);
  EXPECT_THROW((void)admin_->getRegistryInfo("zz"), IceGrid::RegistryNotExistException);
  EXPECT_THROW((void)admin_->getRegistryAdmin("zz"), IceGrid::RegistryNotExistException);
  EXPECT_THROW(admin_->shutdownRegistry("zz"), IceGrid::RegistryNotExistException);
  EXPECT_THAT(reason_of<Ice::UnknownException>([&] { (void)admin_->getRegistryAdmin("Master"); }),
              HasSubstr("this version"));
  EXPECT_TRUE(admin_->getSliceChecksums().empty());
  EXPECT_NO_THROW(admin_->shutdownRegistry("Master"));
  EXPECT_TRUE(at_.replica.log.wait_for("must_end"));
}

TEST_F(admin, ends_the_replica_that_is_asked) {
  EXPECT_NO_THROW(admin_->shutdown());
  EXPECT_TRUE(at_.replica.log.wait_for("must_end"));
}

TEST(admin_of_a_slave, takes_no_changes_and_tells_of_itself) {
  auto content = std::make_shared<tests::store_content>();
  {
    administered_replica master{lets_everybody_in(), content};
    const administrator joe{master};
    joe.admin()->addObjectWithType(joe.proxy("kept:tcp -h 127.0.0.1 -p 1"), "::T");
  }
  administered_replica slave{lets_everybody_in({{"IceGrid.Registry.ReplicaName", "S1"},
                                                {"Ice.Default.Locator", "T/Locator:tcp -h 127.0.0.1 -p 1"}}),
                             content};
  const administrator joe{slave, "T/Registry-S1"};
  EXPECT_THROW(joe.proxy(slave.replica.at_client("T/Registry"))->ice_ping(), Ice::ObjectNotExistException);
  EXPECT_THAT(reason_of<IceGrid::PermissionDeniedException>([&] { (void)joe.registry()->createSession("joe", ""); }),
              HasSubstr("client session creation is only allowed with the master registry"));
  const auto session = joe.session();
  EXPECT_EQ(session->getReplicaName(), "S1");
  EXPECT_NO_THROW(session->startUpdate());
  EXPECT_NO_THROW(session->finishUpdate());
  const auto admin = session->getAdmin();
  EXPECT_EQ(admin->getObjectInfo({"kept", ""}).type, "::T");
  EXPECT_THAT(admin->getAllRegistryNames(), testing::Contains("S1"));
  EXPECT_TRUE(admin->pingRegistry("S1"));
  EXPECT_EQ(admin->getRegistryInfo("S1").hostname, "test-host");

  const auto object = joe.proxy("new:tcp -h 127.0.0.1 -p 1");
  IceGrid::ApplicationDescriptor application;
  application.name = "app";
  IceGrid::ApplicationUpdateDescriptor update;
  update.name = "app";
  const std::vector<std::function<void()>> changes{
      [&] { admin->addObject(object); },
      [&] { admin->addObjectWithType(object, "::T"); },
      [&] { admin->updateObject(object); },
      [&] {
        admin->removeObject({"kept", ""});
      },
      [&] { admin->removeAdapter("A"); },
      [&] { admin->addApplication(application); },
      [&] { admin->syncApplication(application); },
      [&] { admin->updateApplication(update); },
      [&] { admin->removeApplication("app"); },
      [&] { admin->instantiateServer("app", "node", {}); },
  };
  for (const auto& change : changes) {
    const auto reason = reason_of<DeploymentException>(change);
    EXPECT_THAT(reason, HasSubstr("this operation is not allowed on a slave or read-only master registry"));
    EXPECT_THAT(reason, HasSubstr("S1"));
  }
  EXPECT_NO_THROW(admin->shutdownRegistry("S1"));
  EXPECT_TRUE(slave.replica.log.wait_for("must_end"));
}

}  // namespace
}  // namespace muster::ice
