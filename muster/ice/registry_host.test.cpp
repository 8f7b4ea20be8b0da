// A replica as its clients see it, over real connections: what the locator, the query and the locator registry answer
// to the run time's own proxies.

#include <gtest/gtest.h>

#include <IceGrid/Registry.h>

#include "tests/support/running_replica.hpp"

namespace muster::ice {
namespace {

using tests::running_replica;

std::shared_ptr<IceGrid::ApplicationDescriptor> application_with_group(const std::string& group) {
  auto application = std::make_shared<IceGrid::ApplicationDescriptor>();
  application->name = "app";
  IceGrid::ReplicaGroupDescriptor described;
  described.id = group;
  described.loadBalancing = std::make_shared<IceGrid::RandomLoadBalancingPolicy>("0");
  application->replicaGroups.push_back(described);
  return application;
}

/// A client with a communicator of its own.
class registry_host : public testing::Test {
 protected:
  static Ice::InitializationData with_locator(const std::string& locator) {
    Ice::InitializationData start;
    start.properties = Ice::createProperties();
    if (!locator.empty()) start.properties->setProperty("Ice.Default.Locator", locator);
    return start;
  }

  void SetUp() override { replica_.wait_until_ready(); }

  std::shared_ptr<Ice::ObjectPrx> proxy(const std::string& text) { return client_.communicator()->stringToProxy(text); }
  std::string text(const std::shared_ptr<Ice::ObjectPrx>& proxy) {
    return proxy ? client_.communicator()->proxyToString(proxy) : "null";
  }
  catalog::encoded_proxy encoded(const std::string& text) { return to_encoded(proxy(text)); }

  std::shared_ptr<IceGrid::LocatorPrx> locator() {
    return Ice::checkedCast<IceGrid::LocatorPrx>(proxy(replica_.at_client("T/Locator")));
  }
  std::shared_ptr<IceGrid::QueryPrx> query() {
    return Ice::checkedCast<IceGrid::QueryPrx>(proxy(replica_.at_client("T/Query")));
  }
  std::shared_ptr<Ice::LocatorRegistryPrx> registry() { return locator()->getRegistry(); }

  void add_object(const std::string& proxy_text, const std::string& type) {
    ASSERT_TRUE(replica_.propose(catalog::add_object{type, encoded(proxy_text)}));
  }

  running_replica replica_;
  Ice::CommunicatorHolder client_{with_locator("")};
};

TEST_F(registry_host, gives_an_object_exactly_as_it_was_registered) {
  for (const std::string registered : {"direct -f facet -o -e 1.0:tcp -h 127.0.0.1 -p 1 -t 5000",
                                       "cat/indirect -t -e 1.1 @ Adapter", "bare -t -e 1.1"}) {
    add_object(registered, "::T");
    const auto id = proxy(registered)->ice_getIdentity();
    EXPECT_EQ(text(locator()->findObjectById(id)), text(proxy(registered)));
    EXPECT_EQ(text(query()->findObjectById(id)), text(proxy(registered)));
  }
  EXPECT_EQ(replica_.figures.locates[metrics::locate_kind::object][metrics::locate_outcome::found].value(), 3U);
}

TEST_F(registry_host, throws_for_what_is_unknown_and_the_query_gives_null) {
  EXPECT_THROW((void)locator()->findObjectById({"nobody", ""}), Ice::ObjectNotFoundException);
  EXPECT_THROW((void)locator()->findObjectById({"", ""}), Ice::ObjectNotFoundException);
  EXPECT_THROW((void)locator()->findAdapterById("nobody"), Ice::AdapterNotFoundException);
  EXPECT_THROW((void)locator()->findAdapterById(""), Ice::AdapterNotFoundException);
  EXPECT_EQ(query()->findObjectById({"nobody", ""}), nullptr);
}

TEST_F(registry_host, registers_an_adapter_and_takes_it_back) {
  registry()->setAdapterDirectProxy("A", proxy("dummy:tcp -h 127.0.0.1 -p 1"));
  EXPECT_EQ(text(locator()->findAdapterById("A")), "dummy -t -e 1.1:tcp -h 127.0.0.1 -p 1 -t 60000");
  registry()->setAdapterDirectProxy("A", proxy("dummy:tcp -h 127.0.0.1 -p 2"));
  EXPECT_EQ(text(locator()->findAdapterById("A")), "dummy -t -e 1.1:tcp -h 127.0.0.1 -p 2 -t 60000");
  registry()->setAdapterDirectProxy("A", nullptr);
  EXPECT_THROW((void)locator()->findAdapterById("A"), Ice::AdapterNotFoundException);
}

TEST_F(registry_host, merges_the_endpoints_of_a_dynamic_group) {
  registry()->setReplicatedAdapterDirectProxy("A2", "G", proxy("dummy:tcp -h 127.0.0.1 -p 2"));
  registry()->setReplicatedAdapterDirectProxy("A1", "G", proxy("dummy:tcp -h 127.0.0.1 -p 1"));
  EXPECT_EQ(text(locator()->findAdapterById("G")),
            "dummy -t -e 1.1:tcp -h 127.0.0.1 -p 1 -t 60000:tcp -h 127.0.0.1 -p 2 -t 60000");
  EXPECT_EQ(replica_.figures.locates[metrics::locate_kind::replica_group][metrics::locate_outcome::found].value(), 1U);
}

TEST_F(registry_host, lets_a_stock_server_register_and_a_stock_client_resolve_it) {
  const Ice::CommunicatorHolder server{with_locator(replica_.at_client("T/Locator"))};
  server->getProperties()->setProperty("Hello.AdapterId", "HelloAdapter");
  server->getProperties()->setProperty("Hello.Endpoints", "tcp -h 127.0.0.1");
  const auto adapter = server->createObjectAdapter("Hello");
  class echo final : public Ice::Blobject {
    bool ice_invoke(std::vector<Ice::Byte> in, std::vector<Ice::Byte>& out, const Ice::Current&) override {
      out = std::move(in);
      return true;
    }
  };
  adapter->add(std::make_shared<echo>(), {"hello", ""});
  adapter->activate();

  const Ice::CommunicatorHolder client{with_locator(replica_.at_client("T/Locator"))};
  EXPECT_NO_THROW(client->stringToProxy("hello@HelloAdapter")->ice_ping());
  add_object("hello@HelloAdapter", "::Hello");
  EXPECT_NO_THROW(client->stringToProxy("hello")->ice_ping());
}

TEST_F(registry_host, answers_requests_in_encoding_1_0_in_1_0) {
  add_object("old:tcp -h 127.0.0.1 -p 1", "::T");
  const auto old = locator()->ice_encodingVersion(Ice::Encoding_1_0);
  const auto asks_in_1_0 = Ice::uncheckedCast<IceGrid::LocatorPrx>(old);
  const auto found = asks_in_1_0->findObjectById({"old", ""});
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->ice_getEndpoints().size(), 1U);
  EXPECT_THROW((void)asks_in_1_0->findAdapterById("nobody"), Ice::AdapterNotFoundException);
  EXPECT_TRUE(asks_in_1_0->ice_isA("::Ice::Locator"));
}

TEST_F(registry_host, answers_what_every_object_answers) {
  struct expected {
    std::string proxy;
    Ice::StringSeq ids;
    std::string id;
  };
  for (const auto& one :
       {expected{replica_.at_client("T/Locator"),
                 {"::Ice::Locator", "::Ice::Object", "::IceGrid::Locator"},
                 "::IceGrid::Locator"},
        expected{replica_.at_client("T/Locator-Master"),
                 {"::Ice::Locator", "::Ice::Object", "::IceGrid::Locator"},
                 "::IceGrid::Locator"},
        expected{replica_.at_client("T/Query"), {"::Ice::Object", "::IceGrid::Query"}, "::IceGrid::Query"},
        expected{
            replica_.at_client("Ice/LocatorFinder"), {"::Ice::LocatorFinder", "::Ice::Object"}, "::Ice::LocatorFinder"},
        expected{replica_.at_server("T/LocatorRegistry"),
                 {"::Ice::LocatorRegistry", "::Ice::Object"},
                 "::Ice::LocatorRegistry"}}) {
    const auto object = proxy(one.proxy);
    EXPECT_NO_THROW(object->ice_ping()) << one.proxy;
    EXPECT_EQ(object->ice_ids(), one.ids) << one.proxy;
    EXPECT_EQ(object->ice_id(), one.id) << one.proxy;
    EXPECT_TRUE(object->ice_isA(one.ids.front())) << one.proxy;
    EXPECT_FALSE(object->ice_isA("::Other")) << one.proxy;
    EXPECT_THROW(object->ice_facet("other")->ice_ping(), Ice::FacetNotExistException) << one.proxy;
    std::vector<Ice::Byte> out;
    EXPECT_THROW((void)object->ice_invoke("noSuchOperation", Ice::OperationMode::Normal, std::vector<Ice::Byte>{}, out),
                 Ice::OperationNotExistException)
        << one.proxy;
  }
}

TEST_F(registry_host, survives_parameters_that_make_no_sense) {
  const std::vector<Ice::Byte> endless{9, 0, 0, 0, 1, 1, 255, 255, 255};
  std::vector<Ice::Byte> out;
  for (const auto& [object, operation] :
       {std::pair{replica_.at_client("T/Locator"), "findObjectById"},
        std::pair{replica_.at_client("T/Locator"), "findAdapterById"},
        std::pair{replica_.at_client("T/Query"), "findAllReplicas"},
        std::pair{replica_.at_server("T/LocatorRegistry"), "setAdapterDirectProxy"}}) {
    EXPECT_THROW((void)proxy(object)->ice_invoke(operation, Ice::OperationMode::Idempotent, endless, out),
                 Ice::UnknownLocalException)
        << operation;
    EXPECT_NO_THROW(proxy(object)->ice_ping());
  }
}

TEST_F(registry_host, names_its_own_objects) {
  EXPECT_EQ(text(locator()->getRegistry()), text(proxy(replica_.at_server("T/LocatorRegistry"))));
  EXPECT_EQ(text(locator()->getLocalRegistry()), text(proxy(replica_.at_client("T/Registry"))));
  EXPECT_EQ(text(locator()->getLocalQuery()), text(proxy(replica_.at_client("T/Query"))));
  const auto finder = Ice::checkedCast<Ice::LocatorFinderPrx>(proxy(replica_.at_client("Ice/LocatorFinder")));
  EXPECT_EQ(text(finder->getLocator()), text(proxy(replica_.at_client("T/Locator"))));
  EXPECT_EQ(text(locator()->findObjectById({"Query", "T"})), text(proxy(replica_.at_client("T/Query"))));
}

TEST_F(registry_host, tells_another_replica_where_its_internal_endpoints_are_and_lists_them_nowhere) {
  EXPECT_EQ(text(locator()->findObjectById({"MusterReplica", "T"})),
            text(proxy(replica_.at_internal("T/MusterReplica"))));
  EXPECT_THROW((void)locator()->findObjectById({"MusterReplica", "Other"}), Ice::ObjectNotFoundException);
  EXPECT_EQ(query()->findObjectById({"MusterReplica", "T"}), nullptr);
}

TEST_F(registry_host, answers_queries_by_type) {
  EXPECT_EQ(query()->findObjectByType("::T"), nullptr);
  EXPECT_TRUE(query()->findAllObjectsByType("::T").empty());
  add_object("one:tcp -h 127.0.0.1 -p 1", "::T");
  add_object("two:tcp -h 127.0.0.1 -p 1", "::T");
  EXPECT_NE(query()->findObjectByType("::T"), nullptr);
  EXPECT_NE(query()->findObjectByTypeOnLeastLoadedNode("::T", IceGrid::LoadSample::LoadSample5), nullptr);
  EXPECT_EQ(query()->findAllObjectsByType("::T").size(), 2U);

  registry()->setReplicatedAdapterDirectProxy("A1", "G", proxy("dummy:tcp -h 127.0.0.1 -p 1"));
  registry()->setReplicatedAdapterDirectProxy("A2", "G", proxy("dummy:tcp -h 127.0.0.1 -p 2"));
  const auto replicas = query()->findAllReplicas(proxy("some@G"));
  ASSERT_EQ(replicas.size(), 2U);
  EXPECT_EQ(text(replicas[0]), "some -t -e 1.1 @ A1");
  EXPECT_TRUE(query()->findAllReplicas(nullptr).empty());
}

TEST_F(registry_host, refuses_an_empty_adapter_id_and_logs_why) {
  EXPECT_THROW(registry()->setAdapterDirectProxy("", proxy("dummy:tcp -h 127.0.0.1 -p 1")),
               Ice::AdapterNotFoundException);
  EXPECT_TRUE(replica_.log.wait_for("registration_refused", "empty id"));
}

TEST_F(registry_host, keeps_dynamic_adapters_out_of_deployed_groups) {
  catalog::add_application add{"uuid", {0, "tester"}, application_with_group("Deployed")};
  ASSERT_TRUE(replica_.propose(std::move(add)));
  EXPECT_THROW(registry()->setReplicatedAdapterDirectProxy("A", "Deployed", proxy("dummy:tcp -h 127.0.0.1 -p 1")),
               Ice::InvalidReplicaGroupIdException);
  EXPECT_TRUE(replica_.log.wait_for("registration_refused", "Deployed"));
  EXPECT_EQ(locator()->findAdapterById("Deployed"), nullptr);
}

TEST_F(registry_host, knows_no_server_that_no_application_describes) {
  EXPECT_THROW(registry()->setServerProcessProxy("nobody", nullptr), Ice::ServerNotFoundException);
}

TEST_F(registry_host, refuses_nodes_and_replicas_of_icegrid_in_words) {
  std::vector<Ice::Byte> out;
  const auto internal = proxy(replica_.at_internal("T/InternalRegistry-Master"));
  EXPECT_FALSE(internal->ice_invoke("registerNode", Ice::OperationMode::Normal, std::vector<Ice::Byte>{}, out));
  const std::string reply{out.begin(), out.end()};
  EXPECT_NE(reply.find("::IceGrid::PermissionDeniedException"), std::string::npos);
  EXPECT_NE(reply.find("run 'muster registry' in place of icegridregistry"), std::string::npos);
  EXPECT_NE(reply.find("in place of icegridnode there is nothing yet"), std::string::npos);
  EXPECT_TRUE(replica_.log.wait_for("stock_peer_refused", "registerNode"));
}

TEST_F(registry_host, is_refused_its_connections_once_it_is_closed) {
  const auto at = replica_.at_client("T/Locator");
  proxy(at)->ice_ping();
  replica_.host().close();
  EXPECT_THROW(proxy(at)->ice_connectionId("new")->ice_ping(), Ice::LocalException);
}

TEST(registry_host_without_dynamic_registration, takes_no_unknown_adapter_and_logs_why) {
  running_replica replica{{{"IceGrid.Registry.DynamicRegistration", "0"}}};
  replica.wait_until_ready();
  const Ice::CommunicatorHolder client{Ice::InitializationData{}};
  const auto registry =
      Ice::checkedCast<Ice::LocatorRegistryPrx>(client->stringToProxy(replica.at_server("T/LocatorRegistry")));
  EXPECT_THROW(registry->setAdapterDirectProxy("A", client->stringToProxy("d:tcp -h 127.0.0.1 -p 1")),
               Ice::AdapterNotFoundException);
  EXPECT_TRUE(replica.log.wait_for("registration_refused", "IceGrid.Registry.DynamicRegistration"));
}

TEST(registry_host_that_traces_the_locator, logs_what_is_registered_and_what_is_not_found) {
  running_replica replica{{{"IceGrid.Registry.Trace.Locator", "2"}}};
  replica.wait_until_ready();
  const Ice::CommunicatorHolder client{Ice::InitializationData{}};
  const auto locator = Ice::checkedCast<Ice::LocatorPrx>(client->stringToProxy(replica.at_client("T/Locator")));
  locator->getRegistry()->setReplicatedAdapterDirectProxy("A", "G", client->stringToProxy("d:tcp -h 127.0.0.1 -p 1"));
  EXPECT_TRUE(replica.log.wait_for("adapter_registered", "adapter=A", "replica_group=G"));
  EXPECT_THROW((void)locator->findObjectById({"nobody", "cat"}), Ice::ObjectNotFoundException);
  EXPECT_TRUE(replica.log.wait_for("locate_failed", "cat/nobody"));
  EXPECT_THROW((void)locator->findAdapterById("nowhere"), Ice::AdapterNotFoundException);
  EXPECT_TRUE(replica.log.wait_for("locate_failed", "nowhere"));
}

config::property_map as_slave() {
  return {{"IceGrid.Registry.ReplicaName", "S1"}, {"Ice.Default.Locator", "T/Locator:tcp -h 127.0.0.1 -p 1"}};
}

TEST(registry_host_of_a_slave, opens_nothing_to_clients_before_it_has_a_copy) {
  running_replica slave{as_slave()};
  ASSERT_TRUE(slave.log.wait_for("no_master"));
  EXPECT_TRUE(slave.host().card().objects.client.is_null());
  EXPECT_FALSE(slave.host().card().objects.internal.is_null());
}

TEST(registry_host_of_a_slave, serves_its_copy_without_a_master_and_says_why_it_takes_no_registration) {
  auto content = std::make_shared<tests::store_content>();
  const Ice::CommunicatorHolder client{Ice::InitializationData{}};
  {
    running_replica master{{}, {}, content};
    master.wait_until_ready();
    const auto object = to_encoded(client->stringToProxy("kept:tcp -h 127.0.0.1 -p 1"));
    ASSERT_TRUE(master.propose(catalog::add_object{"::T", object}));
  }
  running_replica slave{as_slave(), {}, content};
  slave.wait_until_ready();
  const auto locator = Ice::checkedCast<IceGrid::LocatorPrx>(client->stringToProxy(slave.at_client("T/Locator-S1")));
  EXPECT_NE(locator->findObjectById({"kept", ""}), nullptr);
  try {
    Ice::uncheckedCast<Ice::LocatorRegistryPrx>(client->stringToProxy(slave.at_server("T/LocatorRegistry")))
        ->setAdapterDirectProxy("A", client->stringToProxy("d:tcp -h 127.0.0.1 -p 1"));
    FAIL() << "a slave without a master registered an adapter";
  } catch (const Ice::UnknownException& refused) {
    EXPECT_NE(refused.unknown.find("S1"), std::string::npos) << refused.unknown;
    EXPECT_NE(refused.unknown.find("master"), std::string::npos) << refused.unknown;
  }
}

}  // namespace
}  // namespace muster::ice
